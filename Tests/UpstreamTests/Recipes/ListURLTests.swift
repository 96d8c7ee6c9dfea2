import Bytes
import Feed
import Settings
import Support
import Testing

@testable import Upstream

/// How windows are asked for, by every way of addressing.
@Suite struct ListURLTests {
  /// A source of one feed.
  static func recipe(_ feeds: String, _ rest: String = "") throws -> Recipe {
    let json = #"""
      {"server":{"apiKeys":["key-of-a-test"]},"sources":{"s":{"kind":"http",
      "baseURL":"http://127.0.0.1:9/api","feeds":{\#(feeds)}\#(rest)}}}
      """#
    let configuration = try Configuration.read(Array(json.utf8))
    guard case .http(let http) = configuration.sources["s"] else { throw FetchError.notFound }
    return http.recipe
  }

  static func feed(_ recipe: Recipe, _ parts: String...) throws -> FeedID {
    let pattern = try #require(recipe.patterns.first)
    return FeedID(source: "s", pattern: pattern, parts: parts.map { Array($0.utf8) })
  }

  private func url(_ recipe: Recipe, _ window: Window, _ feed: FeedID) throws -> String {
    let list = try #require(recipe.lists.first)
    return try ListURL(recipe, list).text(of: window, feed)
  }

  @Test(arguments: [
    (#"{"size":"n"}"#, Window(page: 3, perPage: 7), "page=3&n=7"),
    (#"{"size":"n","first":0,"at":"p"}"#, Window(page: 3, perPage: 7), "p=2&n=7"),
    (#"{"max":20,"accept":"none"}"#, Window(page: 3, perPage: 20), "page=3"),
    (
      #"{"by":"offset","size":"page[size]"}"#, Window(offset: 9, perPage: 7),
      "offset=9&page%5Bsize%5D=7"
    ),
    (
      #"{"by":"offset","size":"n","first":1}"#, Window(offset: 9, perPage: 7), "offset=10&n=7"
    ),
    (#"{"by":"item","at":"after","size":"n"}"#, Window(.mark(nil, rank: 0), perPage: 7), "n=7"),
    (
      #"{"by":"item","at":"after","size":"n"}"#, Window(.mark("a b", rank: 5), perPage: 7),
      "after=a%20b&n=7"
    ),
    (#"{"by":"next","at":"c","start":"*"}"#, Window(.mark(nil, rank: 0), perPage: 7), "c=%2A"),
    (#"{"by":"next","at":"c"}"#, Window(.mark("t&x", rank: 7), perPage: 7), "c=t%26x"),
  ])
  func aWindowIsWrittenAsItsPagesSay(pages: String, window: Window, query: String) throws {
    let recipe = try Self.recipe(#""posts":{"pages":\#(pages)}"#)
    let text = try url(recipe, window, Self.feed(recipe, "posts"))
    #expect(text == "http://127.0.0.1:9/api/posts?\(query)")
  }

  /// What says where a page begins is said once, whatever is always asked for; where nothing names
  /// the place, that does.
  @Test(arguments: [
    (#"{"size":"n"}"#, Window(page: 3, perPage: 7), "page=3&n=7&q=x"),
    (#"{"by":"next","at":"page"}"#, Window(.mark(nil, rank: 0), perPage: 7), "n=1&page=1&q=x"),
    (#"{"by":"next","at":"page"}"#, Window(.mark("t", rank: 7), perPage: 7), "page=t&n=1&q=x"),
  ])
  func aPlaceIsSaidOnce(pages: String, window: Window, query: String) throws {
    let recipe = try Self.recipe(
      #""posts":{"query":{"n":"1","page":"1","q":"x"},"pages":\#(pages)}"#)
    let text = try url(recipe, window, Self.feed(recipe, "posts"))
    #expect(text == "http://127.0.0.1:9/api/posts?\(query)")
  }

  /// 2023-11-15 07:13:20 in Tokyo.
  @Test(arguments: [
    (#"{"at":"until"}"#, [], "until=2023-11-14T22%3A13%3A20.999Z"),
    (#"{"at":"q","write":"t:<={}","grain":"second"}"#, [], "q=t%3A%3C%3D2023-11-14T22%3A13%3A20Z"),
    (#"{"at":"q","write":"t:<={}","grain":"day"}"#, [], "q=t%3A%3C%3D2023-11-14"),
    (#"{"at":"q","write":"t:<={}","grain":"day","zone":9}"#, [], "q=t%3A%3C%3D2023-11-15"),
    (
      #"{"at":"q","write":"t:<={}","grain":"day","zone":9}"#, ["a&b"],
      "q=a%26b%20t%3A%3C%3D2023-11-15"
    ),
  ])
  func whatLiesPastTheWallIsAskedForByItsKey(
    past: String, asked: [String], query: String
  ) throws {
    let recipe = try Self.recipe(
      #""posts":{"order":"-t","allow":["q"],"pages":{"size":"n","deepest":9,"past":\#(past)}}"#)
    let feed = try Self.feed(recipe, "posts").with(asked.map { ("q", Array($0.utf8)) })
    var window = Window(page: 3, perPage: 7)
    window.segment = Window.Segment(keyMax: 1_700_000_000_999, rank: 900)
    let text = try url(recipe, window, feed)
    #expect(text == "http://127.0.0.1:9/api/posts?page=3&n=7&\(query)")
  }

  /// What is at or before an instant, page by page; where the instant itself is not included, the
  /// one after it is named.
  @Test(arguments: [(true, "todate=1700000000"), (false, "todate=1700000001")])
  func anInstantIsAskedForPageByPage(includes: Bool, query: String) throws {
    let recipe = try Self.recipe(
      #""posts":{"order":"-t","time":"seconds","pages":{"by":"time","at":"todate","#
        + #""includes":\#(includes),"size":"n","inside":"page"}}"#)
    let feed = try Self.feed(recipe, "posts")
    var window = Window(page: 3, perPage: 7)
    window.segment = Window.Segment(keyMax: 1_700_000_000, rank: 900)
    window.segment?.isInside = true
    #expect(try url(recipe, window, feed) == "http://127.0.0.1:9/api/posts?\(query)&page=3&n=7")
    #expect(feed.pattern.paging.isPagedInside)
  }

  @Test func variablesAndParametersGoWhereTheRecipeSays() throws {
    let recipe = try Self.recipe(
      #""of/:owner/list":{"path":"a/{owner}/b","query":{"q":"user:{owner} x"},"#
        + #""allow":{"label":"tags"},"pages":{"size":"n"}}"#)
    let feed = try Self.feed(recipe, "of", "jo-e", "list").with([("label", Array("a&b".utf8))])
    #expect(feed.name == "s/of/jo-e/list?label=a%26b")
    let text = try url(recipe, Window(page: 1, perPage: 5), feed)
    #expect(
      text == "http://127.0.0.1:9/api/a/jo-e/b?page=1&n=5&q=user%3Ajo-e%20x&tags=a%26b")
  }

  /// What ends up inside of a larger text upstream cannot end that text.
  @Test(arguments: ["x) or (1", "a b", "\"", "ä", "a:b", "a/b"])
  func aVariableInsideOfATextIsPlain(value: String) throws {
    let recipe = try Self.recipe(
      #""of/:owner/list":{"query":{"q":"user:{owner} x"},"pages":{"size":"n"}}"#)
    let pattern = try #require(recipe.patterns.first)
    #expect(!pattern.matches(["of", value, "list"].map { Array($0.utf8) }))
    #expect(pattern.matches(["of", "jo-e_1.x", "list"].map { Array($0.utf8) }))
  }

  @Test func onlyTheValuesThatAreNamedAreTaken() throws {
    let recipe = try Self.recipe(
      #""of/:owner/list":{"values":{"owner":["apple"]},"pages":{"size":"n"}}"#)
    let pattern = try #require(recipe.patterns.first)
    #expect(pattern.matches(["of", "apple", "list"].map { Array($0.utf8) }))
    #expect(!pattern.matches(["of", "other", "list"].map { Array($0.utf8) }))
  }

  @Test(arguments: [
    "http://127.0.0.1:9/api/posts?cursor=x", "http://127.0.0.1:9/api?x",
    "http://127.0.0.1:9/api/p%20s/..x/.x/x..?a=../b&c=%2e%2e/", "http://127.0.0.1:9/api/50%",
    "http://127.0.0.1:9/api/a%2Fb/%E3%81%82;v=1",
  ])
  func aNextBelowTheBaseIsFollowedAsItIs(next: String) throws {
    let recipe = try Self.recipe(#""posts":{"pages":{"by":"next","next":"next"}}"#)
    let window = Window(.mark(next, rank: 5), perPage: 5)
    #expect(try url(recipe, window, Self.feed(recipe, "posts")) == next)
  }

  @Test(arguments: [
    "http://127.0.0.1:9/apix?p=2", "http://127.0.0.1:99/api/p", "https://127.0.0.1/api/p",
    "http://127.0.0.1:9@evil.example/api/p", "http://evil.example/api/p", "/p", "",
    "http://127.0.0.1:9/api/../admin", "http://127.0.0.1:9/api/%2e%2e/admin",
    "http://127.0.0.1:9/api/%2E%2E/admin", "http://127.0.0.1:9/api/.%2e/admin",
    "http://127.0.0.1:9/api/%2e./admin", "http://x@127.0.0.1:9/api/p", "#x", "http:p",
    "http://127.0.0.1:9/api/%252e%252e/admin", "http://127.0.0.1:9/api/%25252e./admin",
    "http://127.0.0.1:9/api/a%2f..%2f..%2fadmin", "http://127.0.0.1:9/api/a%5C..%5C..%5Cadmin",
    "http://127.0.0.1:9/api/..%5cadmin", "http://127.0.0.1:9/api/%FF/%2e%2e/%2e%2e/admin",
    "http://127.0.0.1:9/api/..;/admin", "http://127.0.0.1:9/api/%2e%2e%3bx/admin",
    "http://127.0.0.1:9/api/%2e%2e", "http://127.0.0.1:9/api/a\u{1}b", "///api/p", "http:///api/p",
    "ftp://127.0.0.1:9/api/p", "http://127.0.0.1:9/api\\@evil/",
    "http://127.0.0.1:9/api/" + String(repeating: "x", count: 5_000),
  ])
  func aNextElsewhereIsNot(next: String) throws {
    let recipe = try Self.recipe(#""posts":{"pages":{"by":"next","next":"next"}}"#)
    #expect(throws: FetchError.self) {
      try url(recipe, Window(.mark(next, rank: 5), perPage: 5), Self.feed(recipe, "posts"))
    }
  }

  @Test func aSecretGoesWhereItBelongsAndNowhereElse() throws {
    let feeds = #""posts":{"pages":{"size":"n"}}"#
    let credentials: [(String, String?, Bool)] = [
      (#"{"bearer":"s3cret-x"}"#, "Authorization: Bearer s3cret-x", false),
      (#"{"basic":["jo","s3cret-x"]}"#, "Authorization: Basic am86czNjcmV0LXg=", false),
      (#"{"basic":["s3cret-x",""]}"#, "Authorization: Basic czNjcmV0LXg6", false),
      (#"{"header":"X-Key","value":"s3cret-x"}"#, "X-Key: s3cret-x", false),
      (#"{"query":"key","value":"s3cret-x"}"#, nil, true),
    ]
    for (auth, line, isInURL) in credentials {
      let recipe = try Self.recipe(feeds, #","auth":\#(auth)"#)
      #expect(recipe.credential?.headerLine == line)
      let text = try url(recipe, Window(page: 1, perPage: 5), Self.feed(recipe, "posts"))
      #expect(text.contains("s3cret-x") == isInURL)
      #expect(!"\(recipe)".contains("s3cret-x"))
    }
  }

  @Test func marksAreWrittenAsTheRecipeSays() throws {
    let item = PageItem(
      id: Identity("a7"), key: 1_700_000_000, updatedAt: nil,
      bytes: Array(#"{"id":"a7","name":{"full":"t3_a7"}}"#.utf8))
    func list(_ rest: String) throws -> ListURL {
      let recipe = try Self.recipe(#""posts":{\#(rest)}"#)
      return ListURL(recipe, try #require(recipe.lists.first))
    }
    #expect(try list(#""pages":{"by":"item","at":"after"}"#).mark(of: item) == "a7")
    #expect(
      try list(#""pages":{"by":"item","at":"after","value":"name.full"}"#).mark(of: item) == "t3_a7"
    )
    let older = #""order":"-created","time":"seconds","pages":{"by":"time","at":"q""#
    #expect(try list(older + #","write":"t<{}"}"#).mark(of: 1_700_000_000) == "t<1700000001")
    #expect(try list(older + #","includes":true}"#).mark(of: 1_700_000_000) == "1700000000")
    let instant = #""order":"-created","pages":{"by":"time","at":"q","includes":true}"#
    #expect(try list(instant).mark(of: 1_700_000_000_250) == "2023-11-14T22:13:20.250Z")
    let number = #""order":"-id","time":"number","pages":{"by":"item","at":"max_id"}"#
    #expect(try list(number).mark(of: 41) == "42")
  }
}
