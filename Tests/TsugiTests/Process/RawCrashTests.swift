import Foundation
import Glibc
import HTTP
import Support
import Synchronization
import Testing
import Upstream

/// A server that is killed while it keeps answers of the raw route, and started again.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RawCrashTests {
  /// An upstream whose answer is another each time: a number, said in full by each part of it.
  private final class Counting: Sendable {
    let port: Int
    private let server: Server

    init() throws {
      let count = Atomic(0)
      server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
        _, responder in
        let number = count.add(1, ordering: .relaxed).newValue
        var response = Response(body: Counting.body(number))
        response.fields.append("ETag", "\"\(number)\"")
        response.fields.append("Cache-Control", "max-age=0")
        responder.send(response)
      }
      port = try server.start().port
    }

    static func body(_ number: Int) -> [UInt8] {
      Array(String(repeating: "\(number) ", count: 20_000).utf8)
    }

    func stop() async { await server.stop(drain: .zero) }
  }

  @Test(arguments: (1...6).sample(2))
  func theLastWholeAnswerOutlivesKill9(seed: Int) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let upstream = try Counting()
    let config = """
      {"store": {"path": "\(directory.path)/s.sqlite"}, "sources": {"s": {"kind": "http",
      "baseURL": "http://127.0.0.1:\(upstream.port)", "raw": {"paths": ["a"]}}}}
      """
    let client = try UpstreamClient(version: "test")
    let first = try RunningCommand(["serve", "--port", "0"], files: ["config.json": config])
    let url = try await address(of: first) + "/v1/s/raw/a"
    let last = Mutex(0)
    let asking = Task {
      while true {
        let reply = try await client.reply(from: url)
        let number = try #require(Int(reply.fields["ETag"]?.filter(\.isNumber) ?? ""))
        last.withLock { $0 = max($0, number) }
      }
    }
    while last.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(1)) }
    try await Task.sleep(for: .milliseconds(7 * seed))
    first.signal(SIGKILL)
    #expect(await first.exitCode() == -SIGKILL)
    _ = await asking.result
    await upstream.stop()

    let second = try RunningCommand(["serve", "--port", "0"], files: ["config.json": config])
    let reply = try await client.reply(from: try await address(of: second) + "/v1/s/raw/a")
    #expect(reply.status == 200)
    let number = try #require(Int(reply.fields["ETag"]?.filter(\.isNumber) ?? ""))
    #expect(reply.body == Counting.body(number))
    #expect(number >= last.withLock { $0 })
    second.signal(SIGTERM)
    #expect(await second.exitCode() == 0)
  }
}
