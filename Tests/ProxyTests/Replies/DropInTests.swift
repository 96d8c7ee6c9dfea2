import Bytes
import Feed
import Foundation
import HTTP
import JSONBytes
import Support
import Testing

@testable import Proxy
@testable import Simulator
@testable import Upstream

/// An app made for Qiita works when only its host name changes.
@Suite(.serialized) struct DropInTests {
  /// The same client, pointed here and at the upstream.
  private func clients(_ stand: Stand) throws -> (here: DocumentedClient, there: DocumentedClient) {
    (
      DocumentedClient(port: stand.client.port),
      DocumentedClient(port: try #require(stand.qiita.port))
    )
  }

  /// Paths of everything that the world holds, lists and single things.
  private func paths(_ stand: Stand) throws -> [String] {
    let there = try clients(stand).there
    let item = try #require(stand.qiita.withQiita { $0.world.ids.first })
    stand.qiita.withQiita { qiita in _ = qiita.world.count(id: item) }
    let commented = try there.get("items?per_page=100").elements.first {
      ($0["comments_count"] as? Int ?? 0) > 0
    }
    let talk = try #require(commented?["id"] as? String)
    let comment = try #require(try there.get("items/\(talk)/comments").ids.first)
    let user = try #require(try there.get("users").ids.first)
    let tag = try #require(try there.get("tags").ids.first)
    func escaped(_ name: String) -> String { percentEncoded(name.utf8) }
    return [
      "items", "items?page=2&per_page=7", "items?query=user:\(escaped(user))", "items/\(item)",
      "items/\(talk)/comments", "items/\(item)/likes", "items/\(item)/stockers?per_page=3",
      "comments/\(comment)", "users", "users?page=2&per_page=5", "users/\(escaped(user))",
      "users/\(escaped(user))/items", "users/\(escaped(user))/stocks",
      "users/\(escaped(user))/followers", "users/\(escaped(user))/followees",
      "users/\(escaped(user))/following_tags", "tags", "tags?page=2&per_page=3",
      "tags/\(escaped(tag))", "tags/\(escaped(tag))/items?page=1&per_page=100",
    ]
  }

  @Test func everythingHasTheUpstreamsOwnBytes() async throws {
    try await Stand.run(try await Stand(smallWorld(300))) { stand in
      let (here, there) = try clients(stand)
      for path in try paths(stand) {
        let (ours, theirs) = (try here.get(path), try there.get(path))
        #expect(ours.ids == theirs.ids, "\(path)")
        #expect(ours.totalCount == theirs.totalCount, "\(path)")
        #expect(ours.links["last"].flatMap(page) == theirs.links["last"].flatMap(page), "\(path)")
        #expect(ours.links["first"].flatMap(page) == theirs.links["first"].flatMap(page))
        #expect(ours.links["prev"].flatMap(page) == theirs.links["prev"].flatMap(page))
        #expect(ours.links["next"].flatMap(page) == theirs.links["next"].flatMap(page), "\(path)")
        if ours.body.first == UInt8(ascii: "[") {
          let (mine, others) = (ours.body, theirs.body)
          #expect(
            try JSON.elements(of: mine).map { mine[$0] }
              == JSON.elements(of: others).map { others[$0] }, "\(path)")
        } else {
          #expect(ours.body == theirs.body, "\(path)")
        }
      }
    }
  }

  private func page(of url: String) -> String? {
    URLComponents(string: url)?.queryItems?.first { $0.name == "page" }?.value
  }

  @Test func whatIsStoredIsNotAskedForAgain() async throws {
    var policy = Policy()
    policy.prefetchItems = 0
    try await Stand.run(try await Stand(smallWorld(100), policy: policy)) { stand in
      let here = try clients(stand).here
      let paths = try paths(stand).filter { !$0.contains("page=2") }
      for path in paths { _ = try here.get(path) }
      let count = stand.qiita.callCount
      for path in paths { _ = try here.get(path) }
      #expect(stand.qiita.callCount == count)
    }
  }

