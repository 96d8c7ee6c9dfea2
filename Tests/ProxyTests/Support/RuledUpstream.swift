import Bytes
import Feed
import HTTP
import Synchronization

/// An API on loopback that answers as a test says, and keeps what it was asked. It has the clock of
/// a ``RecipeStand``.
final class RuledUpstream: Sendable {
  /// A call: the parameters of its query, and its field lines.
  struct Call: Sendable {
    var path: String
    var parameters: [String: String]
    var fields: [String]
    /// The call's number, from 0.
    var number: Int

    /// A whole number that a parameter says; `other` where it says none.
    func number(_ name: String, or other: Int) -> Int {
      parameters[name].flatMap(Int.init) ?? other
    }
  }

  private struct State {
    var calls: [Call] = []
    var server: Server?
    var held: [(call: Call, responder: HeldResponder)] = []
  }
  private let state = Mutex(State())

  /// Answers each call with JSON.
  let port: Int

  convenience init(_ rule: @escaping @Sendable (Call) -> String) async throws {
    try await self.init(answering: { Response(json: rule($0)) })
  }

  /// Answers each call with any response; one without stays open until ``answerHeld(_:)``.
  init(answering rule: @escaping @Sendable (Call) -> Response?) async throws {
    let kept = Mutex<RuledUpstream?>(nil)
    let server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
      request, responder in
      guard let upstream = kept.withLock(\.self) else {
        return responder.send(Response(status: 503))
      }
      let call = upstream.take(request)
      guard let response = rule(call) else {
        let held = responder.hold()
        return upstream.state.withLock { $0.held.append((call, held)) }
      }
      responder.send(Self.dated(response))
    }
    port = try server.start().port
    kept.withLock { $0 = self }
    state.withLock { $0.server = server }
  }

  private static func dated(_ response: Response) -> Response {
    var response = response
    if !response.fields.contains("date") {
      response.fields.append(named: "date", HTTPDate.text(seconds: QuickClock().now.seconds))
    }
    return response
  }

  private func take(_ request: Request) -> Call {
    var parameters: [String: String] = [:]
    for pair in (request.query ?? "").split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1)
      parameters[String(halves[0])] = halves.count > 1 ? String(halves[1]) : ""
    }
    let fields = request.fields.map { "\($0.name): \($0.value)" }
    return state.withLock { state in
      let call = Call(
        path: request.path, parameters: parameters, fields: fields, number: state.calls.count)
      state.calls.append(call)
      return call
    }
  }

  /// Answers the calls that are still open, and gives how many they were.
  func answerHeld(_ rule: (Call) -> Response) -> Int {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for (call, responder) in held { responder.send(Self.dated(rule(call))) }
    return held.count
  }

  /// The calls so far.
  var calls: [Call] { state.withLock(\.calls) }

  /// Stops listening.
  func stop() async {
    await state.withLock(\.server)?.stop(drain: .zero)
  }
}
