import Feed
import Freshness
import JSONBytes
import Simulator
import Support
import Testing

@testable import Probe
@testable import Upstream

/// What is found out of an API that is known: the simulator's, as it is and in other clothes.
@Suite struct InquiryTests {
  /// An API without sockets.
  private final class API {
    var qiita: Qiita
    var calls = 0
    /// Parameters that are known; others are refused. Nil where others are not heard.
    var known: Set<String>?
    /// What parameters are called instead.
    var names: [String: String] = [:]
    /// How an answer's body is changed.
    var dress: (String) -> String = { $0 }
    /// What is taken off a page's number.
    var firstPage = 1

    init(_ face: Face?, seed: UInt64 = 1, items: Int = 700, drift: Drift = Drift()) {
      let options = WorldOptions(
        seed: seed, itemCount: items, tieProbability: 0.2, bodyBytes: 20)
      qiita = Qiita(World(options), options: .init(drift: drift, budget: 1_000_000, face: face))
    }

    func answer(_ url: String, _ headerLines: [String]) -> Reply {
      calls += 1
      let target = url.dropFirst("http://api.example".count)
      let parts = target.split(separator: "?", maxSplits: 1)
      var pairs = parts.count > 1 ? Parameter.all(of: parts[1]) : []
      if let known, pairs.contains(where: { !known.contains($0.name) }) {
        return Reply(status: 400, fields: FieldList(), body: Array("{}".utf8))
      }
      for (theirs, ours) in names {
        pairs = pairs.filter { $0.name != ours }
          .map { $0.name == theirs ? Parameter(ours, $0.value) : $0 }
      }
      if firstPage != 1 {
        pairs = pairs.map { pair in
          pair.name == "page"
            ? Parameter("page", "\((Int(pair.value) ?? 0) + 1 - firstPage)") : pair
        }
      }
      let query = pairs.map { "\($0.name)=\($0.value.replacing("+", with: "%2B"))" }
        .joined(separator: "&")
      let tag = headerLines.first { $0.hasPrefix("If-None-Match: ") }?.dropFirst(15)
      let answer = qiita.answer(
        Call("\(parts[0])?\(query)", ifNoneMatch: tag.map(String.init)),
        nowSeconds: 1_765_300_000)
      var fields = FieldList()
      for field in answer.fields {
        fields.append(line: Array("\(field.name): \(field.value)".utf8))
      }
      let body = answer.status == 200 ? dress(String(decoding: answer.body, as: UTF8.self)) : "{}"
      return Reply(status: answer.status, fields: fields, body: Array(body.utf8))
    }
  }

