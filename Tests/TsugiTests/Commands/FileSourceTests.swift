import Foundation
import Glibc
import JSONBytes
import Testing
import Upstream

/// File sources of the running program: the samples of the demo, and a file of one's own.
@Suite(.timeLimit(.minutes(2))) struct FileSourceTests {
  private static let fruits = [
    ("りんご", 200), ("みかん", 200), ("ぶどう", 300), ("いちご", 400), ("なし", 400), ("スイカ", 800),
    ("洋なし", 200), ("ブルーベリー", 400), ("メロン", 800), ("びわ", 200), ("パイナップル", 200),
    ("オレンジ", 200), ("バナナ", 200), ("キウイ", 200), ("レモン", 200), ("もも", 400), ("マスカット", 900),
  ]

  private struct Fruit: Decodable {
    var id: Int
    var name: String
    var price: Int
  }

  private struct Slice<Item: Decodable>: Decodable {
    var items: [Item]
    var hasMore: Bool
    var endReason: String?
    var next: String?
  }

  private func slice<Item: Decodable>(of type: Item.Type, _ url: String) async throws -> Slice<Item>
  {
    let reply = try await UpstreamClient(version: "test").reply(from: url)
    return try JSONDecoder().decode(Slice<Item>.self, from: Data(reply.body))
  }

  @Test func theDemoHasSeventeenFruitsFiveAtATime() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "30", "--port", "0"])
    let url = try await address(of: serve)
    var fruits: [Fruit] = []
    var sizes: [Int] = []
    var next: String? = "/v1/fruits/items?limit=5"
    while let target = next {
      let slice = try await slice(of: Fruit.self, url + target)
      fruits += slice.items
      sizes.append(slice.items.count)
      #expect(slice.hasMore == (fruits.count < 17))
      next = slice.next
    }
    #expect(sizes == [5, 5, 5, 2])
    #expect(fruits.map(\.id) == Array(1...17))
    #expect(fruits.map(\.name) == Self.fruits.map(\.0))
    #expect(fruits.map(\.price) == Self.fruits.map(\.1))
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  private struct Ticket: Decodable {
    var id: String
    var title: String
  }

  @Test func theDemosTicketsEndWithAFullSlice() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "30", "--port", "0"])
    let url = try await address(of: serve)
    var ids: [String] = []
    var next: String? = "/v1/tickets/items?limit=5"
    while let target = next {
      let slice = try await slice(of: Ticket.self, url + target)
      ids += slice.items.map(\.id)
      #expect(slice.items.count == 5 && slice.hasMore == (ids.count < 20))
      next = slice.next
    }
    #expect(ids == (101...120).reversed().map { "T-\($0)" })
  }

  @Test func tellsWhoLeftInItsOwnForm() async throws {
    let config = #"{"sources":{"f":{"kind":"file","path":"data.json"}}}"#
    let serve = try RunningCommand(
      ["serve", "--port", "0"],
      files: ["config.json": config, "data.json": #"[{"id":1},{"id":2},{"id":"2b"},{"id":3}]"#])
    let url = try await address(of: serve)
    let client = try UpstreamClient(version: "test")
    let first = try await client.reply(from: "\(url)/v1/f/items")
    let seq = try #require(try JSON.member("seq", of: first.body[...]))
    let since = String(decoding: try JSON.text(first.body[seq]), as: UTF8.self)
    let file = serve.directory.appending(path: "data.json")
    try Data(#"[{"id":1},{"id":3}]"#.utf8).write(to: file, options: .atomic)
    var told = ""
    while !told.contains("2b") {
      // The file is looked at once a second at most.
      try await Task.sleep(for: .milliseconds(200))
      _ = try await client.reply(from: "\(url)/v1/f/items?refresh=true")
      let changes = try await client.reply(from: "\(url)/v1/f/items:changes?since=\(since)")
      told = String(decoding: changes.body, as: UTF8.self)
    }
    #expect(told.contains(#""id":2}"#) && told.contains(#""id":"2b"}"#))
  }

  @Test func tellsOfABadFileOnceWithItsLine() async throws {
    let config = #"{"sources":{"fruits":{"kind":"file","path":"data.json"}}}"#
    let serve = try RunningCommand(
      ["serve", "--port", "0"],
      files: ["config.json": config, "data.json": "[\n{\"id\":1},\n{\"name\":\"x\"}]"])
    let line = try #require(await serve.errorLine(with: "a file is refused"))
    #expect(line.contains(#""level":"warning""#))
    #expect(line.contains(#""reason":"line 3: no id""#) && line.contains(#""source":"fruits""#))
    let url = try await address(of: serve)
    for _ in 0..<3 {
      let reply = try await UpstreamClient(version: "test").reply(from: "\(url)/v1/fruits/items")
      #expect(reply.status == 502 || reply.status == 503)
    }
    let path = serve.directory.appendingPathComponent("data.json")
    try Data(#"[{"id":1,"name":"a","price":2}]"#.utf8).write(to: path, options: .atomic)
    var fruits: [Fruit] = []
    // Within a second it is looked at again, whoever asks.
    while fruits.isEmpty {
      fruits = (try? await slice(of: Fruit.self, "\(url)/v1/fruits/items"))?.items ?? []
    }
    #expect(fruits.map(\.name) == ["a"])
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
    #expect(serve.errorText.filter { $0.contains("a file is refused") }.count == 1)
    #expect(serve.errorText.filter { $0.contains("a file was read") }.count == 1)
  }
}
