import Feed
import Synchronization

/// A server's clock, set by the clock of what several servers share: so ages and the order of
/// answers are the same at each of them.
final class SharedTime: TimeSource {
  /// The server's own.
  let base: any TimeSource
  private let state = Mutex(State())

  private struct State {
    var offset = SharedOffset()
    var last = Timestamp(milliseconds: 0)
  }

  /// How far the clock may be ahead of what it shows next: where it is further, it goes back.
  static let fallMin = Duration.seconds(60)

  /// A clock that is not set yet.
  init(_ base: any TimeSource) {
    self.base = base
  }

  /// The present instant. It never falls, unless it was more than a minute ahead.
  var now: Timestamp {
    let own = base.now
    return state.withLock { state in
      let shown = own + state.offset.ahead
      if shown > state.last || state.last - shown > SharedTime.fallMin { state.last = shown }
      return state.last
    }
  }

  /// Does nothing: whatever an earlier process noted was by the shared clock, which is asked.
  func reach(_ instant: Timestamp) {}

  func sleep(until deadline: Timestamp) async {
    let ahead = state.withLock { $0.offset.ahead }
    await base.sleep(until: deadline - ahead)
  }

  /// Notes what the shared clock said between two instants of the server's own.
  func note(_ shared: Timestamp, between sentAt: Timestamp, and receivedAt: Timestamp) {
    let middle = sentAt + (receivedAt - sentAt) / 2
    state.withLock { $0.offset.note(shared - middle) }
  }
}
