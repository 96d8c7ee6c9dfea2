import Settings
import Support
import Testing
import Wire

/// Recipes that say of an API what is not so: each is refused, or told by the log and a metric, and
/// none loops, serves an element twice or shows a secret to another host.
@Suite(.serialized) struct WrongRecipeTests {
  /// What is believed of an API of 120 elements, and how that really is.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The feed's keys, and its pages'.
    var feed = #""items":"items""#
    var pages = #""by":"offset","size":"size","max":20"#
    /// What it answers to a call; `elsewhere` is the port of another host.
    var answer: @Sendable (_ call: RuledUpstream.Call, _ elsewhere: Int) -> String

    init(
      _ name: String, feed: String? = nil, pages: String? = nil,
      _ answer: @escaping @Sendable (RuledUpstream.Call, Int) -> String = { call, _ in
        right(call)
      }
    ) {
      testDescription = name
      self.answer = answer
      if let feed { self.feed = feed }
      if let pages { self.pages = pages }
    }
  }

  private static let count = 120
  private static let ordered = #""items":"items","order":"-at","time":"seconds""#
  private static let byNext = #""by":"next","at":"token","next":"next","max":20"#

  private static func element(_ number: Int) -> String {
    let at = 1_700_000_000 - number * 7
    return #"{"id":"i\#(number)","at":\#(at),"other":\#(number * 37 % 101),"of":{"x":"y"}}"#
  }

  private static func page(_ numbers: some Sequence<Int>, _ rest: String = "") -> String {
    #"{"items":[\#(numbers.map(element).joined(separator: ","))]\#(rest)}"#
  }

  /// As the API really is: by offset and size, with these elements at its places.
  private static func right(
    _ call: RuledUpstream.Call, _ element: (Int) -> Int = { $0 }
  ) -> String {
    let from = min(max(0, call.number("offset", or: 0)), count)
    let size = min(max(0, call.number("size", or: 20)), 20)
    return page((from..<min(count, from + size)).map(element), #","total":\#(count)"#)
  }

  /// A page of 20 by a number, and what it says of the next: "0" would say that none follows.
  private static func paged(_ call: RuledUpstream.Call, next: String?) -> String {
    let from = min(max(0, call.number("token", or: 0)), count - 20)
    return page(from..<(from + 20), #","next":\#(next.map { "\"\($0)\"" } ?? "null")"#)
  }

  static let lackingFields = [
    Case("items elsewhere", feed: #""items":"results""#),
    Case("items deeper", feed: #""items":"items.of""#),
    Case("items of the whole", feed: #""order":"observed""#),
    Case("items in another member", feed: #""items":"total""#),
    Case("another id", feed: #""items":"items","id":"key""#),
    Case("a deeper id", feed: #""items":"items","id":"of.id""#),
    Case("an id that is an object", feed: #""items":"items","id":"of""#),
    Case("an item inside that is not there", feed: #""items":"items","item":"node""#),
    Case("an order by what is not there", feed: #""items":"items","order":"-created""#),
    Case("an order by a text", feed: #""items":"items","order":"-id","time":"seconds""#),
  ]

  private static let places: [@Sendable (Int) -> Int] = [
    { $0 }, { count - 1 - $0 }, { $0 * 37 % count }, { ($0 + 60) % count },
    { $0 ^ 1 }, { $0 / 20 * 20 + 19 - $0 % 20 }, { ($0 * 7 + 3) % count },
    { $0 < 60 ? 59 - $0 : $0 }, { $0 % 2 == 0 ? $0 / 2 : 119 - $0 / 2 }, { $0 ^ 3 },
  ]
  static let wrongOrders: [Case] = places.enumerated().map { index, place in
    let field = index == 0 ? "other" : "at"
    return Case(
      "order \(index)", feed: #""items":"items","order":"-\#(field)","time":"seconds""#
    ) { call, _ in right(call, place) }
  }

  static let wrongSizes: [Case] = [
    Case("the place is not taken") { _, _ in page(0..<20) },
    Case("the place is not taken, by time", feed: ordered) { _, _ in page(0..<20) },
    Case("the place and the size are not taken", feed: ordered) { _, _ in page(0..<50) },
    Case("the place is not taken, the size is") { call, _ in
      page(0..<call.number("size", or: 20))
    },
    Case("all comes at once") { _, _ in page(0..<count) },
    Case("all comes at once, by time", feed: ordered) { _, _ in page(0..<count) },
    Case("eleven elements a page", feed: ordered) { call, _ in
      let from = min(count, call.number("offset", or: 0))
      return page(from..<min(count, from + 11))
    },
    Case("an offset in pages", feed: ordered) { call, _ in
      let from = min(count, call.number("offset", or: 0) * 20)
      return page(from..<min(count, from + 20), #","total":\#(count)"#)
    },
    Case("a page of twelve", pages: #""size":"size","max":20"#) { call, _ in
      let from = (call.number("page", or: 1) - 1) * 12
      return page(min(count, from)..<min(count, from + 12), #","total":\#(count)"#)
    },
    Case("another parameter", pages: #""by":"offset","at":"skip","size":"limit","max":20"#),
  ]

  static let nextsElsewhere: [Case] = [
    "http://127.0.0.1:@/items", "http://localhost:@/items", "https://127.0.0.1:@/items",
    "//127.0.0.1:@/items", "http://127.0.0.1:#@127.0.0.1:@/items", "http://[::1]:@/items",
    "ftp://127.0.0.1:@/items", "http://127.0.0.1:#.example:@/items",
    "http://127.0.0.1:#\\\\@127.0.0.1:@/items", "file:///etc/passwd",
  ].map { url in
    Case("next \(url)", pages: #""by":"next","next":"next","max":20"#) { call, elsewhere in
      let own = call.fields.first { $0.lowercased().hasPrefix("host: ") }
      let port = own?.split(separator: ":").last.map(String.init) ?? ""
      let url = url.replacing("@/", with: "\(elsewhere)/").replacing("#", with: port)
      return paged(call, next: url)
    }
  }

  static let endlessNexts: [Case] = [
    Case("the same page, the same token", pages: byNext) { call, _ in
      page(0..<20, #","next":"x""#)
    },
    Case("the same page, another token", pages: byNext) { call, _ in
      page(0..<20, #","next":"\#(call.number + 1)""#)
    },
    Case("the same page by time", feed: ordered, pages: byNext) { call, _ in
      page(0..<20, #","next":"\#(call.number + 1)""#)
    },
    Case("two pages in turn", pages: byNext) { call, _ in
      paged(call, next: call.number("token", or: 0) == 0 ? "20" : "00")
    },
    Case("three pages in turn", feed: ordered, pages: byNext) { call, _ in
      paged(call, next: "0\((call.number("token", or: 0) + 20) % 60)")
    },
    Case("round and round", pages: byNext) { call, _ in
      paged(call, next: "0\((call.number("token", or: 0) + 20) % count)")
    },
    Case("round and round by time", feed: ordered, pages: byNext) { call, _ in
      paged(call, next: "0\((call.number("token", or: 0) + 20) % count)")
    },
    Case("empty pages", pages: byNext) { call, _ in
      call.parameters["token"] == nil
        ? page(0..<20, #","next":"1""#) : page([], #","next":"\#(call.number)""#)
    },
    Case("the last page again and again", feed: ordered, pages: byNext) { call, _ in
      paged(call, next: "\(min(100, call.number("token", or: 0) + 20))")
    },
    Case("a token that grows", pages: byNext) { call, _ in
      page(0..<20, #","next":"\#(String(repeating: "x", count: 1_000 * (call.number + 1)))""#)
    },
  ]

  static let all =
    lackingFields + wrongOrders + wrongSizes + nextsElsewhere
    + endlessNexts

  @Test(arguments: all.sample(25)) func isToldAndDoesNoHarm(wrong: Case) async throws {
    let elsewhere = try await RuledUpstream { _ in "[]" }
    let upstream = try await RuledUpstream { [port = elsewhere.port] in wrong.answer($0, port) }
    let source = """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)","public":true,
      "auth":{"bearer":"s3cret-of-a-test"},
      "pages":{\(wrong.pages)},"feeds":{"items":{\(wrong.feed)}}}
      """
    do {
      let stand = try await RecipeStand(source)
      let seen = try walk(stand)
      #expect(Set(seen.ids).count == seen.ids.count, "an element came twice")
      #expect(upstream.calls.count <= 60, "it loops: \(upstream.calls.count) calls")
      #expect(elsewhere.calls.isEmpty)
      let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
      let signs = metrics.split(separator: "\n").filter {
        $0.hasPrefix("tsugi_recipe_doubtful{") || $0.hasPrefix("tsugi_upstream_faulty_elements")
          || $0.hasPrefix("tsugi_upstream_calls_total{") && !$0.contains("outcome=\"ok\"")
      }
      #expect(!signs.filter { !$0.hasSuffix(" 0") }.isEmpty, "nothing is told: \(seen)")
      await stand.stop()
    } catch let problems as Configuration.Problems {
      #expect(!problems.all.isEmpty)
    }
    await upstream.stop()
    await elsewhere.stop()
  }

  /// What a patient reader is given: the identities, and how the requests ended that brought none.
  private func walk(_ stand: RecipeStand) throws -> (ids: [String], statuses: [Int]) {
    var ids: [String] = []
    var statuses: [Int] = []
    var next: String? = "/v1/s/items?limit=30"
    var requests = 0
    while let target = next, statuses.count < 4, requests < 40 {
      requests += 1
      let reply = try stand.client.get(target)
      guard reply.status == 200 else {
        statuses.append(reply.status)
        continue
      }
      let slice = try reply.slice()
      ids += slice.ids
      next = slice.envelope.next
    }
    return (ids, statuses)
  }
}
