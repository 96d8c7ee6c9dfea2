package import Feed
import Synchronization

/// A call of this server that was claimed.
struct CallUnderway {
  /// The right to make it; nil once it has ended.
  var token: Token?
  /// What its answer changes.
  var answer: CallAnswer?
  /// What is left of the budget that all share, where it has ended.
  var left: Budget?
  /// Whether it may have ended without an acknowledgement.
  var isUncertain = false

  init(token: Token) {
    self.token = token
  }
}

/// What is known of a source, as far as no other server has moved it since: a call ends by that
/// without asking first, and the ledger refuses it where the source has moved.
struct KnownSource {
  private(set) var revision: Int64 = -1
  /// Up to which revision all budgets were taken over here.
  private(set) var adopted: Int64 = 0
  private(set) var latest: UpstreamDate?
  /// Whether no call was in progress elsewhere then, and nothing was left alone.
  private var isQuiet = false
  /// The last number that was heard of.
  private(set) var number: Int64 = 0
  /// The budgets, by the name of their limit.
  private var budgets: [String?: Budget] = [:]

  /// The budget of a limit; nil where it is not known.
  func budget(of limit: String?) -> Budget? { budgets[limit] }

  /// Nothing is known.
  init() {}

  /// As it was read.
  init(_ ground: Ground, of limit: String?) { note(ground, of: limit) }

  /// The ground of a call, where no other server seems to have moved anything: its claim shows
  /// that. `state` is that of its feed in a copy that has every change.
  func ground(of limit: String?, _ state: SharedState?, in epoch: String) -> Ground? {
    guard isQuiet, adopted == revision, let budget = budgets[limit] else { return nil }
    return Ground(
      epoch: epoch, revision: revision, number: number, budget: budget, othersInFlight: 0,
      state: state, heldUntil: nil, pause: nil, latest: latest)
  }

  /// Takes over what was read.
  mutating func note(_ ground: Ground, of limit: String?) {
    if revision != ground.revision { budgets = [:] }
    (revision, latest, isQuiet) = (ground.revision, ground.latest, ground.isQuiet)
    budgets[limit] = ground.budget
    hear(ground.number)
  }

  /// Takes over what was done here by what was known at `revision`.
  mutating func move(from revision: Int64, leaving budget: Budget, of limit: String?) {
    guard self.revision == revision else { return }
    moveOn()
    budgets[limit] = budget
  }

  mutating func move(to end: SharedEnd, of limit: String?) {
    guard revision == end.revision else { return }
    move(from: end.revision, leaving: end.budget, of: limit)
    latest = end.latest
  }

  /// Takes over what was written here, if nothing came between.
  mutating func move(to move: SharedMove) {
    hear(move.number)
    if move.revision == revision + 1 { moveOn() }
  }

  /// Notes a number that was read. Two may arrive in another order than they were read in.
  mutating func hear(_ number: Int64) { self.number = max(self.number, number) }

  /// Notes that all budgets of this revision were taken over.
  mutating func adopt(_ revision: Int64) { adopted = revision }

  private mutating func moveOn() {
    if adopted == revision { adopted += 1 }
    revision += 1
  }
}

/// The end of a call, which is one transaction with what its answer brought where it brought some.
extension SharedStore {
  /// How often a call is ended with what it brought, before the two are written apart.
  private static let endsMax = 2

  /// See ``StoreSharing/note(_:to:)``.
  package func note(_ answer: CallAnswer, to call: SharedCall) {
    state.withLock { state in
      guard state.underway[call] != nil else { return }
      state.underway[call]?.answer = answer
      state.landing[call.source] = call
    }
  }

  /// Writes what is in no feed, and ends the call in the same transaction that brought it: the one
  /// of the source whose answer was noted last. `write` returns nil where the revision is another.
  func write(
    _ operation: String, of source: String,
    _ write: (CallEnding?) throws(StoreError) -> SharedMove?
  ) throws(StoreError) -> SharedMove {
    let (call, underway) = state.withLock { state in
      let call = state.landing[source]
      return (call, call.flatMap { state.underway[$0] })
    }
    if let call, let token = underway?.token, let answer = underway?.answer,
      let move = try end(
        call, token, after: answer,
        { (end) throws(StoreError) in
          try self.call(operation) { () throws(StoreError) in
            try write(CallEnding(call, token: token, leaving: end))
          }
        })
    {
      return move
    }
    let move = try self.call(operation) { () throws(StoreError) in try write(nil) }
    guard let move else { throw SharedStore.uncompared }
    state.withLock { $0.known[source]?.move(to: move) }
    return move
  }

  /// Writes what an answer changed of a feed, and ends its call where `isEnd`.
  func write(
    _ rows: SharedRows, over base: SharedState?, isEnd: Bool
  ) throws(StoreError) -> SharedMove {
    let (call, underway) = state.withLock { state in
      let call = state.calls[rows.feed.name]
      return (call, call.flatMap { state.underway[$0] })
    }
    let right = call.flatMap { call in underway?.token.map { (call: call, token: $0) } }
    let commit = { (end: SharedEnd?) throws(StoreError) -> SharedMove? in
      try self.call("commit") { () throws(StoreError) in
        try self.ledger.write(rows, over: base, of: right, leaving: end, for: self.identity)
      }
    }
    if isEnd, let right, let answer = underway?.answer,
      let move = try end(
        right.call, right.token, after: answer, commit,
        orHadEnded: { (ground) throws(StoreError) in
          // The state's stamp is random: where the feed has it, these rows were written.
          guard ground.state == rows.feed.state else { throw .overtaken }
        })
    {
      return move
    }
    guard let move = try commit(nil) else { throw SharedStore.uncompared }
    state.withLock { $0.known[rows.feed.source]?.move(to: move) }
    return move
  }

