import Feed
import Freshness
import Synchronization

/// The result of a call, for the requests that waited for it.
enum RawLanding: Sendable {
  /// This answer is stored. `status` is the upstream's, 304 if it validated the answer; nil if no
  /// call was necessary.
  case kept(RawAnswer, status: Int?)
  /// This answer is not stored: it is only for the first request.
  case own(RawAnswer)
  /// The call failed.
  case failed(ReadError)
}

/// A call that several requests share.
final class RawFlight: Sendable {
  private struct State {
    var landing: RawLanding?
    var waiters: [UInt64: CheckedContinuation<RawLanding?, Never>] = [:]
    var lastTicket: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Ends the call: every waiting request gets the result.
  func land(_ landing: RawLanding) {
    let waiters = state.withLock { state in
      state.landing = landing
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter.resume(returning: landing) }
  }

  /// Waits for the result; nil at the deadline.
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
        // The alarm may have run before this continuation was registered.
        if time.now >= deadline { return (nil, true) }
        state.waiters[ticket] = waiter
        return (nil, false)
      }
      if landing != nil || isLate { waiter.resume(returning: landing) }
    }
  }
}
