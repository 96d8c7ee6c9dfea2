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
  }

  private let state = Mutex(State())

  /// Counts nothing yet.
  package init() {}

  /// Counts an incident if it is a call that ended, or one that brought faulty elements.
  package func note(_ incident: Incident) {
    switch incident {
    case .called(_, let window, let purpose, _, let failure):
      let kind = Kind(purpose: purpose, outcome: failure?.word ?? "ok")
      state.withLock { state in
        state.counts[kind, default: 0] += 1
        if window != nil { state.failure = failure == .unchanged ? nil : failure }
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
}
