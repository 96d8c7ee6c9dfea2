import Synchronization

/// Counts how often it was called.
final class Heard: Sendable {
  private let calls = Mutex(0)
  var count: Int { calls.withLock { $0 } }
  func note() { calls.withLock { $0 += 1 } }
}
