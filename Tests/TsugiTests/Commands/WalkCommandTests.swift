import HTTP
import Synchronization
import Testing

/// `tsugi walk` before a server that does not always answer.
@Suite(.timeLimit(.minutes(10))) struct WalkCommandTests {
  /// Runs a walk before a server that gives these answers, one after the other.
  private func walk(
    _ responses: [Response], _ arguments: String..., endsWith code: Int32
  ) async throws -> RunningCommand {
    let left = Mutex(responses)
    let server = Server { _, responder in
      responder.send(left.withLock { $0.isEmpty ? Response(status: 500) : $0.removeFirst() })
    }
    let address = try server.start()
    let walk = try RunningCommand(["walk", "http://\(address)/v1/a/items"] + arguments)
    #expect(await walk.exitCode() == code)
    await server.stop(drain: .zero)
    return walk
  }

  private let first = Response(
    text: #"{"items":[{"id":"a"}],"next":"/v1/a/items?limit=1&startAfter=c","endReason":null}"#)
  private let last = Response(text: #"{"items":[{"id":"b"}],"next":null,"endReason":"end"}"#)

  @Test func saysHowToGoOnWhereItGivesUp() async throws {
    let walk = try await walk([first], "--format", "table", endsWith: 1)
    let line = try #require(walk.errorText.first { $0.hasPrefix("to go on from here: ") })
    #expect(line.hasSuffix("/v1/a/items?limit=1&startAfter=c' --format table"))
    #expect(line.contains("tsugi walk 'http://127.0.0.1:"))
  }

  @Test func waitsWhereTheServerSaysSo() async throws {
    var busy = Response(status: 503)
    busy.fields.append("Retry-After", "1")
    let walk = try await walk([first, busy, last], endsWith: 0)
    #expect(
      try String(decoding: walk.output(), as: UTF8.self) == "{\"id\":\"a\"}\n{\"id\":\"b\"}\n")
    #expect(walk.errorText.first?.hasPrefix("asking again in 1 s: ") == true)
  }
}
