/// What a reader asks of its store before and after each upstream call, and of what other servers
/// wrote to it.
///
/// A store of one server keeps the budget, and that is all: see ``LoneStore``. One that several
/// servers share decides which of them makes a call, counts calls in one budget for all, and brings
/// here what others stored.
package protocol StoreSharing: Sendable {
  /// Whether other servers read and write the same.
  var isShared: Bool { get }

  /// Asks for the right to make a call, and takes it off the budget that `decide` returns; nil
  /// there is that it is not to be made. `decide` is given what is known at this moment of those
  /// who share, nil where the store is not shared; it may be asked again, when that has changed
  /// meanwhile.
  func claim(
    _ call: SharedCall, deciding decide: (CallGround?) -> Budget?
  ) throws(StoreError) -> CallClaim

  /// Notes the answer to a call that was claimed: the call may end in the transaction that writes
  /// what it brought.
  func note(_ answer: CallAnswer, to call: SharedCall)

  /// Ends a call that was claimed, where it has not ended yet. `settling` is what is left of the
  /// budget known here, and whether that is written already; `pause` is how what it was for is left
  /// alone, which no commit writes. Returns the budget of all servers; nil for a lone one.
  func settle(
    _ call: SharedCall, settling: (budget: Budget, isWritten: Bool), pausing pause: CallPause?
  ) throws(StoreError) -> Budget?

  /// What others wrote of a source since its news were last taken; nil where there is nothing.
  func news(of source: String) throws(StoreError) -> StoreNews?

  /// Takes news in. Until then nothing has changed here.
  func take(_ news: StoreNews) throws(StoreError)

  /// Brings items that are not here, or not whole. Returns whether any came.
  func bring(_ ids: [Identity], realm: String) throws(StoreError) -> Bool

  /// Deletes a feed for all servers, with its rows, unless another server has made it again by
  /// `recipe`; nil deletes it in any case.
  func dropEverywhere(
    _ name: String, of source: String, unless recipe: Int64?
  ) throws(StoreError)

  /// The status of the shared store; nil where the store is not shared.
  var sharing: SharingStatus? { get }
}

/// A call as those who share a store know it: one at a time for each source and key.
package struct SharedCall: Hashable, Sendable {
  /// The source's name.
  package var source: String
  /// What is asked for: a feed by its name, or an item.
  package var key: String
  /// The feed whose state the call was planned by; nil where it changes none.
  package var feed: FeedID?
  /// The name of the rate limit it counts in; nil for the source's.
  package var budget: String?

  /// A call from its parts.
  package init(source: String, key: String, feed: FeedID?, budget: String?) {
    (self.source, self.key, self.feed, self.budget) = (source, key, feed, budget)
  }
}

/// What is known of those who share a source, when a call is claimed.
package struct CallGround: Sendable {
  /// The budget the call counts in, with the calls in progress of all servers; nil where none is
  /// kept.
  package var budget: Budget?
  /// Calls of the source in progress at other servers, whatever limit they count in.
  package var othersInFlight: Int
  /// How the last call for the same went wrong; nil where it did not.
  package var pause: CallPause?
  /// The latest `Date` of the source's answers.
  package var latest: UpstreamDate?

  /// A ground from its parts.
  package init(
    budget: Budget?, othersInFlight: Int, pause: CallPause?, latest: UpstreamDate?
  ) {
    (self.budget, self.othersInFlight) = (budget, othersInFlight)
    (self.pause, self.latest) = (pause, latest)
  }
}

/// What an answer changes for all who share, besides what it brings.
package struct CallAnswer: Sendable {
  /// What is left of the budget known here.
  package var budget: Budget
  /// How it moved the latest `Date` of the source; nil where it did not.
  package var moved: (from: UpstreamDate?, to: UpstreamDate)?
  /// What it changes of a budget.
  package var change: @Sendable (inout Budget) -> Void

  /// An answer from its parts.
  package init(
    budget: Budget, moved: (from: UpstreamDate?, to: UpstreamDate)?,
    change: @escaping @Sendable (inout Budget) -> Void
  ) {
    (self.budget, self.moved, self.change) = (budget, moved, change)
  }
}