  /// The list that is written down, as a server would read it.
  private func recipe(
    _ api: API, _ url: String = "http://api.example/items", callsMax: Int = Inquiry.callsMax
  ) async throws -> (list: ListRecipe, report: Report) {
    var probe = Inquiry(try #require(ListAddress(url)), callsMax: callsMax) { url, lines in
      api.answer(url, lines)
    }
    let report = try await probe.run()
    #expect(report.calls.count == api.calls)
    #expect(api.calls <= callsMax)
    return (try #require(report.recipe().lists.first), report)
  }

  @Test(arguments: Extent.pairs(Face.Addressing.allCases, Array(0..<12)).sample(20))
  func aFaceIsFoundOutWhileItMoves(_ addressing: Face.Addressing, seed: Int) async throws {
    var face = Face(addressing)
    if seed % 3 == 2 { face.pageSize = 25 + seed }
    if seed % 4 == 1 { face.total = .none }
    let drift = seed % 2 == 0 ? Drift([.insert: 1, .delete: 1], moveRate: 0) : Drift()
    let api = API(face, seed: UInt64(seed), drift: drift)
    let (list, report) = try await recipe(api)
    #expect(list.pages.by.rawValue == addressing.rawValue, "\(report.findings)")
    let names: [Face.Addressing: String] = [.item: "after", .time: "before", .next: "token"]
    #expect(list.pages.at == names[addressing], "\(report.findings)")
    #expect(list.pages.size == (face.pageSize == nil ? "size" : nil))
    #expect(list.pages.max == face.pageSize ?? 100)
    #expect(list.items.text == "items")
    #expect(list.id.text == "id")
    #expect(list.order.text == "-created_at")
    #expect(list.time == .rfc3339)
    #expect(!list.pages.includes)
    #expect(list.pages.total?.text == (face.total == .none ? nil : "total"))
    #expect(!list.pages.isExact, "that is never guessed")
  }

  @Test func qiitaIsFoundOut() async throws {
    let (list, report) = try await recipe(API(nil), "http://api.example/api/v2/items")
    #expect(list.pages.by == .page)
    #expect(list.pages.size == "per_page")
    #expect(list.pages.total?.text == "header:Total-Count")
    #expect(list.pages.beyond == [400])
    #expect(list.items.keys.isEmpty)
    #expect(report.source == "example")
  }

  @Test(arguments: [
    Face.Addressing.page: "page", .offset: "offset", .item: "after", .next: "token",
  ])
  func anApiThatRefusesWhatItDoesNotKnowIsFoundOut(
    _ addressing: Face.Addressing, name: String
  ) async throws {
    let api = API(Face(addressing))
    api.names = ["limit": "size", "cursor": "token", "starting_after": "after"]
    let theirs = ["token": "cursor", "after": "starting_after"][name] ?? name
    api.known = ["limit", theirs]
    api.dress = { $0.replacing("\"next\":", with: "\"next_cursor\":") }
    let (list, report) = try await recipe(api, callsMax: 20)
    #expect(list.pages.by.rawValue == addressing.rawValue, "\(report.findings)")
    #expect(list.pages.size == "limit")
    #expect(list.pages.atName == theirs)
  }

  @Test(arguments: [0, 1]) func pagesAreCountedFromWhereTheyBegin(first: Int) async throws {
    let api = API(Face(.page))
    api.firstPage = first
    let (list, report) = try await recipe(api)
    #expect((list.pages.first ?? 1) == first, "\(report.findings)")
  }

  @Test func whatElementsWrapIsTakenOut() async throws {
    let api = API(Face(.offset))
    api.dress = { body in
      guard let tree = try? JSONTree(json: Array(body.utf8)),
        case .array(let items)? = tree["items"]
      else { return body }
      let wrapped = items.map { JSONTree.object([.init("kind", .text("t3")), .init("data", $0)]) }
      return JSONTree.object([
        .init("data", .object([.init("children", .array(wrapped))])),
        .init("users", .array([.object([.init("id", .number("1"))])])),
      ]).pretty()
    }
    let (list, _) = try await recipe(api)
    #expect(list.items.text == "data.children")
    #expect(list.item.text == "data")
    #expect(list.id.text == "data.id")
    #expect(list.order.text == "-data.created_at")
  }

  @Test func whatTheUrlSaysBesidesIsKept() async throws {
    let api = API(nil)
    let url =
      "http://api.example/api/v2/items?query=created%3A%3E2000&page=3&per_page=7&token=geheim"
    let (list, report) = try await recipe(api, url)
    #expect(list.query.map(\.name) == ["query"])
    #expect(!report.configuration.contains("geheim"))
    #expect(!"\(report.findings)".contains("geheim"))
    #expect(report.configuration.contains(#""query": "token""#))
    #expect(report.variables == ["TSUGI_KEY", "EXAMPLE_TOKEN"])
  }

  @Test(arguments: [
    ("[]", "list is empty"), (#"{"a":[],"b":[]}"#, "list is empty"), ("{}", "no array"),
    ("<html>", "not JSON"), (#"["a","a"]"#, "no array"),
    (#"[{"x":1.5},{"x":1.5}]"#, "no array"), ("", "not JSON"),
  ])
  func whatIsNoListIsTold(body: String, words: String) async throws {
    let url = try #require(ListAddress("https://a.example/x"))
    var probe = Inquiry(url) { _, _ in
      Reply(status: 200, fields: FieldList(), body: Array(body.utf8))
    }
    do {
      _ = try await probe.run()
      Issue.record("it was taken")
    } catch {
      #expect("\(error)".contains(words))
    }
  }

  @Test func aListWhoseRestNothingShowsIsNotWrittenDown() async throws {
    let api = API(Face(.page))
    api.known = []
    var probe = Inquiry(try #require(ListAddress("http://api.example/items"))) { url, lines in
      api.answer(url, lines)
    }
    await #expect(throws: Inquiry.Failure.self) { try await probe.run() }
    #expect(api.calls <= Inquiry.callsMax)
    #expect(probe.report.findings.contains { $0.key == "items" && $0.value == "items" })
  }

  @Test(arguments: [
    "", "a.example/x", "ftp://a.example/x", "http://", "http://a.example", "http:///x",
  ])
  func whatIsNoUrlOfAListIsRefused(text: String) {
    #expect(ListAddress(text) == nil)
  }
}
