package import Feed
package import SQLiteStore
import Synchronization

/// The store of one of several servers that share: what they share is in a ``SharedLedger``, and a
/// file of its own is a copy of that part of it which this server reads.
///
/// Everything is read from the copy. Everything is written to the ledger first, in the form of the
/// rows that the copy's own writer has made of it, and to the copy when the ledger has taken it:
/// there is one implementation of every rule, and a copy never has what is not shared. What others
/// wrote comes as ``StoreNews``.
package final class SharedStore: Sendable {
  let copy: TimelineDatabase
  let ledger: any SharedLedger
  /// The server's name.
  package let server: String
  let time: any TimeSource
  private let leases: @Sendable (String) -> Duration
  /// Performs other servers' purges of a source's answers.
  let follow: @Sendable (String, [StoreNews.Purge]) throws(StoreError) -> Void
  let state: Mutex<State>

  /// What this server holds and knows.
  struct State {
    /// Calls in progress.
    var underway: [SharedCall: CallUnderway] = [:]
    /// Calls made here for each feed, by its name: at most one at a time.
    var calls: [String: SharedCall] = [:]
    /// The call of each source whose answer was noted last, until it is settled.
    var landing: [String: SharedCall] = [:]
    /// What is known of each source, as of the last that was heard or done.
    var known: [String: KnownSource] = [:]
    /// Feeds that somebody listens to here.
    var listenedFeeds = 0
    /// How what is shared stands.
    var status: SharingStatus
    /// Feeds of the copy whose latest news were left out, since they could not be read.
    var unreadable: Set<String> = []
    /// News by source of a feed that can be read again.
    var mended: [String: StoreNews] = [:]
    /// Feeds that were not there, by name, with the number of their source that was known then.
    var absent: [String: Int64] = [:]
    /// The names of the budgets that were asked for.
    var budgetNames: Set<String> = []
    /// Whether another epoch is being taken over.
    var isAdopting = false
    /// Files begun in place of a damaged one.
    var renewals = 0
    /// Why and when the copy could not take the last that came.
    var refusal: (error: StoreError, at: Timestamp)?
  }

  /// The most feeds that are remembered not to be there.
  static let absentMax = 1 << 12
  /// How long the copy counts as one that takes nothing after the last that it could not take. News
  /// are tried again each second.
  static let refusalDuration = Duration.seconds(10)
  /// How often an update is tried again after another server's changed what it rests on, at most.
  static let comparisonsMax = 50
  /// What is thrown after so many.
  static let outrun = StoreError.unreachable(
    message: "gave up after \(comparisonsMax) conflicting updates")

  /// A store over a copy and what is shared. `leases` is how long a call of a source may take;
  /// `follow` performs purges of a source's answers, before the news that they came with are taken:
  /// those that a crash cut off come again.
  ///
  /// A copy that is of another epoch is of another history, and begins again. Throws where the
  /// ledger cannot be reached and the copy was never one of it.
  package init(
    copy: TimelineDatabase, ledger: any SharedLedger, server: String, time: any TimeSource,
    follow: @escaping @Sendable (String, [StoreNews.Purge]) throws(StoreError) -> Void = {
      _, _ in
    },
    leases: @escaping @Sendable (String) -> Duration
  ) throws(StoreError) {
    (self.copy, self.ledger, self.server) = (copy, ledger, server)
    (self.time, self.leases, self.follow) = (time, leases, follow)
    state = Mutex(State(status: SharingStatus(server: server)))
    let isCopied = try copy.isCopied
    let isEmpty = try copy.feeds().isEmpty
    guard isCopied || isEmpty else {
      throw .failed(
        code: 0,
        message: "the file is a store of its own, and no copy of what servers share: name another "
          + "path, or take it over by `tsugi store copy`")
    }
    do throws(StoreError) {
      try beat()
    } catch {
      // What it has can be served without the others.
      guard case .unreachable = error, isCopied else { throw error }
    }
  }

  var identity: Server {
    var identity = Server(id: server)
    identity.listenedFeeds = state.withLock { $0.listenedFeeds }
    return identity
  }

  /// Notes in the ledger that this server stops; where that fails, its silence shows it soon.
  package func leave() {
    // No part of this server is left that could act on a failure.
    try? call("leave") { () throws(StoreError) in try ledger.leave(identity) }
  }

  /// Asks for the ledger's status, and notes there that this server is live. Returns the status.
  @discardableResult
  package func beat() throws(StoreError) -> Heartbeat {
    do throws(StoreError) {
      let heartbeat = try call("beat") { () throws(StoreError) in try ledger.beat(identity) }
      try check(heartbeat.epoch)
      let now = time.now
      state.withLock { state in
        state.status.isUp = true
        state.status.reachedAt = now
        state.status.servers = heartbeat.servers
        state.status.listenedFeeds = heartbeat.listenedFeeds
        for (source, number) in heartbeat.numbers {
          state.known[source, default: KnownSource()].hear(number)
        }
      }
      count("polls")
      try adopt(heartbeat.epoch)
      return heartbeat
    } catch {
      state.withLock { $0.status.isUp = false }
      throw error
    }
  }

  /// Makes a call to what is shared, and counts what it takes.
  func call<Value>(
    _ operation: String, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let begun = ContinuousClock.now
    defer {
      let seconds = (ContinuousClock.now - begun) / .seconds(1)
      state.withLock { state in
        var calls = state.status.calls[operation] ?? (0, 0)
        calls.count += 1
        calls.seconds += seconds
        state.status.calls[operation] = calls
      }
    }
    return try body()
  }

  /// Puts something into the copy, and notes whether it has room.
  func copying(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    do throws(StoreError) {
      try body()
    } catch {
      let now = time.now
      state.withLock { $0.refusal = error.isLocal ? (error, now) : nil }
      throw error
    }
    state.withLock { $0.refusal = nil }
  }

  /// Counts something that happened.
  package func count(_ name: String, by number: Int = 1) {
    state.withLock { $0.status.counts[name, default: 0] += number }
  }

  /// Notes how many feeds clients listen to at this server.
  package func note(listenedFeeds: Int) {
    state.withLock { $0.listenedFeeds = listenedFeeds }
  }

  /// Whether a heartbeat shows a change of a source that is not known here. Where it is another
  /// one than that of the same number here, the next news compare all that the copy has.
  package func isBehind(_ heartbeat: Heartbeat, of source: String) throws(StoreError) -> Bool {
    let number = try copy.number(of: source)
    if number == heartbeat.numbers[source], let change = heartbeat.changes[source],
      let here = try copy.state(of: change.feed), here != change.state
    {
      state.withLock { state in
        // What could not be read stays as it was.
        if !state.unreadable.contains(change.feed) { state.known[source]?.adopt(-1) }
      }
    }
    let adopted = state.withLock { $0.known[source]?.adopted ?? 0 }
    return adopted != heartbeat.revisions[source] ?? 0 || number != heartbeat.numbers[source] ?? 0
  }

  /// Lets the copy go.
  package func close() { copy.close() }

  /// Has another epoch begun, since a copy has what the ledger has lost.
  func begin() throws(StoreError) {
    try ledger.begin(after: SequenceNumber.told(copy.epoch))
    try beat()
  }
}