/// What is left alone for a while, as servers tell each other.
package struct CallPause: Hashable, Sendable {
  /// Until when.
  package var until: Timestamp
  /// What a reader gets meanwhile: a word of ``Meaning``.
  package var meaning: Meaning
  /// Calls in a row that failed.
  package var failures: Int

  /// What a pause means for a reader.
  package enum Meaning: String, Sendable {
    case notFound, refused, rateLimited, unavailable, badResponse
  }

  /// A pause from its parts.
  package init(until: Timestamp, meaning: Meaning, failures: Int) {
    (self.until, self.meaning, self.failures) = (until, meaning, failures)
  }
}

/// The result of a claim.
package enum CallClaim: Hashable, Sendable {
  /// It may be made.
  case granted
  /// It is not to be made, as was decided.
  case declined
  /// Another server makes the same call, until this instant at the latest.
  case held(until: Timestamp)
  /// Others have written since it was planned: it is to be planned again by their news.
  case behind
}

/// A store that one server alone reads and writes.
///
/// A protocol of its own, so that no store is taken for one by what it forgot to say.
package protocol LoneStore: StoreSharing, TimelineStore {}

extension LoneStore {
  /// No: it belongs to one server.
  package var isShared: Bool { false }
  /// None: the store is not shared.
  package var sharing: SharingStatus? { nil }

  /// Writes the budget down: a process that ends before the answer comes, again and again, must not
  /// spend it unseen. A store that cannot be written keeps no server from calling.
  package func claim(
    _ call: SharedCall, deciding decide: (CallGround?) -> Budget?
  ) throws(StoreError) -> CallClaim {
    guard let budget = decide(nil) else { return .declined }
    try keep(budget, of: Budgets.keptName(of: call.budget, in: call.source))
    return .granted
  }

  /// A lone server has no others to inform.
  package func note(_ answer: CallAnswer, to call: SharedCall) {}

  /// Writes the budget down where that is not done.
  package func settle(
    _ call: SharedCall, settling: (budget: Budget, isWritten: Bool), pausing pause: CallPause?
  ) throws(StoreError) -> Budget? {
    if !settling.isWritten {
      try keep(settling.budget, of: Budgets.keptName(of: call.budget, in: call.source))
    }
    return nil
  }

  /// None.
  package func news(of source: String) throws(StoreError) -> StoreNews? { nil }

  /// There are none.
  package func take(_ news: StoreNews) throws(StoreError) {}

  /// All are here.
  package func bring(_ ids: [Identity], realm: String) throws(StoreError) -> Bool { false }
}

extension LoneStore where Self: StoreHousekeeping {
  /// No other server has it.
  package func dropEverywhere(
    _ name: String, of source: String, unless recipe: Int64?
  ) throws(StoreError) {
    try drop(name)
  }
}

/// Status of the shared store as seen by this server.
package struct SharingStatus: Sendable {
  /// The name of this server.
  package var server: String
  /// Whether the shared store answered the last call.
  package var isUp = false
  /// When it last did, by this server's clock; nil where it never did.
  package var reachedAt: Timestamp?
  /// Live servers.
  package var servers = 0
  /// Feeds that somebody listens to, at all of these.
  package var listenedFeeds = 0
  /// Up to which number this server has the news of each source.
  package var numbers: [String: Int64] = [:]
  /// What happened since the start, by name: `granted`, `held`, `behind`, `declined` claims,
  /// `fenced` commits, `conflicts`, `notifications`, `polls`, `broughtBytes`.
  package var counts: [String: Int] = [:]
  /// Calls to what is shared since the start, and the seconds they took together, by operation.
  package var calls: [String: (count: Int, seconds: Double)] = [:]

  /// The status of a server that has reached nothing yet.
  package init(server: String) {
    self.server = server
  }

  /// Whole seconds since what is shared was last reached.
  package func lagSeconds(at now: Timestamp) -> Int64 {
    reachedAt.map { max(0, (now - $0).components.seconds) } ?? 0
  }
}
