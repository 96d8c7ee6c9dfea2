import HTTP
import Synchronization

/// The place of one loop's gateway, used by the loop's thread only.
///
/// Another configuration brings another gateway. The former one ends its requests in progress
/// itself, with the service it began with and into its own cache, which goes with it: so nothing
/// made by one configuration is ever sent under another.
final class GatewaySlot: Handler {
  @exclusivity(unchecked) private var gateway: Gateway

  /// A slot with its first gateway.
  init(_ service: Service) {
    gateway = Gateway(service)
  }

  /// Answers by another service from now on.
  func adopt(_ service: Service) {
    guard service !== gateway.service else { return }
    gateway = Gateway(service, after: gateway)
  }

  func handle(_ request: Request, _ responder: consuming Responder) {
    gateway.handle(request, responder)
  }

  func beginTurn() {
    gateway.beginTurn()
  }

  func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply? {
    gateway.readyAnswer(to: head, &own)
  }

  func readyAnswer(
    repeating head: UnsafeRawBufferPointer, _ own: inout PerReplyFields
  ) -> CachedReply? {
    gateway.readyAnswer(repeating: head, &own)
  }
}

/// The gateways of all loops, and the service that they use.
final class Gateways: Sendable {
  private struct Seat: Sendable {
    let loop: Loop
    // Safe because only the loop's thread, which runs the work given to the loop, uses it.
    nonisolated(unsafe) let slot: GatewaySlot

    func adopt(_ service: Service, _ awaited: Awaited) {
      loop.run {
        slot.adopt(service)
        withExtendedLifetime(awaited) {}
      }
    }
  }

  /// Resumes the waiter when every loop has switched or ended.
  private final class Awaited: Sendable {
    private let waiter: CheckedContinuation<Void, Never>

    init(_ waiter: CheckedContinuation<Void, Never>) {
      self.waiter = waiter
    }

    deinit {
      waiter.resume()
    }
  }

  private struct State {
    var service: Service
    var seats: [Seat] = []
  }

  private let state: Mutex<State>

  /// No gateway yet.
  init(_ service: Service) {
    state = Mutex(State(service: service))
  }

  /// The service that requests are answered by from now on.
  var service: Service { state.withLock { $0.service } }

  /// Makes a loop's gateway, on the loop's thread.
  func make(for loop: Loop) -> GatewaySlot {
    let slot = GatewaySlot(service)
    let seat = Seat(loop: loop, slot: slot)
    // It may have been changed since; who changes it now finds the seat.
    let service = state.withLock { state in
      state.seats.append(seat)
      return state.service
    }
    slot.adopt(service)
    return slot
  }

  /// Has every loop answer by another service; returns when all do.
  func adopt(_ service: Service) async {
    let seats = state.withLock { state in
      state.service = service
      return state.seats
    }
    await withCheckedContinuation { waiter in
      let awaited = Awaited(waiter)
      for seat in seats { seat.adopt(service, awaited) }
    }
  }

  /// Lets go of the gateways, whose loops have ended.
  func close() {
    state.withLock { $0.seats = [] }
  }
}
