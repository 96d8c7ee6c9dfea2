package import Feed
import Synchronization

/// A clock that stands until it is moved.
package final class HandClock: TimeSource {
  private let instant: Mutex<Timestamp>

  /// A clock that stands at an instant.
  package init(at instant: Timestamp) {
    self.instant = Mutex(instant)
  }

  package var now: Timestamp { instant.withLock { $0 } }

  /// Moves it on.
  package func advance(_ duration: Duration) {
    instant.withLock { $0 = $0 + duration }
  }

  package func reach(_ instant: Timestamp) {
    self.instant.withLock { $0 = max($0, instant) }
  }

  /// Sleeps for ever: who waits on this clock is woken by what it waits for, or cancelled.
  package func sleep(until deadline: Timestamp) async {
    try? await Task.sleep(for: .seconds(86_400))
  }
}
