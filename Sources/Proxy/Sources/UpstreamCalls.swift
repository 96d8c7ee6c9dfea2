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
    var failure: FetchError?
    var failedAt: Timestamp?
    /// The last calls, the newest at the end.
    var recent: [Numbered] = []
    /// Of the last call; 0 before the first.
    var number = 0
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
        state.recent.append(Numbered(number: state.number + 1, call: call))
        state.number += 1
        if state.recent.count > UpstreamCalls.recentMax { state.recent.removeFirst() }
        guard call.window != nil else { return }
        state.failure = call.failure == .unchanged ? nil : call.failure
        state.failedAt = state.failure == nil ? nil : call.receivedAt
      }
    case .faultyElements(_, _, let fault, let count, _):
      state.withLock { $0.faults[fault, default: 0] += count }
    case .doubtful(_, _, let sign, let isFirst):
      if isFirst { state.withLock { $0.signs[sign, default: 0] += 1 } }
    case .reordered:
      state.withLock { $0.signs[.unordered, default: 0] += 1 }
    case .notStored, .storeReplaced: break
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
  var failure: FetchError? { state.withLock { $0.failure } }

  /// When that was; nil where the last call brought something.
  var failedAt: Timestamp? { state.withLock { $0.failedAt } }

  /// The remembered calls after a number, the oldest first, `limit` at most.
  func recent(after number: Int, limit: Int) -> [Numbered] {
    state.withLock { state in
      Array(state.recent.drop { $0.number <= number }.prefix(limit))
    }
  }
}
