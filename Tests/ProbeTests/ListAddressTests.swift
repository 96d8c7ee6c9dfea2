import Testing
import Upstream

@testable import Probe

/// A list's URL, taken apart and put together again.
@Suite struct ListAddressTests {
  @Test(arguments: [
    ("https://a.example/api/posts", "https://a.example/api", "posts", "posts"),
    ("https://a.example/api/posts/", "https://a.example/api", "posts/", "posts"),
    ("https://a.example/q.json?x=1#top", "https://a.example", "q.json", "q"),
    ("https://a.example/?rest_route=/wp/v2/posts", "https://a.example", "", "posts"),
    ("https://a.example/blog/?rest_route=/wp/v2/posts", "https://a.example", "blog/", "blog"),
  ])
  func thePathStaysAsItWasGiven(text: String, base: String, word: String, feed: String) throws {
    let address = try #require(ListAddress(text))
    #expect(address.base.text == base)
    #expect(address.word == word)
    #expect(address.feedName == feed)
    #expect(text.hasPrefix(address.text([]).prefix { $0 != "?" }))
  }

  @Test(arguments: [
    ("?page=2", ["page"]), ("/api/posts?page=2", ["page"]), ("/api/posts/?page=2", ["page"]),
    ("https://a.example/api/posts?q=x&page=2", ["page"]),
    ("http://a.example/api/posts?q=x&page=2&token=t", ["page"]),
  ])
  func whatAReferenceAsksForBesidesIsRead(text: String, names: [String]) throws {
    let address = try #require(ListAddress("https://a.example/api/posts?q=x&token=geheim"))
    let parameters = try #require(address.parameters(ofReference: text))
    #expect(address.added(parameters).map(\.name) == names)
  }

  @Test(arguments: [
    "", "eyJhIjoxfQ==", "/api/users?page=2", "https://b.example/api/posts?page=2", "/api/posts",
  ])
  func whatIsNoReferenceToTheListIsNone(text: String) throws {
    let address = try #require(ListAddress("https://a.example/api/posts"))
    #expect(address.parameters(ofReference: text) == nil)
  }

  @Test func aSecretGoesWithAUrlThatLacksIt() throws {
    let address = try #require(ListAddress("https://a.example/api/posts?api_key=geheim"))
    #expect(address.withSecrets("https://a.example/x") == "https://a.example/x?api_key=geheim")
    #expect(address.withSecrets("https://a.example/x?api_key=y") == "https://a.example/x?api_key=y")
  }

  @Test(arguments: [
    ("https://a.example/api/posts/?q=x", "posts/"), ("https://a.example/v2/all?q=x", "all"),
  ])
  func aRedirectIsTakenForThePath(url: String, word: String) throws {
    let address = try #require(ListAddress("https://a.example/api/posts?q=x"))
    #expect(address.moved(to: url)?.word == word)
    #expect(address.moved(to: url)?.kept == address.kept)
    #expect(address.moved(to: "https://a.example/api/posts?q=x") == nil)
  }
}
