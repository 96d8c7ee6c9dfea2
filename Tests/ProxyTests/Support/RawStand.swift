import Assembly
import Feed
import HTTP
import History
import Settings
import Support
import Synchronization

@testable import Proxy

/// An upstream on loopback that answers with bytes as a test says, and keeps what it was asked.
final class RawUpstream: Sendable {
  /// A call.
  struct Call: Sendable {
    var method: String
    var target: String
    var fields: [(name: String, value: String)]

    subscript(_ name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// What a call is answered with: bytes, and a way to wait before them.
  struct Script: Sendable {
    var bytes: [UInt8]
    var ending = RawEnding.close

    /// A whole answer.
    static func answer(
      _ status: Int = 200, _ lines: [String] = [], _ body: String = ""
    ) -> Script {
      Script(
        bytes: Array(
          (["HTTP/1.1 \(status) Reason", "Content-Length: \(body.utf8.count)"] + lines)
            .joined(separator: "\r\n").utf8) + Array("\r\n\r\n\(body)".utf8))
    }

    /// These bytes, and the end of the connection.
    static func text(_ text: String) -> Script { Script(bytes: Array(text.utf8)) }

    /// The bytes with a word in the final head that the connection ends: a call sent over it while
    /// it ends would be lost.
    var closing: [UInt8] {
      let head = Array("HTTP/1.1 ".utf8)
      guard ending == .close,
        let start = bytes.indices.last(where: { bytes[$0...].starts(with: head) }),
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
      else { return bytes }
      return Array(bytes[...end]) + Array("Connection: close\r\n".utf8) + Array(bytes[(end + 1)...])
    }
  }

  private struct State {
    var calls: [Call] = []
    var rule: @Sendable (Call) -> Script
    var server: Server?
    var held: [(HeldResponder, Script)]?
  }
  private let state: Mutex<State>
  let port: Int

  init(_ rule: @escaping @Sendable (Call) -> Script) async throws {
    state = Mutex(State(rule: rule))
    let kept = Mutex<RawUpstream?>(nil)
    let server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
      request, responder in
      kept.withLock { $0 }?.answer(request, responder.hold())
    }
    port = try server.start().port
    kept.withLock { $0 = self }
    state.withLock { $0.server = server }
  }

  private func answer(_ request: Request, _ responder: HeldResponder) {
    let target = request.path + (request.query.map { "?\($0)" } ?? "")
    let call = Call(
      method: request.method.rawValue, target: target,
      fields: request.fields.map { ($0.name, $0.value) })
    let rule = state.withLock { state in
      state.calls.append(call)
      return state.rule
    }
    let script = rule(call)
    let isHeld = state.withLock { state in
      guard state.held != nil else { return false }
      state.held?.append((responder, script))
      return true
    }
    if !isHeld { responder.take()?.sendRaw(script.closing, then: script.ending) }
  }

  /// From now on answers so.
  func set(_ rule: @escaping @Sendable (Call) -> Script) {
    state.withLock { $0.rule = rule }
  }

  /// From now on answers nothing until ``release()``.
  func hold() { state.withLock { $0.held = [] } }

  /// Answers what was held, and answers at once again.
  func release() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    for (responder, script) in held {
      responder.take()?.sendRaw(script.closing, then: script.ending)
    }
  }

  /// The calls so far.
  var calls: [Call] { state.withLock(\.calls) }

  /// Stops listening: it is unreachable then.
  func stop() async {
    await state.withLock(\.server)?.stop(drain: .zero)
  }
}

/// The whole server in process over one source, `s`, with a raw route to an upstream of a test.
final class RawStand: Sendable {
  let client: Client
  let upstream: RawUpstream
  let clock: HandClock
  let node: Node
  private let directory: TemporaryDirectory

  /// What shows everything, as openly as can be configured.
  static let open = #""paths":["**?*"],"forwards":["*","Authorization"],"refreshSeconds":0"#

  /// Starts everything; `raw` are members of the source's `raw`, `server` of the section. The
  /// server's clock is `clock`, or the system's where `isLive`.
  init(
    _ raw: String = RawStand.open, source: String = "", server: String = "",
    store: String? = nil, clock: HandClock? = nil, isLive: Bool = false,
    _ rule: @escaping @Sendable (RawUpstream.Call) -> RawUpstream.Script
  ) async throws {
    upstream = try await RawUpstream(rule)
    let json = """
      {"server":{\(server)},"sources":{"s":{"kind":"http",\(source)
      "baseURL":"http://127.0.0.1:\(upstream.port)/base","raw":{\(raw)}}}}
      """
    var configuration = try Configuration.read(Array(json.utf8))
    directory = try TemporaryDirectory("tsugi")
    configuration.store.path = store ?? directory.path + "/tsugi.sqlite"
    configuration.server.port = 0
    self.clock = clock ?? HandClock(at: Timestamp(seconds: 784_111_777))
    var options = isLive ? .test() : NodeOptions.test(time: self.clock)
    options.adjust = {
      ($0.loops, $0.limits.drainGrace, $0.wait) = (1, .zero, .seconds(3))
    }
    node = try await Node(configuration, options)
    client = Client(port: try await node.start().port)
  }

  /// Asks for a target past `/v1/s/raw`.
  func get(_ target: String, _ lines: [String] = [], method: String = "GET") async throws -> Reply {
    let client = client
    return try await onThread { try client.get("/v1/s/raw\(target)", lines, method: method) }
  }

  /// The same by a request that a ready answer may be given to.
  func hit(_ target: String, _ lines: [String] = [], method: String = "GET") async throws -> Reply {
    let client = client
    return try await onThread { try client.hit("/v1/s/raw\(target)", lines, method: method) }
  }

  /// Lets time pass.
  func wait(seconds: Int64) { clock.advance(.seconds(seconds)) }

  /// Stops everything.
  func stop() async {
    await node.drain()
    await upstream.stop()
  }
}
