import Testing

@testable import Upstream

/// What references in answers mean at a base.
struct BaseURLReferenceTests {
  /// The reference, the request, the URL that is asked for; nil where it leads elsewhere.
  static let cases: [(String, String, String?)] = [
    ("?page=2", "https://h.example/api/a/b?x", "https://h.example/api/a/b?page=2"),
    ("c", "https://h.example/api/a/b?x", "https://h.example/api/a/c"),
    ("../c/./d/", "https://h.example/api/a/b", "https://h.example/api/c/d/"),
    ("../../c", "https://h.example/api/a/b", nil),
    ("..", "https://h.example/api/a/b", "https://h.example/api/"),
    ("../../../api/c", "https://h.example/api/a/b", "https://h.example/api/c"),
    ("/api?x=1", "https://h.example/api/a", "https://h.example/api?x=1"),
    ("/api/%7Ejo/%C3%A9", "https://h.example/api/a", "https://h.example/api/~jo/%C3%A9"),
    ("//H.Example:443/api/c", "https://h.example/api/a", "https://h.example/api/c"),
    ("http://h.example/api/c", "https://h.example/api/a", "https://h.example/api/c"),
    ("http://h.example:80/api/c", "https://h.example/api/a", "https://h.example/api/c"),
    ("http://h.example:443/api/c", "https://h.example/api/a", "https://h.example/api/c"),
    ("http://h.example:8080/api/c", "https://h.example/api/a", nil),
    ("https://h%2Eexample/api/c", "https://h.example/api/a", "https://h.example/api/c"),
    ("https://h.example.evil/api/c", "https://h.example/api/a", nil),
    ("//evil.example/api/c", "https://h.example/api/a", nil),
    ("ftp://h.example/api/c", "https://h.example/api/a", nil),
    ("javascript:c", "https://h.example/api/a", nil),
    ("?a=/../b&c=%2e%2e", "https://h.example/api/a", "https://h.example/api/a?a=/../b&c=%2e%2e"),
    ("?a=é", "https://h.example/api/a", "https://h.example/api/a?a=%C3%A9"),
    ("#x", "https://h.example/api/a", nil), ("", "https://h.example/api/a", nil),
    ("?x", "", nil), ("b", "https://h.example", nil), ("\u{0}", "https://h.example/api/a", nil),
  ]

  @Test(arguments: cases)
  func aReferenceMeansAURLBelowTheBase(reference: String, request: String, url: String?) throws {
    let base = try #require(BaseURL("https://h.example/api"))
    #expect(base.resolved(reference, against: request) == url)
  }

  @Test(arguments: [
    ("?page=2", "http://h.example/?page=2"), ("/a", "http://h.example/a"),
    ("http://h.example?a", "http://h.example?a"), ("/../a", "http://h.example/a"),
  ])
  func aBaseWithoutAPathHoldsAllOfItsHost(reference: String, url: String) throws {
    let base = try #require(BaseURL("http://h.example/"))
    #expect(base.resolved(reference, against: "http://h.example/") == url)
  }

  /// A server behind TLS calls itself `http`; one that is asked by `http` stays where it is asked.
  @Test(arguments: [
    ("https://h.example/a", "http://h.example/b/?c", "https://h.example/b/?c"),
    ("https://h.example:8443/a", "http://h.example:8443/b", "https://h.example:8443/b"),
    ("https://h.example/a?x", "https://h.example/b", "https://h.example/b"),
    ("https://h.example/a", "http://h.example:8080/b", nil),
    ("https://h.example/a", "http://g.example/b", nil),
    ("http://h.example/a", "https://h.example/b", nil),
  ])
  func aRedirectStaysAtItsOrigin(asked: String, location: String, url: String?) throws {
    let origin = try #require(Origin(url: asked))
    #expect(origin.ownURL(location, asIn: asked) == url)
  }
}
