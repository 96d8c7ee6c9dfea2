import Feed

@testable import Proxy

/// A clock that goes faster than the machine's, so that a test does not wait for the pauses of the
/// server that it reads.
struct QuickClock: TimeSource {
  /// How many of its seconds are one of the machine's.
  static let pace = 6

  // One for the process, so that servers and upstreams have the same.
  private static let start = SystemTime().now
  private static let began = ContinuousClock.now

  var now: Timestamp {
    QuickClock.start + (ContinuousClock.now - QuickClock.began) * QuickClock.pace
  }

  func sleep(until deadline: Timestamp) async {
    // Being cancelled is a way to wake up early, which is what the port says.
    try? await sleep(for: deadline - now)
  }

  /// Returns once this time has gone by on it. Throws where the task is cancelled.
  func sleep(for time: Duration) async throws {
    try await Task.sleep(for: time / QuickClock.pace)
  }
}
