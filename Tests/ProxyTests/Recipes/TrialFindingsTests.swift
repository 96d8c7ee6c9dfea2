import Feed
import HTTP
import Settings
import Support
import Testing
import Upstream

/// What the trial of a recipe says of habits that have a key.
@Suite(.serialized) struct TrialFindingsTests {
  private func findings(
    feed: String = "", pages: String, base: String = "",
    answering rule: @escaping @Sendable (RuledUpstream.Call) -> Response
  ) async throws -> (texts: [String], wrong: [String]) {
    let upstream = try await RuledUpstream(answering: rule)
    let json = """
      {"sources":{"s":{"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)\(base)",
      "pages":{\(pages)},"feeds":{"items":{"items":"items"\(feed)}}}}}
      """
    let configuration = try Configuration.read(Array(json.utf8))
    guard case .http(let http)? = configuration.sources["s"] else { throw FetchError.notFound }
    let client = try UpstreamClient(version: "test")
    let clock = HandClock(at: Timestamp(seconds: 1_765_300_000))
    let fetcher = ListFetcher(http.recipe, client: client, clock: clock)
    let feed = FeedID(source: "s", pattern: http.recipe.patterns[0], parts: [Array("items".utf8)])
    var trial = RecipeTrial(of: http.recipe.lists[0], feed, through: fetcher)
    let findings = await trial.run()
    await client.close()
    await upstream.stop()
    return (findings.map(\.text), findings.filter(\.isWrong).map(\.text))
  }

  /// Elements of a list of so many, from the offset that a call names on.
  private static func page(
    _ call: RuledUpstream.Call, of count: Int, _ rest: String = "", isRounded: Bool = false,
    _ fields: [(String, String)] = []
  ) -> Response {
    let size = max(1, min(100, call.number("n", or: 10)))
    let offset = call.number("offset", or: 0)
    let from = min(count, isRounded ? offset / size * size : offset)
    return Response(json: Response.elements(from..<min(count, from + size), rest), fields)
  }

  @Test(arguments: [
    #""by":"offset","size":"n","total":"total""#, #""by":"next","at":"t","size":"n""#,
    #""size":"n","more":"more""#,
  ])
  func anEmptyListIsNoFault(pages: String) async throws {
    let found = try await findings(pages: pages) { Self.page($0, of: 0) }
    #expect(found.wrong.isEmpty)
    #expect(found.texts.contains { $0.contains("the list is empty") })
  }

