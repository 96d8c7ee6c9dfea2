import Foundation
import HTTP
import Synchronization
import Testing
import Upstream

/// How much memory the program takes while the largest answers arrive together.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MemoryTests {
  /// Who waits until as many ask as are awaited.
  private final class WriteBatch: Sendable {
    private let waiting = Mutex<[(HeldResponder, Response)]>([])

    func answer(_ responder: HeldResponder, _ response: Response, with count: Int) {
      let all = waiting.withLock { waiting in
        waiting.append((responder, response))
        defer { if waiting.count == count { waiting = [] } }
        return waiting.count == count ? waiting : []
      }
      for (responder, response) in all { responder.send(response) }
    }
  }

  /// An answer of 99 items of 152 KB, all that a user has: 15 MB.
  private static func window(of user: String) -> Response {
    let text = [UInt8](repeating: UInt8(ascii: "x"), count: 152_000)
    var body = Array("[".utf8)
    for index in 0..<99 {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      let time = String(format: "%02d:%02d", 59 - index / 60, 59 - index % 60)
      let head = #"{"id":"\#(user)\#(index)","created_at":"2026-01-01T00:\#(time)+09:00""#
      body += Array("\(head),\"body\":\"".utf8)
      body += text
      body += Array("\"}".utf8)
    }
    body.append(UInt8(ascii: "]"))
    return Response(
      fields: ["Content-Type": "application/json", "Total-Count": "99"], body: body)
  }

  /// Asked for 30 or all of its items, each window comes whole. Measured: 103 and 126 MB at most,
  /// 15 and 16 MB more than before in the end.
  @Test(arguments: [30, 100])
  func fourWindowsOf15MegabytesFitInto150(limit: Int) async throws {
    let gathering = WriteBatch()
    let users = ["a", "b", "c", "d"]
    let windows = Dictionary(uniqueKeysWithValues: users.map { ($0, Self.window(of: $0)) })
    var limits = Limits()
    limits.heldBytes = 1 << 30
    let upstream = Server(ServerOptions(limits: limits)) { request, responder in
      let user = String(request.path.split(separator: "/")[3])
      gathering.answer(responder.hold(), windows[user] ?? Response(status: 404), with: users.count)
    }
    let port = try upstream.start().port
    let config = """
      {"sources": {"qiita": {"baseURL": "http://127.0.0.1:\(port)/api/v2"}}}
      """
    let serve = try RunningCommand(["serve", "--port", "0"], files: ["config.json": config])
    let url = try await address(of: serve)
    let client = try UpstreamClient(version: "test")
    _ = try await client.reply(from: "\(url)/v1")
    let before = try serve.memory
    try await withThrowingTaskGroup(of: Int.self) { group in
      for user in users {
        group.addTask {
          try await client.reply(from: "\(url)/v1/qiita/users/\(user)/items?limit=\(limit)").body
            .count
        }
      }
      for try await count in group { #expect(count > min(limit, 99) * 152_000) }
    }
    var after = try serve.memory
    // The last answers' buffers go when they have been sent, which is told to nobody.
    for _ in 0..<50 where after.now - before.now > 20 {
      try await Task.sleep(for: .milliseconds(100))
      after = try serve.memory
    }
    #expect(after.most < 150)
    #expect(after.now - before.now <= 20)
    await client.close()
    await upstream.stop(drain: .zero)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }
}
