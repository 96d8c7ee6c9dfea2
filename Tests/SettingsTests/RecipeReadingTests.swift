import Support
import Testing
import Upstream

@testable import Settings

/// Sources of kind `http`: what is taken, and what each fault is called.
@Suite struct RecipeReadingTests {
  private func problems(_ source: String, apiKeys: String = "[]") -> [String] {
    let json = #"{"server":{"apiKeys":\#(apiKeys)},"sources":{"s":\#(source)}}"#
    do throws(Configuration.Problems) {
      _ = try Configuration.read(Array(json.utf8))
      return []
    } catch {
      return error.all.map(\.description)
    }
  }

  private func source(_ feed: String, _ rest: String = "") -> String {
    let base = #""kind":"http","baseURL":"https://a.example","pages":{"size":"n"}"#
    return #"{\#(base),"feeds":{\#(feed)}\#(rest)}"#
  }

  /// What a preset leaves to its user: where a server of its kind is, and what lists it has.
  private static let base = #","baseURL":"https://a.example""#
  private static let lists = base + #","feeds":{"a":{}}"#
  private static let needs = [
    "datasette": lists, "drf-cursor": lists, "drf-offset": lists, "drf-page": lists,
    "fastapi-pagination": lists, "mastodon": base, "redmine": base, "wordpress": base,
  ]

  @Test(arguments: Presets.names)
  func everyPresetIsASource(name: String) throws {
    let source = #""kind":"http","preset":"\#(name)"\#(Self.needs[name] ?? "")"#
    #expect(problems("{\(source)}") == [])
    #expect(Presets.text(of: name)?.hasSuffix("}\n") == true)
  }

