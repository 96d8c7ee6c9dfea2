import Dispatch
import Glibc
package import HTTP
import Synchronization

/// A Qiita that drifts and fails, on a real port: for `serve --demo`, for `tsugi simulate`, and for
/// every end-to-end test.
///
/// This target holds the whole of it: `World` (what there is and how it changes), `Qiita` (a call
/// in, an answer out) and this server around them. The first two are pure, so a test without
/// sockets uses `Qiita` alone. What is elsewhere: HTTP itself (`HTTP`), splitting JSON
/// (`JSONBytes`), and everything of the proxy, of which nothing is known here. Read next: `Qiita`.
///
///     let qiita = SimulatedQiita(Qiita(World(WorldOptions(itemCount: 300, bodyBytes: 200))))
///     let port = try qiita.start()   // http://127.0.0.1:<port>/api/v2/items
///     …
///     qiita.script([.fault(.reset), .ordinary])
///     …
///     await qiita.stop()
package final class SimulatedQiita: Sendable {
  private let qiita: Mutex<Qiita>
  private let running = Mutex<(server: Server, port: Int)?>(nil)
  private let clock: @Sendable () -> Int64
  private let delays = DispatchQueue(label: "tsugi.simulator.delays")

  /// A server that is not started yet. `clock` gives the present second since 1970; the system's
  /// time unless a test moves its own.
  package init(
    _ qiita: Qiita, clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) {
    self.qiita = Mutex(qiita)
    self.clock = clock
  }

  /// Listens on a port, a free one for 0, and gives its number.
  ///
  /// - Throws: `ServerError` when the address cannot be had.
  @discardableResult
  package func start(host: String = "127.0.0.1", port: Int = 0) throws(ServerError) -> Int {
    var limits = Limits()
    // Its one client may take several responses of 15 MB together.
    limits.heldBytes = 1 << 30
    let server = Server(ServerOptions(address: Address(host: host, port: port), limits: limits)) {
      [self] request, responder in handle(request, responder)
    }
    let address = try server.start()
    running.withLock { $0 = (server, address.port) }
    return address.port
  }

  /// Stops listening and cuts what is in progress; nothing happens when it was not started.
  package func stop() async {
    let server = running.withLock { running in
      defer { running = nil }
      return running?.server
    }
    await server?.stop(drain: .zero)
  }

  /// The port it listens on; nil while it does not.
  package var port: Int? {
    running.withLock { $0?.port }
  }

  /// How many calls were answered.
  package var callCount: Int {
    qiita.withLock { $0.callCount }
  }

  /// The calls that were answered, in order; see `Qiita.calls`.
  package var calls: [AnsweredCall] {
    qiita.withLock { $0.calls }
  }

  /// Lays down what happens at the next calls; see `Qiita.script`.
  package func script(_ next: [Qiita.Scripted]) {
    qiita.withLock { $0.script(next) }
  }

  /// Looks at or changes what it holds, between two answers. `body` must not call back.
  package func withQiita<Result: Sendable>(_ body: (inout Qiita) throws -> Result) rethrows
    -> Result
  {
    try qiita.withLock { try body(&$0) }
  }

  /// The response to a call from within the process, whole and immediate.
  package func answer(_ call: Call) -> Response {
    qiita.withLock { $0.answer(call, nowSeconds: clock()) }.response
  }

  private func handle(_ request: Request, _ responder: consuming Responder) {
    let answer =
      switch request.method {
      case .get, .head:
        qiita.withLock { $0.answer(Call(request), nowSeconds: clock()) }
      default: Answer.notFound
      }
    guard answer.delayMilliseconds > 0 else {
      answer.send(through: responder)
      return
    }
    let held = HeldResponder(responder)
    delays.asyncAfter(deadline: .now() + .milliseconds(answer.delayMilliseconds)) {
      held.send(answer)
    }
  }
}

/// Keeps a responder for as long as its answer is held back.
private final class HeldResponder: Sendable {
  private let responder: Mutex<Responder?>

  init(_ responder: consuming Responder) {
    self.responder = Mutex(responder)
  }

  func send(_ answer: Answer) {
    responder.withLock { responder in
      guard let responder = responder.take() else { return }
      answer.send(through: responder)
    }
  }
}

extension Call {
  /// What a request asks for.
  init(_ request: Request) {
    self.init(
      request.query.map { "\(request.path)?\($0)" } ?? request.path,
      token: request.fields["authorization"].flatMap { value in
        value.lowercased().hasPrefix("bearer ") ? String(value.dropFirst(7)) : nil
      },
      ifNoneMatch: request.fields["if-none-match"],
      origin: "http://\(request.authority)")
  }
}

extension Answer {
  /// Sends the answer in its own way.
  func send(through responder: consuming Responder) {
    switch delivery {
    case .whole: responder.send(response)
    case .cut(let bodyBytes): responder.sendRaw(raw(bodyBytes), then: .close)
    case .stall(let bodyBytes): responder.sendRaw(raw(bodyBytes), then: .keepOpen)
    case .reset: responder.sendRaw([], then: .reset)
    case .hang: responder.sendRaw([], then: .keepOpen)
    }
  }

  /// It whole, however it is to be sent.
  var response: Response {
    var fields = Fields()
    for field in self.fields { fields.append(named: field.name, field.value) }
    return Response(status: Status(status), fields: fields, body: body)
  }

  /// A head that promises the whole body, and the first bytes of it.
  private func raw(_ bodyBytes: Int) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Status(status).reason)\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    head += "content-length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body.prefix(bodyBytes)
  }
}
