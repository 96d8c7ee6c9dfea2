import Assembly
import Bytes
import Feed
import Foundation
import HTTP
import JSONBytes
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

/// The page at `/`, and what only an operator is told.
@Suite struct ExplorerTests {
  private func stand(
    _ world: World = smallWorld(50), _ change: (inout ServerSettings) -> Void = { _ in }
  ) async throws -> Stand {
    var settings = ServerSettings()
    settings.page = { .shared }
    change(&settings)
    return try await Stand(world, settings: settings)
  }

  /// The page as its files have it, in the order that `explorer.c` names.
  private static func page() throws -> (whole: [UInt8], style: [UInt8], script: [UInt8]) {
    let folder = Checkout.root.appending(path: "Sources/CExplorer")
    let list = try String(contentsOf: folder.appending(path: "explorer.c"), encoding: .utf8)
    let names = list.matches(of: /#embed "(.*)"/).map { String($0.output.1) }
    let parts = { (suffix: String) in
      try names.filter { $0.hasSuffix(suffix) }.map { name in
        try Array(Data(contentsOf: folder.appending(path: name)))
      }.flatMap(\.self)
    }
    let (frame, style, script) = (try parts(".html"), try parts(".css"), try parts(".js"))
    var text = String(decoding: frame, as: UTF8.self)
    for (end, part) in [("</style>", style), ("</script>", script)] {
      text = text.replacingOccurrences(of: end, with: String(decoding: part, as: UTF8.self) + end)
    }
    return (Array(text.utf8), style, script)
  }

  @Test func servesThePageAsItsFilesHaveIt() async throws {
    let (whole, style, script) = try Self.page()
    #expect(whole.count > 10_000)
    try await Stand.run(try await stand()) { stand in
      let reply = try stand.client.get("/")
      #expect(reply.status == 200 && reply.body == whole)
      #expect(reply["Content-Type"] == "text/html; charset=utf-8")
      let policy = try #require(reply["Content-Security-Policy"])
      for (name, part) in [("script-src", script), ("style-src", style)] {
        let digest = Base64URL.padded(SHA256.digest(of: part))
        #expect(policy.contains("\(name) 'sha256-\(digest)';"))
      }
      for word in [
        "default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
      ] { #expect(policy.contains(word)) }
      #expect(!policy.contains("unsafe"))
    }
  }

  /// The most bytes of the page in the program. Merged feeds took 2,200 of them; what else is added
  /// is earned elsewhere in it.
  private static let bytesMax = 99_000

  /// Nothing in it is handled by an attribute or loaded from elsewhere, and it is small.
  @Test func thePageIsItsOwn() throws {
    let text = String(decoding: try Self.page().whole, as: UTF8.self)
    for word in ["innerHTML", "insertAdjacentHTML", "eval(", "document.write", "new Function"] {
      #expect(!text.contains(word), "\(word)")
    }
    #expect(text.firstMatch(of: /<[a-z]+ [^>]*\bon[a-z]+=/) == nil)
    #expect(text.firstMatch(of: /<[a-z]+ [^>]*\bstyle=/) == nil)
    #expect(text.firstMatch(of: /(src|href)="(https?:)?\/\//) == nil)
    #expect(text.utf8.count <= Self.bytesMax, "\(text.utf8.count) bytes")
    #expect(try #require(ExplorerPage.shared.compressed).count <= 34 << 10)
  }

  @Test func thePageIsKeptByItsTag() async throws {
    try await Stand.run(try await stand()) { stand in
      let whole = try stand.client.get("/")
      let smaller = try stand.client.get("/", ["Accept-Encoding: gzip"])
      #expect(smaller["Content-Encoding"] == "gzip" && smaller.body.count < whole.body.count / 2)
      let (tag, other) = (try #require(whole["ETag"]), try #require(smaller["ETag"]))
      // Two representations have two strong validators.
      #expect(tag != other && !tag.hasPrefix("W/"))
      for (lines, status) in [
        (["If-None-Match: \(tag)"], 304), (["If-None-Match: \(other)"], 200),
        (["Accept-Encoding: gzip", "If-None-Match: \(other)"], 304), (["If-Match: \(tag)"], 200),
        (["If-Match: \"other\""], 412),
      ] {
        let reply = try stand.client.get("/", lines)
        #expect(reply.status == status, "\(lines)")
        if status == 304 { #expect(reply.body.isEmpty && reply["Cache-Control"] == "no-cache") }
      }
      let head = try stand.client.get("/", method: "HEAD")
      #expect(head.status == 200 && head.body.isEmpty)
      #expect(head["Content-Length"] == "\(whole.body.count)")
      #expect(try stand.client.get("/", method: "POST").status == 405)
    }
  }

  /// A browser has no key to ask for the page by; what it shows wants one.
  @Test func thePageNeedsNoKeyAndIsNoOtherOriginsToRead() async throws {
    let stand = try await stand {
      $0.gate.apiKeys = [Array("a-secret-key".utf8)]
      $0.gate.allowedOrigins = ["*"]
      $0.gate.allowedHosts = ["localhost"]
      $0.tellsOperator = true
    }
    try await Stand.run(stand) { stand in
      let page = try stand.client.get("/", ["Origin: https://evil.example"])
      #expect(page.status == 200)
      #expect(page["Access-Control-Allow-Origin"] == nil && page["Vary"] == "Accept-Encoding")
      #expect(try stand.client.get("http://evil.example/").status == 403)
      for target in ["/v1", "/v1:status", "/v1/qiita:calls", "/v1/qiita:feeds"] {
        #expect(try stand.client.get(target).status == 401, "\(target)")
        let key = ["Authorization: Bearer a-secret-key"]
        #expect(try stand.client.get(target, key).status == 200, "\(target)")
      }
    }
  }

  @Test func whatIsSwitchedOffIsNotThere() async throws {
    let targets = ["/", "/v1:status", "/v1/qiita:calls", "/v1/qiita:feeds", "/demo/present"]
    for (page, all, there) in [(false, false, 0), (true, false, 1), (true, true, 4)] {
      let stand = try await stand {
        if !page { $0.page = nil }
        $0.tellsOperator = all
      }
      try await Stand.run(stand) { stand in
        for (index, target) in targets.enumerated() {
          let reply = try stand.client.get(target)
          #expect(reply.status == (index < there ? 200 : 404), "\(target)")
          if index >= there { #expect(try reply.problem().code == "not_found") }
        }
      }
    }
  }

  /// What a client must know to read a feed of any recipe: the parts of its path, the parameters
  /// it takes, and where an item's identity stands.
  @Test(arguments: [
    (
      #""repos/:owner/:repo/issues":{"id":"node.key","one":"issues/{id}","allow":["q","state"]}"#,
      #""identity":"node.key","variables":["owner","repo"],"parameters":["q","state"],"one":true"#
    ),
    (#""hits":{"id":"@odata.id"}"#, #""identity":"@odata.id","variables":[],"parameters":[]"#),
    (#""hits":{"id":"/@odata.id"}"#, #""identity":"/@odata.id","variables":[]"#),
    (#""hits":{"item":"story","id":"key"}"#, #""identity":null,"#),
    (#""hits":{"id":"objectID"}"#, #""identity":"objectID","#),
  ])
  func indexTellsWhatAFeedAsksFor(feed: String, told: String) async throws {
    let stand = try await RecipeStand(
      #"{"kind":"http","baseURL":"http://127.0.0.1:1","pages":{"size":"n"},"feeds":{\#(feed)}}"#)
    let index = try stand.client.get("/v1")
    await stand.stop()
    #expect(index.faults(as: "Index").isEmpty, "\(index.faults(as: "Index"))")
    let text = String(decoding: index.body, as: UTF8.self)
    #expect(text.contains(told), "\(text)")
  }

  @Test func tellsHowItStandsInItsShape() async throws {
    try await Stand.run(try await stand(smallWorld(300)) { $0.tellsOperator = true }) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=100")
      stand.qiita.script([.fault(.serverError)])
      _ = try stand.client.post("/v1/qiita/items:refresh")
      let status = try stand.client.get("/v1:status")
      #expect(status.faults(as: "Server").isEmpty, "\(status.faults(as: "Server"))")
      let calls = try stand.client.get("/v1/qiita:calls")
      #expect(calls.faults(as: "Calls").isEmpty, "\(calls.faults(as: "Calls"))")
      let feeds = try stand.client.get("/v1/qiita:feeds")
      #expect(feeds.faults(as: "StoredFeeds").isEmpty, "\(feeds.faults(as: "StoredFeeds"))")
      let secrets = ["127.0.0.1", "localhost", "token"]
      for reply in [status, calls, feeds] {
        let text = String(decoding: reply.body, as: UTF8.self)
        for secret in secrets { #expect(!text.contains(secret)) }
      }
    }
  }

  private struct Calls: Decodable {
    struct Call: Decodable {
      var number: Int
      var feed: String
      var purpose: String
      var page: Int?
      var outcome: String
      var elements: Int?
    }
    var boot: String
    var calls: [Call]
    var next: Int
  }

  @Test func tellsCallsAfterANumber() async throws {
    try await Stand.run(try await stand(smallWorld(50)) { $0.tellsOperator = true }) { stand in
      func calls(_ query: String) throws -> Calls {
        let reply = try stand.client.get("/v1/qiita:calls\(query)")
        return try JSONDecoder().decode(Calls.self, from: Data(reply.body))
      }
      #expect(try calls("").next == 0)
      let slice = try stand.client.get("/v1/qiita/items?limit=3").slice()
      _ = try stand.client.get("/v1/qiita/items/\(slice.ids[0])?wait=0")
      _ = try stand.client.get("/v1/qiita/tags?limit=2")
      let all = try calls("")
      #expect(all.calls.map(\.number) == Array(1...all.calls.count))
      #expect(Set(all.calls.map(\.feed)) == ["qiita/items", "qiita/tags"])
      #expect(all.calls[0].page == 1 && all.calls[0].outcome == "ok")
      #expect(all.next == all.calls.count)
      let rest = try calls("?since=1&limit=1")
      #expect(rest.calls.map(\.number) == [2] && rest.boot == all.boot)
      #expect(try calls("?since=\(all.next)").calls.isEmpty)
      for query in ["?since=-1", "?since=a", "?limit=0", "?page=1"] {
        #expect(try stand.client.get("/v1/qiita:calls\(query)").status == 400, "\(query)")
      }
    }
  }

  private struct Feeds: Decodable {
    struct Row: Decodable {
      var feed: String
      var path: String
      var query: String?
      var items: Int
      var bytes: Int
    }
    var feeds: [Row]
    var hasMore: Bool
    var next: String?
  }

  /// Page by page every stored feed comes once, the last read first.
  @Test func listsStoredFeedsByPages() async throws {
    try await Stand.run(try await stand(smallWorld(50)) { $0.tellsOperator = true }) { stand in
      for target in ["items", "tags", "users", "items?query=tag%3ASwift"] {
        _ = try stand.client.get("/v1/qiita/\(target)\(target.contains("?") ? "&" : "?")limit=5")
      }
      var names: [String] = []
      var target: String? = "/v1/qiita:feeds?limit=1"
      while let present = target {
        let reply = try stand.client.get(present)
        let page = try JSONDecoder().decode(Feeds.self, from: Data(reply.body))
        names += page.feeds.map(\.feed)
        #expect(page.feeds.allSatisfy { $0.items > 0 && $0.bytes > 0 })
        #expect(page.hasMore == (page.next != nil))
        target = page.next
      }
      #expect(names.first == "qiita/items?query=tag%3ASwift" && Set(names).count == 4)
      let none = try stand.client.get("/v1/qiita:feeds?startAfter=qiita/none")
      #expect(try none.problem().parameter == "startAfter")
    }
  }

  /// Where a run begins and where it goes on are positions that a reader can ask for.
  @Test func aRunIsReadFromItsCursors() async throws {
    try await Stand.run(try await VerbTests.standWithGap(of: 300)) { stand in
      _ = try stand.client.post("/v1/qiita/items:refresh")
      let reply = try stand.client.get("/v1/qiita/items:status")
      let status = try JSONDecoder().decode(StatusEnvelope.self, from: Data(reply.body))
      #expect(status.runs.count == 2 && status.wall == 10_000)
      for run in status.runs {
        let start = try #require(run.startCursor)
        #expect(run.proofs?.reduce(0) { $0 + $1.items } == run.items)
        let slice = try stand.client.get("/v1/qiita/items?wait=0&limit=1&startAt=\(start)").slice()
        #expect(slice.ids.count == 1 && slice.envelope.startCursor == start)
      }
      let ranks = status.runs.compactMap(\.rank)
      #expect(ranks.count == 2 && ranks[0] < ranks[1])
      let gap = try #require(status.gaps.first)
      #expect(gap.rank.map { $0 > ranks[0] && $0 < ranks[1] } == true)
      let slice = try stand.client.get("/v1/qiita/items?limit=100&wait=0").slice()
      #expect(slice.envelope.gap?.estimatedItems == gap.estimatedItems)
      #expect(slice.envelope.gap?.sunk == false)
    }
  }
}