  @Test(arguments: [
    (#"{"kind":"http"}"#, "sources.s.baseURL: is missing"),
    (#"{"kind":"http","preset":"nobody"}"#, "sources.s.preset: must be one of datasette, "),
    (#"{"kind":"http","baseURL":"https://a.example"}"#, "sources.s.feeds: is missing or empty"),
    (#"{"kind":"http","baseURL":"a","feeds":{}}"#, "sources.s.baseURL: must be an http"),
    (
      #"{"kind":"http","preset":"forem","feed":{}}"#,
      "sources.s.feed: unknown key; did you mean feeds"
    ),
  ])
  func aFaultOfTheSourceIsNamed(source: String, problem: String) {
    #expect(problems(source).contains { $0.hasPrefix(problem) }, "\(problems(source))")
  }

  @Test(arguments: [
    (
      #""a":{"pages":{"by":"pages"}}"#,
      #"feeds["a"].pages.by: must be page, offset, item, time, next"#
    ),
    (#""a":{"pages":{"by":"item"}}"#, #"feeds["a"].pages.at: is missing"#),
    (#""a":{"pages":{"by":"time","at":"t"}}"#, #"feeds["a"].pages.by: time needs an order"#),
    (#""a":{"pages":{"size":null}}"#, #"feeds["a"].pages.accept: must be none"#),
    (
      #""a":{"pages":{"by":"offset","size":null,"aligned":true}}"#,
      #"feeds["a"].pages.accept: must be none: pages of one size"#
    ),
    (#""a":{"pages":{"aligned":true}}"#, #"feeds["a"].pages.aligned: needs pages by offset"#),
    (
      #""a":{"pages":{"by":"time","at":"t","existing":true}}"#,
      #"feeds["a"].pages.existing: needs pages by item"#
    ),
    (
      #""a":{"item":"z","order":"-t","pages":{"by":"item","at":"x","value":"t","existing":true}}"#,
      #"feeds["a"].pages.value: must be the id"#
    ),
    (#""a":{"pages":{"counted":true}}"#, #"feeds["a"].pages.counted: needs pages by next"#),
    (
      #""a":{"pages":{"by":"next","counted":true}}"#,
      #"feeds["a"].pages.accept: must be none: a next that counts"#
    ),
    (
      #""a":{"pages":{"by":"next","next":"none"}}"#,
      #"feeds["a"].pages.next: must be a place"#
    ),
    (#""a":{"pages":{"size":"page"}}"#, #"feeds["a"].pages.size: must be another parameter"#),
    (#""a":{"pages":{"first":2}}"#, #"feeds["a"].pages.first: must be a whole number"#),
    (#""a":{"pages":{"max":0}}"#, #"feeds["a"].pages.max: must be a whole number"#),
    (#""a":{"pages":{"beyond":[200]}}"#, #"feeds["a"].pages.beyond[0]: must be"#),
    (#""a":{"pages":{"write":"x"}}"#, #"feeds["a"].pages.write: must be a text with one {}"#),
    (#""a":{"pages":{"value":"x.y"},"item":"z"}"#, #"feeds["a"].pages.value: must be the id"#),
    (#""a":{"pages":{"past":7}}"#, #"feeds["a"].pages.past: must be an object"#),
    (
      #""a":{"order":"-t","pages":{"deepest":9,"past":{}}}"#,
      #"feeds["a"].pages.past.at: is missing"#
    ),
    (
      #""a":{"pages":{"deepest":9,"past":{"at":"q"}}}"#,
      #"feeds["a"].pages.past: needs an order by a field"#
    ),
    (
      #""a":{"order":"-t","pages":{"past":{"at":"q"}}}"#,
      #"feeds["a"].pages.past: needs pages by page or offset that end"#
    ),
    (
      #""a":{"order":"-t","time":"number","pages":{"reach":9,"past":{"at":"q","grain":"day"}}}"#,
      #"feeds["a"].pages.past.grain: must be key"#
    ),
    (
      #""a":{"order":"-t","pages":{"reach":9,"past":{"at":"q","grain":"week"}}}"#,
      #"feeds["a"].pages.past.grain: must be key, second, day"#
    ),
    (
      #""a":{"order":"-t","pages":{"reach":9,"past":{"at":"q","zone":25}}}"#,
      #"feeds["a"].pages.past.zone: must be a whole number"#
    ),
    (#""a":{"pages":7}"#, #"feeds["a"].pages: must be an object"#),
    (#""a":{"order":"created"}"#, #"feeds["a"].order: must be observed, whole, or -FIELD"#),
    (#""a":{"time":"iso"}"#, #"feeds["a"].time: must be rfc3339, utc, "#),
    (#""a":{"items":"a..b"}"#, #"feeds["a"].items: must be a path"#),
    (#""a":{"id":7}"#, #"feeds["a"].id: must be a path"#),
    (#""a":{"path":"/x"}"#, #"feeds["a"].path: must be a path below baseURL"#),
    (#""a":{"path":"x/../y"}"#, #"feeds["a"].path: must be a path below baseURL"#),
    (#""a":{"path":"x/{y}"}"#, #"feeds["a"].path: {y} is no variable"#),
    (#""a":{"query":{"q":"{y}"}}"#, #"feeds["a"].query.q: {y} is no variable"#),
    (#""a":{"query":{"q":"{y"}}"#, #"feeds["a"].query: must be an object"#),
    (#""a":{"allow":["limit"]}"#, #"feeds["a"].allow: limit is a parameter of paging"#),
    (#""a":{"allow":["n"]}"#, #"feeds["a"].allow: n is a parameter of paging"#),
    (#""a":{"allow":["page"]}"#, #"feeds["a"].allow: page is a parameter of paging"#),
    (#""a":{"allow":["a&b"]}"#, #"feeds["a"].allow: must be an array"#),
    (#""a":{"values":{"x":["y"]}}"#, #"feeds["a"].values: x is no variable"#),
    (#""a":{"one":"x"}"#, #"feeds["a"].one: must be a path"#),
    (#""a":{"pages":{"write":"{}{}"}}"#, #"feeds["a"].pages.write: must be a text with one {}"#),
    (
      #""a":{"pages":{"by":"item","at":"q","write":"{} {size}"}}"#,
      #"feeds["a"].pages.write: has {size}, which needs pages by page or offset"#
    ),
    (
      #""a":{"pages":{"by":"page","size":"n","write":"{} {size}"}}"#,
      #"feeds["a"].pages.size: must be left out: write has {size}"#
    ),
    (#""a":{"id":"","order":"-t"}"#, #"feeds["a"].order: needs an id"#),
    (#""a":{"id":"","item":"x"}"#, #"feeds["a"].item: needs an id"#),
    (#""a":{"id":"","one":"x/{id}"}"#, #"feeds["a"].one: needs an id"#),
    (#""a":{"id":"","updated":"t"}"#, #"feeds["a"].updated: needs an id"#),
    (#""a":{"ordre":"x"}"#, #"feeds["a"].ordre: unknown key; did you mean order"#),
    (#""a/:b":{}"#, #"feeds["a/:b"]: a feed's name is"#),
    (#""a//b":{}"#, #"feeds["a//b"]: a feed's name is"#),
    (#""a b":{}"#, #"feeds["a b"]: a feed's name is"#),
    (#""..":{}"#, #"feeds[".."]: a feed's name is"#),
    (#"":x/:x/a":{}"#, #"feeds[":x/:x/a"]: has a variable twice"#),
    (#"":x/a":{},":y/a":{}"#, "feeds: :x/a and :y/a are the same paths"),
  ])
  func aFaultOfAFeedIsNamedByItsPath(feed: String, problem: String) {
    let found = problems(source(feed))
    #expect(found.contains { $0.hasPrefix("sources.s.\(problem)") }, "\(found)")
  }

  /// A key that none of the feeds that have it heeds is said, and no other.
  @Test(arguments: [
    (#""value":"id""#, "value", #""pages":{"by":"item","at":"x","value":"id"}"#),
    (#""includes":true"#, "includes", #""pages":{"by":"item","at":"x","includes":true}"#),
    (
      #""inside":"p""#, "inside",
      #""order":"-t","pages":{"by":"time","at":"t","inside":"p"}"#
    ),
    (#""start":"*""#, "start", #""pages":{"by":"next","at":"c","start":"*"}"#),
    (#""exact":true"#, "exact", #""pages":{"total":"t","exact":true}"#),
  ])
  func aKeyWithoutEffectIsSaid(pages: String, key: String, heeding: String) throws {
    for other in ["", #","b":{\#(heeding)}"#] {
      let json = #"{"sources":{"s":\#(source(#""a":{"pages":{\#(pages)}}"# + other))}}"#
      let warnings = try Configuration.read(Array(json.utf8)).warnings.map(\.place)
      #expect(warnings == (other.isEmpty ? ["sources.s.pages.\(key)"] : []), "\(warnings)")
    }
  }

  /// Pages that do not meet everywhere are said, unless what joins pages of one size is served.
  @Test(arguments: [
    (#""max":15"#, true), (#""max":16"#, false), (#""max":9,"accept":"none""#, false),
    (#""max":9,"total":"t""#, true), (#""max":9,"total":"t","exact":true"#, false),
    (#""max":9,"by":"offset""#, false), (#""max":9,"by":"offset","aligned":true"#, true),
  ])
  func pagesThatDoNotMeetAreSaid(pages: String, isSaid: Bool) throws {
    let json = #"{"sources":{"s":\#(source(#""a":{"pages":{\#(pages)}}"#))}}"#
    let warnings = try Configuration.read(Array(json.utf8)).warnings.map(\.place)
    #expect(warnings == (isSaid ? ["sources.s.pages.max"] : []), "\(warnings)")
  }

  /// What cannot be read says nothing of what would have to be said besides.
  @Test func aFaultOfThePagesIsTheOnlyOne() {
    let pages = #""pages":{"size":"n","max":"100"}"#
    let source = #"{"kind":"http","baseURL":"https://a.example",\#(pages),"feeds":{"a":{}}}"#
    #expect(problems(source).map { String($0.prefix(20)) } == ["sources.s.pages.max:"])
  }

  @Test(arguments: [
    #"{"Host":"x"}"#, #"{"authorization":"x"}"#, #"{"Cookie":"x"}"#, #"{"X":7}"#,
    #"{"a b":"x"}"#, #"{"X":"a\nb"}"#, #"{"Connection":"close"}"#, #"{"X":"1","x":"2"}"#,
  ])
  func aHeaderThatIsNotTheirsIsRefused(headers: String) {
    let found = problems(source(#""a":{}"#, #","headers":\#(headers)"#))
    #expect(found.first?.hasPrefix("sources.s.headers: must be") == true, "\(found)")
  }

  @Test func aCredentialNeedsKeysUnlessWhatItSeesIsPublic() {
    let auth = #","auth":{"bearer":"secret-of-a-test"}"#
    #expect(problems(source(#""a":{}"#, auth)).first?.hasPrefix("sources.s.auth: needs") == true)
    #expect(problems(source(#""a":{}"#, auth), apiKeys: #"["key-of-a-test"]"#) == [])
    #expect(problems(source(#""a":{}"#, auth + #","public":true"#)) == [])
    #expect(problems(source(#""a":{}"#, #","auth":{"bearer":"${NOT_SET}"}"#)) == [])
    #expect(
      problems(source(#""a":{}"#, #","auth":{"token":"x"}"#)).first?
        .hasPrefix("sources.s.auth: must be one of") == true)
  }

  @Test func whatIsPrivateIsServedOnlyWhileThereAreKeys() throws {
    for (keys, count) in [("[]", 1), (#"["key-of-a-test"]"#, 2)] {
      let source = source(#""a":{},"b":{"private":true}"#)
      let json = #"{"server":{"apiKeys":\#(keys)},"sources":{"s":\#(source)}}"#
      let configuration = try Configuration.read(Array(json.utf8))
      guard case .http(let http) = configuration.sources["s"] else { return }
      #expect(http.recipe.lists.count == count)
      #expect(configuration.warnings.count == 2 - count)
    }
  }

  @Test func aFeedsPagesLieOverTheSourcesAndThoseOverThePresets() throws {
    let json = #"""
      {"sources":{"s":{"kind":"http","preset":"gitlab","auth":null,"pages":{"max":50},
      "feeds":{"mine":{"pages":{"total":null,"deepest":3}}}}}}
      """#
    let configuration = try Configuration.read(Array(json.utf8))
    guard case .http(let http) = configuration.sources["s"] else { return }
    let lists = http.recipe.lists
    let mine = try #require(lists.first { $0.path == "mine" }).pages
    #expect(mine.size == "per_page" && mine.max == 50 && mine.total == nil && mine.deepest == 3)
    let projects = try #require(lists.first { $0.path == "projects" }).pages
    #expect(projects.by == .item && projects.max == 50 && projects.reach == nil)
    #expect(http.recipe.credential == nil)
  }

  @Test func aFeedLiesOverTheDefaultsOfItsSource() throws {
    let json = #"""
      {"sources":{"s":{"kind":"http","baseURL":"https://a.example","pages":{"size":"n"},
      "defaults":{"items":"rows","id":"key","query":{"a":"1","b":"2"}},
      "feeds":{"one":{},"other":{"id":null,"query":{"b":"3"}}}}}}
      """#
    let configuration = try Configuration.read(Array(json.utf8))
    guard case .http(let http) = configuration.sources["s"] else { return }
    let (one, other) = (http.recipe.lists[0], http.recipe.lists[1])
    #expect(one.items.text == "rows" && one.id.text == "key")
    #expect(other.items.text == "rows" && other.id.text == "id")
    #expect(other.query.map(\.value.text) == ["1", "3"])
  }

  @Test(arguments: [
    (#"{"itmes":"x"}"#, "defaults.itmes: unknown key; did you mean items"),
    (#"{"pages":{}}"#, "defaults.pages: unknown key"),
    (#"{"id":7}"#, #"feeds["a"].id: must be a path"#),
    ("7", "defaults: must be an object"),
  ])
  func aFaultOfTheDefaultsIsNamed(defaults: String, problem: String) {
    let found = problems(source(#""a":{}"#, #","defaults":\#(defaults)"#))
    #expect(found.contains { $0.hasPrefix("sources.s.\(problem)") }, "\(found)")
  }

  /// What is printed is taken again and is the same, secrets aside.
  @Test(arguments: Presets.names)
  func whatIsPrintedIsTheSameAgain(name: String) throws {
    let source = #""kind":"http","preset":"\#(name)","auth":null\#(Self.needs[name] ?? Self.base)"#
    let json = #"{"sources":{"s":{\#(source)}}}"#
    let first = try Configuration.read(Array(json.utf8))
    #expect(!first.resolved().contains("secret-of-a-test"))
    let again = try Configuration.read(Array(first.resolved().utf8))
    #expect(again.sources == first.sources)
  }
}
