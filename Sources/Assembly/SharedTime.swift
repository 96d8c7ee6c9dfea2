import Feed
import Synchronization

/// A server's clock, set by the clock of what several servers share: so ages and the order of
/// answers are the same at each of them.
final class SharedTime: TimeSource {
  /// The server's own.
  let base: any TimeSource
  private let state = Mutex(State())

  private struct State {
    /// How far the shared clock is ahead, with half the time that it took to find out.
    var measured: [(ahead: Duration, error: Duration)] = []
    var ahead = Duration.zero
    var last = Timestamp(milliseconds: 0)
  }

  /// How many measurements the best is taken of.
  private static let measuredMax = 10

  /// A clock that is not set yet.
  init(_ base: any TimeSource) {
    self.base = base
  }

  /// The present instant; it never falls.
  var now: Timestamp {
    let own = base.now
    return state.withLock { state in
      state.last = max(state.last, own + state.ahead)
      return state.last
    }
  }

  func reach(_ instant: Timestamp) { base.reach(instant) }

  func sleep(until deadline: Timestamp) async {
    let ahead = state.withLock { $0.ahead }
    await base.sleep(until: deadline - ahead)
  }

  /// Notes what the shared clock said between two instants of the server's own.
  func note(_ shared: Timestamp, between sentAt: Timestamp, and receivedAt: Timestamp) {
    let error = (receivedAt - sentAt) / 2
    state.withLock { state in
      state.measured.append((shared - (sentAt + error), error))
      if state.measured.count > SharedTime.measuredMax { state.measured.removeFirst() }
      state.ahead = state.measured.min { $0.error < $1.error }?.ahead ?? .zero
    }
  }
}