  /// Where the windows that overlap end, pages go on by their numbers, as long as Qiita shows any.
  @Test(arguments: ["tags/S/items", "users/a/items"], [95, 98])
  func linksLeadToTheHundredthPage(path: String, first: Int) async throws {
    let upstream = try await RuledUpstream(answering: { call in
      let size = call.number("per_page", or: 20)
      let from = (call.number("page", or: 1) - 1) * size
      let items = (from..<min(10_400, from + size)).map { rank in
        let made = KeyForm.rfc3339.text(of: 1_700_000_000_000 - 60_000 * Int64(rank))
        return #"{"id":"i\#(rank)","created_at":"\#(made)","private":false}"#
      }
      var response = Response(json: "[\(items.joined(separator: ","))]")
      response.fields.append("Total-Count", "10400")
      let next = #"<http://127.0.0.1/api/v2/\#(path)?page=\#(from / size + 2)>; rel="next""#
      if from + size < 10_400 { response.fields.append("Link", next) }
      return response
    })
    let stand = try await RecipeStand(
      #"{"kind":"qiita","baseURL":"http://127.0.0.1:\#(upstream.port)/api/v2"}"#)
    let client = DocumentedClient(port: stand.client.port)
    var answer = try client.get("\(path)?page=\(first)&per_page=100")
    var ids = answer.ids
    while let next = answer.links["next"] {
      answer = try client.get(url: next)
      ids += answer.ids
    }
    #expect(ids == ((first - 1) * 100..<10_000).map { "i\($0)" })
    await stand.stop()
    await upstream.stop()
  }

  @Test(arguments: [
    "page=0", "page=101", "page=-1", "page=x", "page=", "page=1.5", "per_page=0", "per_page=101",
    "per_page=", "per_page=abc", "page=1&page=0", "page=99999999999999999999", "page=%2B1",
    "page=1&per_page=20&page=%2",
  ])
  func badNumbersAreRefusedInQiitasWords(query: String) async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let reply = try stand.client.get("/api/v2/items?\(query)")
      #expect(reply.status == 400)
      #expect(reply.body == Array(#"{"message":"Bad request","type":"bad_request"}"#.utf8))
      #expect(reply["Content-Type"] == "application/json; charset=utf-8")
      #expect(stand.qiita.callCount == 0)
    }
  }

  @Test(arguments: [
    "page=1", "page=01&per_page=20", "page=0&page=1", "utm_source=x&limit=0&fields=&x",
    "startAfter=nonsense", "startAfter=", "wait=no", "query=",
  ])
  func whatQiitaIgnoresIsIgnored(query: String) async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let ids = stand.qiita.withQiita { $0.world.ids }
      let page = try clients(stand).here.get("items?\(query)")
      #expect(page.ids == Array(ids[..<20]))
    }
  }

  @Test func pagesCountedOneByOneShowEverything() async throws {
    try await Stand.run(try await Stand(smallWorld(333, ties: 0.2))) { stand in
      let here = try clients(stand).here
      var ids: [String] = []
      // As many do it: until a page is empty.
      for page in 1... {
        let some = try here.get("items?page=\(page)&per_page=50").ids
        if some.isEmpty { break }
        ids += some
      }
      #expect(ids == stand.qiita.withQiita { $0.world.ids })
    }
  }

  /// One walk by `Link` while articles come and go: each that stays is there once.
  @Test(arguments: [UInt64(1), 2, 3])
  func pagesByLinkDoNotDrift(seed: UInt64) async throws {
    let drift = Drift([.insert: 0.6, .delete: 0.3, .late: 0.2])
    let options = Qiita.Options(drift: drift, budget: 1_000_000)
    // Each page begins where the top has it at that moment.
    var policy = Policy()
    policy.freshSeconds = 0
    policy.staleSeconds = 0
    let world = smallWorld(700, seed: seed, ties: 0.1)
    let stand = try await Stand(world, options: options, policy: policy)
    try await Stand.run(stand) { stand in
      let before = stand.qiita.withQiita { $0.world.ids }
      let pages = try clients(stand).here.pages("items?per_page=23") {
        stand.qiita.withQiita { qiita in
          qiita.world.insert()
          if let id = qiita.world.ids.randomElement() { _ = qiita.world.delete(id: id) }
        }
      }
      let ids = pages.flatMap(\.ids)
      #expect(Set(ids).count == ids.count)
      let stayed = Set(before).intersection(stand.qiita.withQiita { $0.world.ids })
      #expect(Set(ids).isSuperset(of: stayed))
      #expect(pages.map { page(of: $0.links["next"] ?? "") }.prefix(3) == ["2", "3", "4"])
      #expect(pages.dropLast().allSatisfy { $0.ids.count == 23 })
    }
  }

  @Test func theHundredthPageIsTheLastByNumber() async throws {
    try await Stand.run(try await Stand(smallWorld(130))) { stand in
      let here = try clients(stand).here
      let pages = try here.pages("items?per_page=1")
      #expect(pages.count == 100)
      #expect(pages.last?.links["last"].flatMap(page) == "130")
    }
  }

  @Test func everyReplyTellsOfTheCallsLeft() async throws {
    let options = Qiita.Options(budget: 100)
    try await Stand.run(try await Stand(smallWorld(25), options: options)) { stand in
      let here = try clients(stand).here
      let first = try here.get("items")
      #expect(first.rateLimit == 100 && first.rateRemaining == 99)
      #expect(try #require(first.rateReset) > Date())
      for _ in 0..<3 {
        let reply = try stand.client.hit("/api/v2/items")
        #expect(reply["Rate-Remaining"] == "99" && reply["Rate-Limit"] == "100")
      }
      _ = try here.get("users")
      // A finished answer tells of now, not of when it was made.
      #expect(try stand.client.hit("/api/v2/items")["Rate-Remaining"] == "98")
      #expect(try stand.client.get("/api/v2/nowhere")["Rate-Remaining"] == "98")
    }
  }

  @Test func linksBeginWithTheHostThatWasNamed() async throws {
    try await Stand.run(try await Stand(smallWorld(60))) { stand in
      for host in ["a.example", "b.example:8443", "a.example", "b.example:8443"] {
        for _ in 0..<2 {
          let other = try stand.client.hit("/api/v2/items?per_page=5", at: "other.example")
          #expect(other["Link"]?.hasPrefix("<http://other.example/api/v2/items?page=1&") == true)
          let target = "http://\(host)/api/v2/items?per_page=5"
          let links = try #require(try stand.client.hit(target)["Link"])
          #expect(links.components(separatedBy: "<http://\(host)/api/v2/items?page=").count == 4)
        }
        for _ in 0..<3 {
          let reply = try stand.client.hit("/api/v2/items?per_page=5", at: host)
          #expect(reply["Link"]?.hasPrefix("<http://\(host)/api/v2/items?page=1&") == true)
        }
      }
    }
  }

  @Test func linksBeginWithThePublicURLWhereThereIsOne() async throws {
    var settings = ServerSettings()
    settings.publicURL = "https://api.example/tsugi"
    try await Stand.run(try await Stand(smallWorld(60), settings: settings)) { stand in
      for _ in 0..<3 {
        let reply = try stand.client.hit("/api/v2/items?query=a+b&per_page=5")
        #expect(
          reply["Link"]?.hasPrefix(
            "<https://api.example/tsugi/api/v2/items?page=1&per_page=5&query=a%20b>; rel=\"first\"")
            == true)
      }
    }
  }

  @Test(arguments: [
    (["127.0.0.0/8"], "https", "https"), (["127.0.0.0/8"], "http, HTTPS", "https"),
    (["127.0.0.0/8"], "ftp", "http"), (["10.0.0.0/8"], "https", "http"), ([], "https", "http"),
  ])
  func aTrustedProxySaysHowTheClientCame(
    trusted: [String], forwarded: String, scheme: String
  ) async throws {
    var settings = ServerSettings()
    settings.trustedProxies = trusted.compactMap(AddressRange.init)
    try await Stand.run(try await Stand(smallWorld(60), settings: settings)) { stand in
      for _ in 0..<2 {
        let plain = try stand.client.hit("/api/v2/items")
        #expect(plain["Link"]?.hasPrefix("<http://localhost/") == true)
        let reply = try stand.client.hit("/api/v2/items", ["X-Forwarded-Proto: \(forwarded)"])
        #expect(reply["Link"]?.hasPrefix("<\(scheme)://localhost/") == true)
      }
    }
  }

  @Test func finishedAnswersAreGivenAgain() async throws {
    try await Stand.run(try await Stand(smallWorld(60), time: HandClock())) { stand in
      for target in ["/api/v2/items", "/api/v2/items?page=2", "/api/v2/tags"] {
        _ = try stand.client.get(target)
        let whole = try stand.client.get(target)
        for _ in 0..<3 {
          let reply = try stand.client.hit(target)
          #expect(reply.body == whole.body)
          let names = Set(whole.fields.map(\.name)).subtracting(["Connection"])
          #expect(Set(reply.fields.map(\.name)) == names)
          for name in ["Link", "Total-Count", "ETag", "Content-Type", "Rate-Limit"] {
            #expect(reply[name] == whole[name], "\(name)")
          }
          let known = try stand.client.hit(target, ["If-None-Match: \(whole["ETag"] ?? "")"])
          #expect(known.status == 304 && known.body.isEmpty)
        }
      }
      let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
      #expect(metrics.contains(#"route="page",status="304"} 9"#))
    }
  }

  @Test func headHasNoBody() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let whole = try stand.client.get("/api/v2/items?per_page=3")
      let head = try stand.client.get("/api/v2/items?per_page=3", method: "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head["Link"] == whole["Link"])
      #expect(head["Content-Length"] == "\(whole.body.count)")
    }
  }

  @Test func anExpiredPositionFallsBackToTheNumber() async throws {
    let stand = try await Stand(smallWorld(300))
    let tag = try #require(try clients(stand).there.get("tags").ids.first)
    let path = "tags/\(percentEncoded(tag.utf8))/items?per_page=3"
    let next = try #require(try clients(stand).here.get(path).links["next"])
    await stand.stop()
    // Another store: positions in a feed without order mean nothing there.
    try await Stand.run(try await Stand(smallWorld(300))) { stand in
      let (here, there) = try clients(stand)
      #expect(next.contains("startAfter="))
      #expect(try here.get(url: next).ids == there.get("\(path)&page=2").ids)
    }
  }

  @Test func commentsComeAllAtOnce() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      let likers = (0..<150).map { "fan-\($0)" }
      let body = likers.map { #"{"user":{"id":"\#($0)"}}"# }.joined(separator: ", ")
      stand.qiita.script([
        .answer(Answer(status: 200, fields: [], body: Array("[\(body)]".utf8)))
      ])
      let likes = try clients(stand).here.get("items/\(id)/likes?page=3&per_page=2")
      #expect(likes.ids == likers)
      #expect(likes.links.isEmpty)
    }
  }
}
