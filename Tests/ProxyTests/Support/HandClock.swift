import Feed
import Proxy
import Synchronization

/// A clock that begins at the present and stands until it is moved.
final class HandClock: TimeSource {
  private let instant: Mutex<Timestamp>

  init() {
    instant = Mutex(SystemTime().now)
  }

  var now: Timestamp { instant.withLock { $0 } }

  /// Moves it on.
  func advance(_ duration: Duration) {
    instant.withLock { $0 = $0 + duration }
  }

  /// Sleeps for ever: who waits on this clock is woken by what it waits for, or cancelled.
  func sleep(until deadline: Timestamp) async {
    try? await Task.sleep(for: .seconds(86_400))
  }
}