  /// Ends a call with what it brought, in the transaction that `write` makes; nil where others have
  /// moved the source each time, so that the two are to be written apart. Where the call had ended
  /// already, `orHadEnded` throws if that brought something else.
  private func end(
    _ call: SharedCall, _ token: Token, after answer: CallAnswer,
    _ write: (SharedEnd) throws(StoreError) -> SharedMove?,
    orHadEnded: (Ground) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> SharedMove? {
    for attempt in 0..<SharedStore.endsMax {
      switch try next(of: call, token, after: answer, isKnown: attempt == 0) {
      case .ended(let ground, _):
        try orHadEnded(ground)
        return SharedMove(ground)
      case .end(let end):
        let move = try ending(call) { () throws(StoreError) in try write(end) }
        if let move {
          state.withLock { $0.note(move, ending: call, leaving: end) }
          return move
        }
        count("conflicts")
      }
    }
    return nil
  }

  /// What is thrown where a write that compares nothing finds another revision.
  private static let uncompared = StoreError.unreachable(
    message: "nothing was compared and something was another")

  /// See ``StoreSharing/settle(_:settling:pausing:)``. Nothing is to be done where the call has
  /// ended with what its answer brought.
  package func settle(
    _ call: SharedCall, settling: (budget: Budget, isWritten: Bool), pausing pause: CallPause?
  ) throws(StoreError) -> Budget? {
    let underway = state.withLock { state -> CallUnderway? in
      if let feed = call.feed { state.calls[feed.name] = nil }
      if state.landing[call.source] == call { state.landing[call.source] = nil }
      return state.underway.removeValue(forKey: call)
    }
    guard let token = underway?.token else { return underway?.left }
    let isUncertain = underway?.isUncertain ?? false
    let answer = underway?.answer ?? CallAnswer(budget: settling.budget, moved: nil) { _ in }
    for attempt in 0..<SharedStore.comparisonsMax {
      let isKnown = attempt == 0 && !isUncertain
      let end: SharedEnd
      switch try next(of: call, token, after: answer, pausing: pause, isKnown: isKnown) {
      case .end(let next): end = next
      case .ended(_, let left): return left
      }
      let isSettled = try self.call("settle") { () throws(StoreError) in
        try ledger.settle(call, token: token, leaving: end, for: identity)
      }
      if isSettled {
        state.withLock { $0.known[call.source]?.move(to: end, of: call.budget) }
        return end.budget
      }
      count("conflicts")
    }
    throw SharedStore.outrun
  }

  /// How a call goes on after its answer.
  private enum NextEnd {
    /// It ends, and this is kept of it.
    case end(SharedEnd)
    /// It has ended already, and the acknowledgement was lost; with what is left of its budget.
    case ended(Ground, Budget)
  }

  /// Does what ends a call. Where the ledger cannot be reached, whether it has ended is not known.
  private func ending<Value>(
    _ call: SharedCall, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      if case .unreachable = error { state.withLock { $0.underway[call]?.isUncertain = true } }
      throw error
    }
  }

  /// How a call goes on, by what is known where `isKnown`, else by what the ledger says now.
  private func next(
    of call: SharedCall, _ token: Token, after answer: CallAnswer, pausing pause: CallPause? = nil,
    isKnown: Bool
  ) throws(StoreError) -> NextEnd {
    var present = state.withLock { $0.known[call.source] } ?? KnownSource()
    if !isKnown || present.budget(of: call.budget) == nil {
      let ground = try ground(of: call)
      guard ground.ended != token else {
        var budget = ground.budget ?? answer.budget
        budget.assumed = answer.budget.assumed
        state.withLock { [budget] state in
          state.underway[call]?.token = nil
          state.underway[call]?.left = budget
        }
        return .ended(ground, budget)
      }
      present = KnownSource(ground, of: call.budget)
    }
    var budget = present.budget(of: call.budget) ?? answer.budget
    budget.assumed = answer.budget.assumed
    answer.change(&budget)
    return .end(
      SharedEnd(
        knowing: present.revision, budget: budget, pause: pause,
        latest: answer.moved.map { $0.to.told(over: present.latest, movedFrom: $0.from) }
          ?? present.latest))
  }
}

extension SharedMove {
  /// What a source had come to when it was asked.
  fileprivate init(_ ground: Ground) {
    self.init(revision: ground.revision, number: ground.number)
  }
}

extension SharedStore.State {
  /// Notes that a call has ended with what its answer brought.
  fileprivate mutating func note(
    _ move: SharedMove, ending call: SharedCall, leaving end: SharedEnd
  ) {
    known[call.source]?.move(to: end, of: call.budget)
    known[call.source]?.hear(move.number)
    underway[call]?.token = nil
    underway[call]?.left = end.budget
    if let feed = call.feed { calls[feed.name] = nil }
  }
}
