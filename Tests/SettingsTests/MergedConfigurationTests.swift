import Feed
import Testing

@testable import Settings

/// Sources of kind `merged`: one feed over several.
@Suite struct MergedConfigurationTests {
  /// Sources that parts may name, and a merged one, `home`, of these parts.
  private func document(_ parts: String, keys: String = "[]") -> String {
    #"""
    {"server":{"apiKeys":\#(keys)},"sources":{
     "qiita":{"kind":"qiita"},
     "notes":{"kind":"file","path":"n.json","order":"-at"},
     "fruits":{"kind":"file","path":"f.json"},
     "blog":{"kind":"http","baseURL":"https://a.example","auth":{"bearer":"secret-of-one"},
      "public":true,
      "pages":{"by":"page","at":"p","size":"n","max":20},
      "feeds":{"posts":{"order":"-at","shared":"posts"},"hot":{"order":"observed"},
       "edits":{"order":"-changed","shared":"posts"},"ids":{"order":"-id","time":"number"},
       "of/:tag/posts":{"order":"-at","allow":["lang"],"values":{"lang":["en","ja"]}},
       "mine":{"order":"-at","private":true}}},
     "other":{"kind":"merged","parts":{"a":{"feed":"qiita/items"}}},
     "home":{"kind":"merged","parts":\#(parts)}}}
    """#
  }

  @Test func namesFeedsAsTheirURLsDo() throws {
    let read = try configuration(
      document(
        #"""
        {"swift":{"feed":"qiita/items?query=tag:Swift+user:a"},"blog":{"feed":"blog/posts"},
         "ja":{"feed":"blog/of/x%2Fy/posts?lang=ja","optional":true,"lagSeconds":600},
         "notes":{"feed":"notes/items"}}
        """#))
    guard case .merged(let merged) = read.sources["home"] else {
      Issue.record("no merged source")
      return
    }
    #expect(merged.parts["ja"]?.isOptional == true)
    #expect(merged.parts["ja"]?.lagSeconds == 600)
    let names = try merged.parts.mapValues { try read.feed(named: $0.feed).name }
    #expect(
      names == [
        "swift": "qiita/items?query=tag%3ASwift%20user%3Aa", "blog": "blog/posts",
        "ja": "blog/of/x%2Fy/posts?lang=ja", "notes": "notes/items",
      ])
    // Printed as it was written.
    let again = try configuration(read.resolved().replacing("<hidden>", with: "secret-of-one"))
    #expect(again.sources["home"] == read.sources["home"])
  }

  @Test(arguments: [
    (#"{}"#, "parts: must be an object of 1 to 32 parts"),
    (#"[]"#, "parts: must be an object"),
    (#"{"A":{"feed":"notes/items"}}"#, "parts.A: a part's name is 1 to 64 of a-z, 0-9, _ and -"),
    (#"{"a":{}}"#, "parts.a.feed: is missing"),
    (#"{"a":{"feed":""}}"#, "parts.a.feed: must be a feed as in its URL after /v1/"),
    (#"{"a":{"feed":"notes/items","lag":1}}"#, "parts.a.lag: unknown key"),
    (#"{"a":{"feed":"notes/items","lagSeconds":1}}"#, "parts.a.lagSeconds: is only for a part"),
    (
      #"{"a":{"feed":"notes/items","optional":true,"lagSeconds":86401}}"#,
      "parts.a.lagSeconds: must be a whole number from 1 to 86400"
    ),
    (#"{"a":{"feed":"nowhere/items"}}"#, "parts.a.feed: is of a source that is not configured"),
    (#"{"a":{"feed":"blog"}}"#, "parts.a.feed: is none of blog, which has posts, hot"),
    (#"{"a":{"feed":"blog/of/:tag/posts"}}"#, "parts.a.feed: is none of blog"),
    (#"{"a":{"feed":"blog//posts"}}"#, "parts.a.feed: is no path of percent-encoded UTF-8"),
    (#"{"a":{"feed":"blog/posts?lang=en"}}"#, "parts.a.feed: takes no parameters, not lang=en"),
    (
      #"{"a":{"feed":"blog/of/x/posts?lang=de"}}"#,
      "parts.a.feed: has a parameter lang, which must be one of en, ja"
    ),
    (#"{"a":{"feed":"other/items"}}"#, "parts.a.feed: is itself merged"),
    (#"{"a":{"feed":"home/items"}}"#, "parts.a.feed: is itself merged"),
    (#"{"a":{"feed":"blog/hot"}}"#, "parts.a.feed: has the upstream's own order"),
    (#"{"a":{"feed":"fruits/items"}}"#, "parts.a.feed: comes whole in its own order"),
    (
      #"{"a":{"feed":"qiita/tags/x/items"},"b":{"feed":"qiita/items"}}"#,
      "parts.a.feed: has the upstream's own order"
    ),
    (#"{"a":{"feed":"blog/ids"}}"#, "parts.a.feed: is ordered by a number"),
    (#"{"a":{"feed":"blog/mine"}}"#, "parts.a.feed: is private: it needs server.apiKeys"),
    (
      #"{"a":{"feed":"notes/items"},"b":{"feed":"notes/items"}}"#,
      "parts.b.feed: is the feed of a, too"
    ),
    (
      #"{"a":{"feed":"blog/posts"},"b":{"feed":"blog/edits"}}"#,
      "parts.b.feed: has items in common with a"
    ),
  ])
  func refusesByPath(parts: String, problem: String) {
    let found = problems(document(parts))
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix("sources.home.\(problem)") == true, "\(found)")
  }

  @Test func aPrivateFeedIsForWhoHasAKey() {
    let keys = #"["one-key-of-many"]"#
    #expect(problems(document(#"{"a":{"feed":"blog/mine"}}"#, keys: keys)).isEmpty)
  }

  @Test func hasUpTo32Parts() {
    func parts(_ count: Int) -> String {
      let parts = (0..<count).map { #""p\#($0)":{"feed":"qiita/items?query=tag:t\#($0)"}"# }
      return "{\(parts.joined(separator: ","))}"
    }
    #expect(problems(document(parts(32))).isEmpty)
    #expect(problems(document(parts(33))).count == 1)
  }
}