extension SharedStore: StoreSharing {
  package var isShared: Bool { true }

  package var sharing: SharingStatus? { state.withLock { $0.status } }

  package func dropEverywhere(
    _ name: String, of source: String, unless recipe: Int64?
  ) throws(StoreError) {
    do throws(StoreError) {
      try ledger.drop(name, of: source, unless: recipe)
    } catch {
      // What the others have is right already, and comes when it is asked for.
      guard case .overtaken = error else { throw error }
    }
    try copy.drop(name)
  }

  package func claim(
    _ call: SharedCall, deciding decide: (CallGround?) -> Budget?
  ) throws(StoreError) -> CallClaim {
    let claim = try decided(call, decide)
    count(claim.word)
    return claim
  }

  private func decided(
    _ call: SharedCall, _ decide: (CallGround?) -> Budget?
  ) throws(StoreError) -> CallClaim {
    // What is known says that the call may be made, and the claim that it still holds.
    if let ground = try knownGround(of: call), let budget = decide(CallGround(ground)),
      try claim(call, knowing: ground, leaving: budget)
    {
      return .granted
    }
    for _ in 0..<SharedStore.comparisonsMax {
      let ground = try ground(of: call)
      try check(ground.epoch)
      guard isOfHere(ground.epoch) else { return .behind }
      if let until = ground.heldUntil { return .held(until: until) }
      if let feed = call.feed, try copy.state(of: feed.name) != ground.state {
        try meet(ground, by: feed)
        return .behind
      }
      guard let budget = decide(CallGround(ground)) else { return .declined }
      if try claim(call, knowing: ground, leaving: budget) { return .granted }
    }
    throw SharedStore.outrun
  }

