package import Feed
import Synchronization

/// Counts a source's upstream calls by what they were for and how they ended.
package final class UpstreamCalls: Sendable {
  /// Calls of one kind.
  struct Kind: Hashable {
    var purpose: Purpose
    /// The failure's word, or `ok`.
    var outcome: String
  }

  private struct State {
    var counts: [Kind: Int] = [:]
    var faults: [ElementFault: Int] = [:]
    var signs: [RecipeSign: Int] = [:]
    var failure: (error: FetchError, endedAt: Timestamp)?
    /// The last calls, the newest at the end.
    var recent: [Numbered] = []
  }

  /// A call and its number, from 1 on since the start.
  struct Numbered {
    var number: Int
    var call: EndedCall
  }

  /// Calls that are remembered.
  static let recentMax = 500

  private let state = Mutex(State())

  /// Counts nothing yet.
  package init() {}

  /// Counts an incident if it is a call that ended, or one that brought faulty elements.
  package func note(_ incident: Incident) {
    switch incident {
    case .called(let call):
      let kind = Kind(purpose: call.purpose, outcome: call.failure?.word ?? "ok")
      state.withLock { state in
        state.counts[kind, default: 0] += 1
        let last = state.recent.last?.number ?? 0
        state.recent.append(Numbered(number: last + 1, call: call))
        if state.recent.count > UpstreamCalls.recentMax { state.recent.removeFirst() }
        guard call.window != nil else { return }
        let failure = call.failure == .unchanged ? nil : call.failure
        state.failure = failure.map { ($0, call.receivedAt) }
      }
    case .faultyElements(_, _, let fault, let count, _):
      state.withLock { $0.faults[fault, default: 0] += count }
    case .doubtful(_, _, let sign, let isFirst):
      if isFirst { state.withLock { $0.signs[sign, default: 0] += 1 } }
    case .reordered:
      state.withLock { $0.signs[.unordered, default: 0] += 1 }
    case .reconfigured, .rateAssumed, .notStored, .storeReplaced: break
    }
  }

  /// What was counted so far.
  var all: [Kind: Int] { state.withLock { $0.counts } }

  /// The faulty elements so far.
  var faults: [ElementFault: Int] { state.withLock { $0.faults } }

  /// How many feeds showed each sign so far.
  var signs: [RecipeSign: Int] { state.withLock { $0.signs } }

  /// Why the last call for a feed brought nothing; nil when it brought something, or nothing had
  /// changed.
  var failure: FetchError? { lastFailure?.error }

  /// The same, and when that call ended.
  var lastFailure: (error: FetchError, endedAt: Timestamp)? { state.withLock { $0.failure } }

  /// The remembered calls after a number, the oldest first, `limit` at most.
  func recent(after number: Int, limit: Int) -> [Numbered] {
    state.withLock { state in
      Array(state.recent.drop { $0.number <= number }.prefix(limit))
    }
  }
}
