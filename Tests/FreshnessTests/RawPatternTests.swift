import Testing

@testable import Freshness

/// Which targets are shown.
@Suite struct RawPatternTests {
  private func fit(_ pattern: String, _ path: String, _ names: [String] = []) -> RawPattern.Fit? {
    let parts = path.split(separator: "/").map { Array($0.utf8) }
    return RawPattern(pattern)?.fit(parts, query: names.map { Array($0.utf8) })
  }

  @Test(
    arguments: [
      ("users/:id", "users/1", .fits), ("users/:id", "users", .none),
      ("users/:id", "users/1/2", .none),
      ("users/:id", "Users/1", .none), ("a", "a", .fits), ("**", "", .fits), ("**", "a/b", .fits),
      ("a/**", "a", .fits), ("a/**", "a/b/c", .fits), ("a/**", "b", .none), (":a/:b", "1/2", .fits),
    ] as [(String, String, RawPattern.Fit)])
  func fitsPaths(_ pattern: String, _ path: String, _ expected: RawPattern.Fit) {
    #expect(fit(pattern, path) == expected)
  }

  @Test(arguments: ["users/:id", "users/**", "**", ":a/:b"])
  func aPartIsOnePart(_ pattern: String) {
    for part in ["1/secrets", "1\\secrets", "/", "\\", "1/"] {
      let fit = RawPattern(pattern)?.fit([Array("users".utf8), Array(part.utf8)], query: [])
      #expect(fit == RawPattern.Fit.none)
    }
  }

  @Test(
    arguments: [
      ("a", ["q"], .excess("q")), ("a?q&page", ["q"], .fits),
      ("a?q&page", ["page", "q", "q"], .fits),
      ("a?q&page", ["Q"], .excess("Q")), ("a?q&page", [], .fits), ("a?*", ["x", "y"], .fits),
      ("a?x[]", ["x[]"], .fits), ("b?*", ["x"], .none),
    ] as [(String, [String], RawPattern.Fit)])
  func fitsQueries(_ pattern: String, _ names: [String], _ expected: RawPattern.Fit) {
    #expect(fit(pattern, "a", names) == expected)
  }

  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", "a/**/b", "***", "a*", ":", "a/:", "..", "a/.", "a?", "a?&b",
    "a?b=1", "a?b&", "a b", "ä", "a?\"", "{a}", "a?b?c", String(repeating: "a", count: 513),
  ])
  func refuses(_ text: String) {
    #expect(RawPattern(text) == nil)
  }
}
