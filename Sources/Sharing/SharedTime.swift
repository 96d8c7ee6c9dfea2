import Feed
import Synchronization

/// A server's clock, set by the clock of the shared store, so that ages and the order of answers
/// are the same on every server.
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

  /// Does nothing: the shared clock is asked instead.
  func reach(_ instant: Timestamp) {}

  func sleep(until deadline: Timestamp) async {
    let ahead = state.withLock { $0.offset.ahead }
    await base.sleep(until: deadline - ahead)
  }

  /// Takes a reading of the shared clock, made between two instants of this server's clock.
  func note(_ shared: Timestamp, between sentAt: Timestamp, and receivedAt: Timestamp) {
    let middle = sentAt + (receivedAt - sentAt) / 2
    state.withLock { $0.offset.note(shared - middle) }
  }
}