  @Test func anEmptyListThatCountsElementsIsOne() async throws {
    let found = try await findings(pages: #""by":"offset","size":"n","total":"total""#) {
      Self.page($0, of: 0, #","total":7"#)
    }
    #expect(found.wrong == ["items: 0 elements, and the total is 7"])
  }

  @Test(arguments: [("", "/api", #"write "items/""#), (#","path":"""#, "/api", #"write "/""#)])
  func aRedirectOfEachCallIsToldWithThePath(
    feed: String, base: String, words: String
  ) async throws {
    let found = try await findings(feed: feed, pages: #""by":"offset","size":"n""#, base: base) {
      guard $0.path.hasSuffix("/") else {
        let query = $0.parameters.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return Response(status: 301, fields: ["location": "\($0.path)/?\(query)"])
      }
      return Self.page($0, of: 300)
    }
    #expect(found.wrong.count == 1)
    #expect(found.wrong.first?.contains(words) == true)
  }

  @Test(arguments: [true, false])
  func aRoundedOffsetIsToldWithItsKey(isAligned: Bool) async throws {
    let found = try await findings(
      pages: #""by":"offset","size":"n"\#(isAligned ? #","aligned":true"# : "")"#
    ) { Self.page($0, of: 300, isRounded: true) }
    #expect(found.wrong.contains { $0.hasPrefix("pages.aligned: true") } == !isAligned)
    #expect(found.wrong.isEmpty == isAligned)
  }

  /// What an API makes of page 0.
  enum PageZero: CaseIterable { case first, asPageOne, refused }

  /// Where pages count from 0 and the recipe does not say so, a page lacks.
  @Test(
    arguments: [#""size":"n","max":20"#, #""max":20,"accept":"none""#], PageZero.allCases)
  func aPageBeforeTheFirstIsNamedWithItsKey(pages: String, zero: PageZero) async throws {
    for first in ["", #","first":0"#] where zero == .first || first.isEmpty {
      let found = try await findings(pages: pages + first) { call in
        let (size, page) = (call.number("n", or: 20), call.number("page", or: 1))
        guard page > 0 || zero != .refused else { return Response(status: 400) }
        let from = min(300, (zero == .first ? page : max(1, page) - 1) * size)
        return Response(json: Response.elements(from..<min(300, from + size)))
      }
      let isNamed = found.wrong.contains { $0.hasPrefix("pages.first: 0 is needed") }
      #expect(isNamed == (zero == .first && first.isEmpty), "\(found)")
      #expect(found.wrong.isEmpty == !isNamed, "\(found)")
    }
  }

  @Test(arguments: [true, false])
  func anElementThatMustExistIsToldWithItsKey(isExisting: Bool) async throws {
    let found = try await findings(
      feed: #","order":"-n","time":"number""#,
      pages: #""by":"item","at":"after","value":"n","size":"s","more":"more""#
        + (isExisting ? #","existing":true"# : "")
    ) { call in
      let all = (0..<300).map { 9_000 - $0 * 3 }
      let after = call.parameters["after"].map { text in all.firstIndex { "\($0)" == text } }
      if after == .some(nil) { return Response(status: 404) }
      let items = all.dropFirst(((after ?? nil) ?? -1) + 1).prefix(call.number("s", or: 10))
      let json = items.map { #"{"id":"i\#($0)","n":\#($0)}"# }.joined(separator: ",")
      return Response(json: #"{"items":[\#(json)],"more":true}"#)
    }
    #expect(found.wrong.contains { $0.hasPrefix("pages.existing: true") } == !isExisting)
    #expect(found.wrong.isEmpty == isExisting)
  }

  /// `eyJvZmZzZXQiOjIwfQ==` is `{"offset":20}`.
  @Test(arguments: [
    ("eyJvZmZzZXQiOjIwfQ==", true), ("20", true), ("/items?n=20&page=2", true),
    ("/items?n=20&page%5Bnumber%5D=2", true), ("/items?n=20&cursor=CAoQAA", false),
    ("CAoQAA", false), ("i19", false),
  ])
  func aNextThatCountsIsToldWithItsKey(next: String, isCounting: Bool) async throws {
    let at = next.hasPrefix("/") ? "" : #","at":"offset""#
    for isCounted in [false, true] {
      let key = isCounted ? #","counted":true,"accept":"none""# : ""
      let found = try await findings(
        pages: #""by":"next","next":"next","size":"n","max":20\#(at)\#(key)"#
      ) { call in
        let isSecond = call.number > 0
        let from = isSecond ? 20 : 0
        return Response(
          json: Response.elements(
            from..<from + 20, #","next":\#(isSecond ? "null" : "\"\(next)\"")"#))
      }
      let isTold = found.wrong.contains { $0.hasPrefix("pages.counted: ") }
      #expect(isTold == (isCounting && !isCounted), "\(found)")
    }
  }

  /// `page` counts the links of an answer by `offset`.
  @Test(arguments: [true, false])
  func aLinkThatAlwaysGoesOnIsToldWithItsKey(isHeard: Bool) async throws {
    let found = try await findings(
      pages: #""by":"offset","size":"n","total":"total"\#(isHeard ? "" : #","next":"none""#)"#
    ) {
      Self.page($0, of: 401, #","total":401"#, [("link", "</items?page=2>; rel=\"next\"")])
    }
    #expect(found.wrong.contains { $0.hasPrefix("pages.next: link:next goes on") } == isHeard)
    #expect(found.wrong.isEmpty == !isHeard)
  }

  @Test(arguments: [#","next":"/items?x=2""#, #","total":90"#])
  func aWholeListThatIsNotIsToldSo(rest: String) async throws {
    let found = try await findings(feed: #","order":"whole""#, pages: #""total":"total""#) { _ in
      Response(json: Response.elements(0..<30, rest))
    }
    #expect(found.wrong.contains { $0.hasPrefix("order: the answer is not whole") })
  }
}