  private func claim(
    _ call: SharedCall, knowing ground: Ground, leaving budget: Budget
  ) throws(StoreError) -> Bool {
    let token = try self.call("claim") { () throws(StoreError) in
      try ledger.claim(
        call, knowing: ground, leaving: budget, lease: leases(call.source), for: identity)
    }
    guard let token else {
      count("conflicts")
      return false
    }
    state.withLock { state in
      state.underway[call] = CallUnderway(token: token)
      if let feed = call.feed { state.calls[feed.name] = call }
      state.known[call.source]?.move(from: ground.revision, leaving: budget, of: call.budget)
    }
    return true
  }

  /// The ground of a call by what is known here; nil where that is not enough to claim it by.
  private func knownGround(of call: SharedCall) throws(StoreError) -> Ground? {
    let (known, absent) = state.withLock { state in
      (state.known[call.source], call.feed.flatMap { state.absent[$0.name] })
    }
    guard let known, try copy.number(of: call.source) == known.number else { return nil }
    let feed = try call.feed.flatMap { (feed) throws(StoreError) in try copy.state(of: feed.name) }
    guard feed != nil || call.feed == nil || absent == known.number else { return nil }
    return known.ground(of: call.budget, feed, in: SequenceNumber.told(copy.epoch))
  }

  func ground(of call: SharedCall) throws(StoreError) -> Ground {
    let ground = try self.call("ground") { () throws(StoreError) in
      try ledger.ground(of: call, for: identity)
    }.withoutFuture(at: time.now)
    state.withLock { state in
      state.known[call.source, default: KnownSource()].note(ground, of: call.budget)
    }
    try copy.countOn(from: ground.floor)
    return ground
  }

  /// Whether an epoch is that of the copy.
  func isOfHere(_ epoch: String) -> Bool {
    SequenceNumber.told(copy.epoch) == epoch
  }

  /// Throws where a ledger has an epoch that no server made, or none: then it is being repaired
  /// or replaced, and nothing of it is taken over.
  func check(_ epoch: String) throws(StoreError) {
    guard SequenceNumber.isEpoch(epoch) else {
      throw .unreachable(message: "it has no epoch that a server made")
    }
  }
}

extension CallClaim {
  /// What it is counted as.
  fileprivate var word: String {
    switch self {
    case .granted: "granted"
    case .declined: "declined"
    case .held: "held"
    case .behind: "behind"
    }
  }
}

extension CallGround {
  /// What decides of a call is of what the ledger has.
  fileprivate init(_ ground: Ground) {
    self.init(
      budget: ground.budget, othersInFlight: ground.othersInFlight, pause: ground.pause,
      latest: ground.latest)
  }
}
