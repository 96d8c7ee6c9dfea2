package import Feed

/// Where servers share a store: it holds the truth, and says who may write.
///
/// Every call blocks, for a bounded time, and throws ``StoreError/unreachable(message:)`` where it
/// did not come through: it is then unknown whether it had an effect. Each change of a source moves
/// its ``Ground/revision`` in the same transaction, and changes of feeds are numbered there without
/// a gap, in the order of commits.
package protocol SharedLedger: Sendable {
  /// Its status, which a server asks for once a second. Notes that the server is live, and to how
  /// many feeds it listens.
  func beat(_ server: Server) throws(StoreError) -> Heartbeat

  /// Notes that a server stops: from now on it does not count as live.
  func leave(_ server: Server) throws(StoreError)

  /// What is known of a source and one of its calls at this moment.
  func ground(of call: SharedCall, for server: Server) throws(StoreError) -> Ground

  /// Claims a call, and takes it off the budget; nil where the revision or the epoch is another by
  /// now. `lease` is how long it may take.
  func claim(
    _ call: SharedCall, knowing ground: Ground, leaving budget: Budget, lease: Duration,
    for server: Server
  ) throws(StoreError) -> Token?

  /// Ends a call, and keeps what it leaves. Returns false where the revision is another by now, and
  /// true where the call is somebody else's: then there is nothing to end, and the budget counts
  /// all the same.
  func settle(
    _ call: SharedCall, token: Token, leaving end: SharedEnd, for server: Server
  ) throws(StoreError) -> Bool

  /// Writes what an answer changed of a feed, and ends its call in the same transaction where `end`
  /// is given. Returns nil, with nothing written, where the revision is another by now than `end`
  /// was made by. Throws ``StoreError/overtaken`` where the feed has another state than `base`, or
  /// the call of `token` is no longer this server's.
  func write(
    _ rows: SharedRows, over base: SharedState?, of call: (call: SharedCall, token: Token)?,
    leaving end: SharedEnd?, for server: Server
  ) throws(StoreError) -> SharedMove?

  /// Writes items of a source that stand by themselves, and ends a call in the same transaction
  /// where one is given, as ``settle(_:token:leaving:for:)`` does. Returns nil, with nothing
  /// written, where the revision is another by now than that end was made by.
  func write(
    _ items: [SharedItem], contents: [Identity: [UInt8]], of source: String, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove?

  /// Deletes items everywhere: tombstones in every feed, each with a number. Ends a call in the
  /// same transaction where one is given, and returns nil as the write of items does.
  func delete(
    _ ids: [Identity], realm: String, of source: String, sentAt: Timestamp, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove?

  /// Deletes a feed with its rows; one that is made again counts on from beyond its numbers.
  /// Throws ``StoreError/overtaken`` where the feed is of the recipe that `recipe` names.
  func drop(_ feed: String, of source: String, unless recipe: Int64?) throws(StoreError)

  /// What became of a source since a copy of it was made; nil where nothing did. Feeds that the
  /// copy does not have are left out. Contents that are new come along, as far as they are not too
  /// many.
  func news(beyond copy: SourceCopy) throws(StoreError) -> StoreNews?

  /// A feed with all its places, and its items without their contents; nil where there is none.
  func feed(_ name: String) throws(StoreError) -> SharedRows?

  /// Items with their contents, as far as they are known.
  func items(
    _ ids: [Identity], realm: String
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]])

  /// The budget that is kept under a name: see ``Budgets/keptName(of:in:)``. Nil where none is.
  func budget(of name: String) throws(StoreError) -> Budget?

  /// Notes when feeds were last read, by name: those least recently read are evicted first.
  func note(_ reads: [String: Timestamp]) throws(StoreError)

  /// Begins another epoch in place of this one, since something was lost that somebody knows. Feeds
  /// that have lineages get another one in their place: what was given out under them expires.
  func begin(after epoch: String) throws(StoreError)
}

/// One of the servers that share.
package struct Server: Hashable, Sendable {
  /// Its name, random, made at its start.
  package var id: String
  /// How many feeds somebody listens to at it.
  package var listenedFeeds = 0

  /// A server at which no client listens.
  package init(id: String) {
    self.id = id
  }
}

