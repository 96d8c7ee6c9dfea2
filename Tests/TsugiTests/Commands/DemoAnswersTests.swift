import Foundation
import Testing
import Upstream

/// What only a demo answers: its upstream, and the truth about what came and went.
@Suite(.timeLimit(.minutes(5))) struct DemoAnswersTests {
  private static let demo = ["serve", "--demo", "--demo-items", "50", "--port", "0"]

  @Test func tellsWhatCameAndWent() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve)
    let before = try await upstream(url)
    #expect(before.count >= 45)
    // Seconds are told, and what came within the same one counts as well.
    let since = try await present(url, "2100-01-01T00:00:00Z")
    #expect(since.came.isEmpty && since.went.isEmpty)
    let reply = try exchange(
      "POST /demo/step?delete=2&insert=3 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n",
      port: port(of: url))
    #expect(String(decoding: reply, as: UTF8.self).hasSuffix(#"{"inserted":3,"deleted":2}"#))
    let truth = try await present(url, "2000-01-01T00:00:00Z")
    let after = try await upstream(url)
    #expect(truth.came.count >= 3 && truth.went.count >= 2)
    #expect(Set(truth.went).isDisjoint(with: after))
    // By itself it moves about once in two seconds, so all that stands at the top is told.
    #expect(Set(truth.came).isSubset(of: after))
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test(arguments: [
    ("GET /demo/present", "400"), ("GET /demo/present?since=yesterday", "400"),
    ("POST /demo/step?insert=101", "400"), ("POST /demo/step?delete=-1", "400"),
    ("POST /demo/step?insert=x", "400"), ("GET /demo/step?insert=1", "404"),
    ("POST /demo/upstream/api/v2/items", "404"), ("GET /demo/upstream/", "404"),
    ("GET /demo/elsewhere", "404"), ("POST /demo/step", "200"),
  ])
  func refusesWhatItCannotDo(_ request: String, _ status: String) async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve)
    let reply = try exchange(
      "\(request) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", port: port(of: url))
    #expect(String(decoding: reply.prefix(12), as: UTF8.self) == "HTTP/1.1 \(status)")
  }

  /// Without `--demo` none of it is there.
  @Test func isThereInADemoAlone() async throws {
    let files = [
      "a.json": "[]", "config.json": #"{"sources":{"a":{"kind":"file","path":"a.json"}}}"#,
    ]
    let serve = try RunningCommand(["serve", "--port", "0"], files: files)
    let url = try await address(of: serve)
    for target in ["/demo/present?since=2100-01-01T00:00:00Z", "/demo/upstream/api/v2/items"] {
      let reply = try await UpstreamClient(version: "test").reply(from: url + target)
      #expect(reply.status == 404)
    }
  }

  private func port(of url: String) throws -> Int {
    try #require(URL(string: url)?.port)
  }

  /// The identities at the top of the upstream.
  private func upstream(_ url: String) async throws -> [String] {
    struct Article: Decodable {
      let id: String
    }
    let list = "\(url)/demo/upstream/api/v2/items?per_page=100"
    let reply = try await UpstreamClient(version: "test").reply(from: list)
    return try JSONDecoder().decode([Article].self, from: Data(reply.body)).map(\.id)
  }

  private func present(_ url: String, _ since: String) async throws -> Truth {
    let reply = try await UpstreamClient(version: "test")
      .reply(from: "\(url)/demo/present?since=\(since)")
    return try JSONDecoder().decode(Truth.self, from: Data(reply.body))
  }

  private struct Truth: Decodable {
    let came, went: [String]
  }
}
