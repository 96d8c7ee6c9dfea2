import Feed
import Freshness
import Synchronization

/// What a call came to, for those who waited for it.
enum RawLanding: Sendable {
  /// This is kept now. `status` is what the upstream answered, 304 where that validated it; nil
  /// where it was kept before the upstream had to be asked.
  case kept(RawAnswer, status: Int?)
  /// This is not kept: it is for who asked first, alone.
  case own(RawAnswer)
  /// None came.
  case failed(ReadError)
}

/// A call that several requests wait for.
final class RawFlight: Sendable {
  private struct State {
    var landing: RawLanding?
    var waiters: [UInt64: CheckedContinuation<RawLanding?, Never>] = [:]
    var lastTicket: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Tells all who wait.
  func land(_ landing: RawLanding) {
    let waiters = state.withLock { state in
      state.landing = landing
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume(returning: landing) }
  }

  /// Waits for it to land; nil when that takes longer.
  func wait(until deadline: Timestamp, _ time: any TimeSource) async -> RawLanding? {
    let ticket = state.withLock { state in
      state.lastTicket += 1
      return state.lastTicket
    }
    let alarm = Task {
      await time.sleep(until: deadline)
      let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
      waiter?.resume(returning: nil)
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiter in
      let (landing, isLate) = state.withLock { state -> (RawLanding?, Bool) in
        if let landing = state.landing { return (landing, false) }
        // The alarm may have rung before there was anybody to wake.
        if time.now >= deadline { return (nil, true) }
        state.waiters[ticket] = waiter
        return (nil, false)
      }
      if landing != nil || isLate { waiter.resume(returning: landing) }
    }
  }
}