/// How the shared store stands.
package struct Heartbeat: Hashable, Sendable {
  /// Its epoch: see ``TimelineStore/epoch``.
  package var epoch: String
  /// The number of the last change, by source.
  package var numbers: [String: Int64]
  /// The revision, by source: it moves with each call that is claimed or has ended.
  package var revisions: [String: Int64]
  /// What the change of that number was, by source, where it was one of a feed's rows: of two
  /// histories that came to one number only one has it.
  package var changes: [String: Change] = [:]
  /// Live servers.
  package var servers: Int
  /// Feeds that are listened to, at all of these.
  package var listenedFeeds: Int
  /// What its clock says.
  package var now: Timestamp

  /// What a feed became by a change.
  package struct Change: Hashable, Sendable {
    /// The feed's name.
    package var feed: String
    /// The state it has since.
    package var state: SharedState

    /// A change from its parts.
    package init(_ feed: String, _ state: SharedState) {
      (self.feed, self.state) = (feed, state)
    }
  }

  /// A state from its parts; no change is known.
  package init(
    epoch: String, numbers: [String: Int64], revisions: [String: Int64], servers: Int,
    listenedFeeds: Int, now: Timestamp
  ) {
    (self.epoch, self.numbers, self.revisions) = (epoch, numbers, revisions)
    self.servers = servers
    (self.listenedFeeds, self.now) = (listenedFeeds, now)
  }
}

/// The right to make a call, which passes with the call: moved by each claim and each end.
package typealias Token = Int64

/// What is known of a source and one of its calls.
package struct Ground: Sendable {
  /// The epoch.
  package var epoch: String
  /// Moved by each change of the source.
  package var revision: Int64
  /// The number of the source's last change.
  package var number: Int64
  /// The budget the call counts in, with the calls in progress; nil where none is kept.
  package var budget: Budget?
  /// Calls of the source in progress at other servers, of all limits.
  package var othersInFlight: Int
  /// The state of the feed the call was planned by; nil where there is none.
  package var state: SharedState?
  /// Until when another server makes the same call; nil where none does.
  package var heldUntil: Timestamp?
  /// How what the call is for is left alone.
  package var pause: CallPause?
  /// The latest `Date` of the source's answers.
  package var latest: UpstreamDate?
  /// Whether no call of the source is in progress elsewhere, and nothing is left alone.
  package var isQuiet = false
  /// The token of the last end of the call that took effect; nil where none is known.
  package var ended: Token?
  /// From which number on a feed that is not there counts: no number of one that is gone is used
  /// again.
  package var floor: Int64 = 0

  /// A ground from its parts.
  package init(
    epoch: String, revision: Int64, number: Int64, budget: Budget?, othersInFlight: Int,
    state: SharedState?, heldUntil: Timestamp?, pause: CallPause?,
    latest: UpstreamDate?
  ) {
    (self.epoch, self.revision, self.number) = (epoch, revision, number)
    self.budget = budget
    (self.othersInFlight, self.state) = (othersInFlight, state)
    (self.heldUntil, self.pause, self.latest) = (heldUntil, pause, latest)
  }
}

/// What a server has of a source.
package struct SourceCopy: Sendable {
  /// The source's name.
  package var source: String
  /// Up to which number it has the news.
  package var number: Int64
  /// Up to which revision it knows the budgets; below 0, all that it has is compared.
  package var revision: Int64
  /// The states of the feeds that it has.
  package var states: [String: SharedState]
  /// The budgets that it knows, by name.
  package var budgets: [String]

  /// A copy from its parts.
  package init(
    of source: String, number: Int64, revision: Int64 = -1, states: [String: SharedState],
    budgets: [String] = []
  ) {
    (self.source, self.number, self.revision) = (source, number, revision)
    (self.states, self.budgets) = (states, budgets)
  }
}

/// What a source has come to by something that was written of it.
package struct SharedMove: Hashable, Sendable {
  /// Its revision.
  package var revision: Int64
  /// The number of that change.
  package var number: Int64

  /// A move from its parts.
  package init(revision: Int64, number: Int64) {
    (self.revision, self.number) = (revision, number)
  }
}

/// A call of a server that ends with what is written.
package struct CallEnding: Sendable {
  /// The call.
  package var call: SharedCall
  /// The right to make it.
  package var token: Token
  /// What is kept of it.
  package var end: SharedEnd

  /// The end of a call.
  package init(_ call: SharedCall, token: Token, leaving end: SharedEnd) {
    (self.call, self.token, self.end) = (call, token, end)
  }
}

/// What is kept of a call when it ends.
package struct SharedEnd: Hashable, Sendable {
  /// The revision that it is made by.
  package var revision: Int64
  /// What is left of the budget that it counts in.
  package var budget: Budget
  /// How what it was for is left alone; nil where it is not.
  package var pause: CallPause?
  /// The latest `Date` of the source's answers.
  package var latest: UpstreamDate?

  /// An end from its parts.
  package init(
    knowing revision: Int64, budget: Budget, pause: CallPause? = nil, latest: UpstreamDate? = nil
  ) {
    (self.revision, self.budget) = (revision, budget)
    (self.pause, self.latest) = (pause, latest)
  }
}
