import HTTP
import Synchronization

/// An API on loopback that counts its calls.
final class CountedUpstream: Sendable {
  let port: Int
  private let server: Server
  private let counted: Counted

  private final class Counted: Sendable {
    let times = Mutex<[ContinuousClock.Instant]>([])

    /// Counts a call. Returns its number, from 1 on.
    func add() -> Int {
      times.withLock { times in
        times.append(.now)
        return times.count
      }
    }
  }

  /// When it was called.
  var times: [ContinuousClock.Instant] { counted.times.withLock(\.self) }

  /// How often it was called.
  var calls: Int { counted.times.withLock(\.count) }

  /// An API that answers so, by the number of the call.
  init(_ answer: @escaping @Sendable (Request, _ call: Int) -> Response) throws {
    let counted = Counted()
    self.counted = counted
    server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
      request, responder in
      responder.send(answer(request, counted.add()))
    }
    port = try server.start().port
  }

  func stop() async { await server.stop(drain: .zero) }
}
