package import Feed
package import SQLiteStore
import Synchronization

/// The store of one of several servers that share: what they share is in a ``SharedLedger``, and a file
/// of its own is a copy of that part of it which this server reads.
///
/// Everything is read from the copy. Everything is written to the ledger first, in the form of the
/// rows that the copy's own writer has made of it, and to the copy when the ledger has taken it:
/// there is one implementation of every rule, and a copy never has what is not shared. What others
/// wrote comes as ``StoreNews``.
package final class SharedStore: Sendable {
  let copy: TimelineDatabase
  let ledger: any SharedLedger
  let server: String
  private let leases: @Sendable (String) -> Duration
  let state = Mutex(State())

  /// What this server holds and knows.
  struct State {
    /// Calls under way.
    var tokens: [SharedCall: Token] = [:]
    /// Calls made here for each feed, by its name: at most one at a time.
    var calls: [String: SharedCall] = [:]
    /// Feeds that somebody listens to here.
    var listenedFeeds = 0
    /// What the last beat told.
    var heartbeat: Heartbeat?
    /// Files begun in place of a damaged one.
    var renewals = 0
  }

  /// How often a comparison is made again that somebody else has won, at most.
  static let comparisonsMax = 50

  /// A store over a copy and what is shared. `leases` is how long a call of a source may take.
  ///
  /// A copy that is of another epoch is of another history, and begun anew. Throws where the ledger
  /// cannot be reached and the copy was never one of it.
  package init(
    copy: TimelineDatabase, ledger: any SharedLedger, server: String,
    leases: @escaping @Sendable (String) -> Duration
  ) throws(StoreError) {
    (self.copy, self.ledger, self.server, self.leases) = (copy, ledger, server, leases)
    try beat()
  }

  var identity: Server {
    var identity = Server(id: server)
    identity.listenedFeeds = state.withLock { $0.listenedFeeds }
    return identity
  }

  func lease(of source: String) -> Duration { leases(source) }

  /// Asks how the ledger stands, and tells it that this server lives. Returns that.
  @discardableResult
  package func beat() throws(StoreError) -> Heartbeat {
    let heartbeat = try ledger.beat(identity)
    state.withLock { $0.heartbeat = heartbeat }
    try adopt(heartbeat.epoch)
    return heartbeat
  }

  /// What the last beat told.
  package var heartbeat: Heartbeat? { state.withLock { $0.heartbeat } }

  /// Tells how many feeds somebody listens to here.
  package func note(listenedFeeds: Int) {
    state.withLock { $0.listenedFeeds = listenedFeeds }
  }

  /// Up to which number a source's news are here.
  package func number(of source: String) throws(StoreError) -> Int64 {
    try copy.copied(of: source).number
  }

  /// Lets the copy go.
  package func close() { copy.close() }

  /// Begins the copy anew where it is of another history.
  func adopt(_ epoch: String) throws(StoreError) {
    guard SequenceNumber(epoch: copy.epoch, number: 0).epoch != epoch else { return }
    state.withLock { state in
      state.tokens = [:]
      state.calls = [:]
    }
    try copy.begin(epoch)
  }

  /// Has another epoch begun, since a copy has what the ledger has lost.
  func begin() throws(StoreError) {
    try ledger.begin(after: SequenceNumber(epoch: copy.epoch, number: 0).epoch)
    try beat()
  }
}

extension SharedStore: StoreSharing {
  package var isShared: Bool { true }

  package var listenedFeeds: Int? { heartbeat?.listenedFeeds }

  package func claim(
    _ call: SharedCall, deciding decide: (CallGround?) -> Budget?
  ) throws(StoreError) -> Claim {
    for _ in 0..<SharedStore.comparisonsMax {
      let ground = try ledger.ground(of: call, for: identity)
      guard isOfHere(ground.epoch) else { return .behind }
      if let until = ground.heldUntil { return .held(until: until) }
      if let feed = call.feed, try copy.state(of: feed.name) != ground.state {
        try meet(ground, by: feed)
        return .behind
      }
      guard let budget = decide(CallGround(ground)) else { return .declined }
      let token = try ledger.claim(
        call, knowing: ground, leaving: budget, lease: lease(of: call.source), for: identity)
      guard let token else { continue }
      state.withLock { state in
        state.tokens[call] = token
        if let feed = call.feed { state.calls[feed.name] = call }
      }
      return .granted
    }
    throw .unreachable(message: "the others are faster each time")
  }

  /// Sees to it that the next news make the copy of a feed what is shared: brings one that is not
  /// here, and where no news can, since the ledger has lost some, begins another epoch.
  private func meet(_ ground: Ground, by feed: FeedID) throws(StoreError) {
    if try copy.state(of: feed.name) == nil {
      _ = try timeline(of: feed)
    } else if ground.number <= (try copy.copied(of: feed.source).number) {
      try begin()
    }
  }

  /// Whether an epoch is that of the copy.
  private func isOfHere(_ epoch: String) -> Bool {
    SequenceNumber(epoch: copy.epoch, number: 0).epoch == epoch
  }

  package func settle(
    _ call: SharedCall, settling: (budget: Budget, isWritten: Bool), pause: CallPause?,
    changing change: (inout Budget) -> Void
  ) throws(StoreError) -> Budget? {
    let token = state.withLock { state -> Token? in
      if let feed = call.feed { state.calls[feed.name] = nil }
      return state.tokens.removeValue(forKey: call)
    }
    guard let token else { return nil }
    for _ in 0..<SharedStore.comparisonsMax {
      let ground = try ledger.ground(of: call, for: identity)
      var budget = ground.budget ?? settling.budget
      budget.assumed = settling.budget.assumed
      change(&budget)
      let isSettled = try ledger.settle(
        call, token: token, knowing: ground, leaving: budget, pause: pause, for: identity)
      if isSettled { return budget }
    }
    throw .unreachable(message: "the others are faster each time")
  }

  package func news(of source: String) throws(StoreError) -> StoreNews? {
    let (number, states) = try copy.copied(of: source)
    let epoch = copy.epoch
    guard let news = try ledger.news(of: source, after: number, having: states) else {
      return nil
    }
    guard SequenceNumber(epoch: epoch, number: 0).epoch == news.epoch else {
      // Another history: what is here of this one goes.
      try adopt(news.epoch)
      return nil
    }
    guard !news.isBehind(number, states) else {
      try begin()
      return nil
    }
    return news
  }

  package func take(_ news: StoreNews) throws(StoreError) {
    guard isOfHere(news.epoch) else { throw .replaced }
    try copy.take(news)
  }

  package func bring(_ ids: [Identity], realm: String) throws(StoreError) -> Bool {
    let (items, contents) = try ledger.items(ids, realm: realm)
    try copy.take(items, contents: contents)
    return !items.isEmpty
  }
}

extension StoreNews {
  /// Whether whoever has these states knows more than they were told from: then something was lost.
  fileprivate func isBehind(_ number: Int64, _ states: [String: SharedState]) -> Bool {
    if self.number < number { return true }
    return feeds.contains { feed in
      guard case .rows(let rows) = feed, let here = states[rows.feed.name] else { return false }
      return rows.feed.version < here.version
        || rows.feed.version == here.version && rows.feed.stamp != here.stamp
    }
  }
}

extension CallGround {
  /// What decides of a call is of what the ledger has.
  fileprivate init(_ ground: Ground) {
    self.init(
      budget: ground.budget, othersInFlight: ground.othersInFlight, pause: ground.pause)
  }
}
