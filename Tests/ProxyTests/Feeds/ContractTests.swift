import Bytes
import Feed
import JSONBytes
import Simulator
import Testing
import Wire

@testable import Proxy

/// The contract's tables of feeds and parameters, row by row and by their names, over sockets.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ContractTests {
  /// A parameter's row: what it gives of 200 items, numbered from the top, and what it refuses.
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var gives: [(query: String, items: Range<Int>)]
    var refuses: [(query: String, code: String, parameter: String)]

    var testDescription: String { name }
  }

  private static let invalid = "invalid_parameter"

  /// `@10` stands for the identity of the 10th item, `#10` for the cursor after it.
  static let rows: [Row] = [
    Row(
      name: "limit",
      gives: [("", 0..<20), ("limit=1", 0..<1), ("limit=100", 0..<100), ("limit=101", 0..<100)],
      refuses: ["0", "-1", "1.5", "x", "+1", "1e1"].map {
        ("limit=\($0)", "invalid_limit", "limit")
      } + [("limit=", invalid, "limit"), ("limit=1&limit=1", invalid, "limit")]),
    Row(
      name: "startAfter, startAt",
      gives: [
        ("startAfter=id:@10", 11..<31), ("startAt=id:@10", 10..<30), ("startAfter=#10", 11..<31),
        ("startAt=#10", 10..<30), ("startAfter=id:@199", 200..<200),
      ],
      refuses: [
        ("startAfter=id:@10&startAt=id:@10", invalid, "startAt"),
        ("startAfter=", invalid, "startAfter"), ("startAfter=abc", "invalid_cursor", "startAfter"),
        ("startAt=at:yesterday", invalid, "startAt"),
        ("startAfter=id:@1&startAfter=id:@2", invalid, "startAfter"),
      ]),
    Row(
      name: "endBefore, endAt",
      gives: [
        ("endBefore=id:@10", 0..<10), ("endAt=id:@10", 0..<11), ("endBefore=#10", 0..<10),
        ("endBefore=id:@0", 0..<0), ("startAfter=id:@10&endBefore=id:@5", 11..<11),
      ],
      refuses: [
        ("endBefore=id:@10&endAt=id:@10", invalid, "endAt"), ("endAt=", invalid, "endAt"),
        ("endAt=abc", "invalid_cursor", "endAt"),
      ]),
    Row(
      name: "limitToLast",
      gives: [
        ("endBefore=id:@50&limitToLast=true&limit=5", 45..<50),
        ("endAt=id:@50&limitToLast=true&limit=5", 46..<51),
        ("endBefore=id:@50&limitToLast=false&limit=5", 0..<5),
        ("startAt=id:@48&endBefore=id:@50&limitToLast=true&limit=5", 48..<50),
      ],
      refuses: [
        ("limitToLast=true", invalid, "limitToLast"),
        ("endBefore=id:@50&limitToLast=yes", invalid, "limitToLast"),
      ]),
    Row(
      name: "query",
      gives: [("query=title:nothing+of+the+kind", 0..<0)],
      refuses: [
        ("query=", invalid, "query"),
        ("query=" + String(repeating: "a", count: 513), invalid, "query"),
      ]),
    Row(
      name: "fields",
      gives: [("fields=title", 0..<20), ("fields=user.name,tags.name,nothing", 0..<20)],
      refuses: [
        ("fields=", invalid, "fields"), ("fields=a,,b", "invalid_fields", "fields"),
        ("fields=a.b.c.d.e", "invalid_fields", "fields"),
        ("fields=" + (0...32).map { "f\($0)" }.joined(separator: ","), "invalid_fields", "fields"),
      ]),
    Row(
      name: "refresh",
      gives: [("refresh=true", 0..<20), ("refresh=false", 0..<20)],
      refuses: [
        ("refresh=1", invalid, "refresh"), ("refresh=true&startAfter=id:@1", invalid, "refresh"),
      ]),
    Row(
      name: "wait",
      gives: [("wait=0", 0..<20), ("wait=30000", 0..<20)],
      refuses: [
        ("wait=30001", invalid, "wait"), ("wait=-1", invalid, "wait"), ("wait=1s", invalid, "wait"),
      ]),
    Row(
      name: "any other",
      gives: [],
      refuses: [
        ("page=2", invalid, "page"), ("Limit=5", invalid, "Limit"),
        ("startafter=x", invalid, "startafter"),
      ]),
  ]

  /// The feeds' rows: paths, the order, and where an element's identity stands.
  static let feeds: [(order: String, identity: [String], paths: [String])] = [
    (
      "value", ["id"], ["items", "items?query=a", "users/{user}/items", "authenticated_user/items"]
    ),
    (
      "observed", ["id"],
      [
        "tags/{tag}/items", "users/{user}/stocks", "users/{user}/followers",
        "users/{user}/followees", "users/{user}/following_tags", "items/{item}/stockers", "tags",
        "users",
      ]
    ),
    ("whole", ["id"], ["items/{item}/comments"]),
    ("whole", ["user", "id"], ["items/{item}/likes"]),
  ]

  @Test(arguments: feeds)
  func feed(order: String, identity: [String], paths: [String]) async throws {
    let stand = try await Stand(smallWorld(60), token: "secret", exposesOwner: true)
    try await Stand.run(stand) { stand in
      let first = try #require(try stand.client.get("/v1/qiita/items?limit=1").slice().items.first)
      func name(_ range: Range<Int>?) throws -> String {
        percentEncoded(try JSON.text(first[try #require(range)]))
      }
      let tags = try #require(try JSON.member("tags", of: first[...]))
      let tag = try #require(try JSON.elements(of: first[tags]).first)
      let names = [
        "item": try name(try JSON.member("id", of: first[...])),
        "user": try name(try JSON.member(at: ["user", "id"], of: first[...])),
        "tag": try name(try JSON.member("name", of: first[tag])),
      ]
      let index = String(decoding: try stand.client.get("/v1").body, as: UTF8.self)
      for path in paths {
        let pattern = path.prefix { $0 != "?" }.replacing(/\{\w+\}/, with: ":id")
        #expect(index.contains(#"{"pattern":"\#(pattern)","order":"\#(order)""#), "\(path)")
        let target = names.reduce("/v1/qiita/\(path)") {
          $0.replacing("{\($1.key)}", with: $1.value)
        }
        let slices = try stand.client.walk("\(target)\(path.contains("?") ? "&" : "?")limit=7")
        let ids = try slices.flatMap(\.items).map { item in
          try text(of: try JSON.member(at: identity, of: item[...]), in: item)
        }
        #expect(Set(ids).count == ids.count, "\(path)")
        #expect(slices.last?.envelope.endReason == "end", "\(path)")
      }
    }
  }

  private func text(of range: Range<Int>?, in item: [UInt8]) throws -> String {
    String(decoding: try JSON.text(item[try #require(range)]), as: UTF8.self)
  }

  @Test(arguments: rows) func parameter(row: Row) async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 3_600
    try await Stand.run(try await Stand(smallWorld(200), policy: policy)) { stand in
      let ids = stand.qiita.withQiita { $0.world.ids }
      let cursor = try stand.client.get("/v1/qiita/items?limit=11").slice().envelope.endCursor
      _ = try stand.client.walk("/v1/qiita/items?limit=100")
      func target(_ query: String) -> String {
        var text = query.replacing("#10", with: cursor ?? "")
        for number in [0, 1, 2, 5, 10, 48, 50, 199].reversed() {
          text = text.replacing("@\(number)", with: ids[number])
        }
        return "/v1/qiita/items" + (text.isEmpty ? "" : "?\(text)")
      }
      for (query, items) in row.gives {
        let slice = try stand.client.get(target(query)).slice()
        #expect(slice.ids == Array(ids[items]), "\(query)")
        #expect(!slice.envelope.hasMore || !slice.items.isEmpty, "\(query)")
      }
      for (query, code, parameter) in row.refuses {
        let reply = try stand.client.get(target(query))
        let problem = try reply.problem()
        #expect(reply.status == 400 && problem.code == code, "\(query): \(problem)")
        #expect(problem.parameter == parameter, "\(query)")
      }
    }
  }
}
