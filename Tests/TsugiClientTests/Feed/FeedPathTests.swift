import Testing

@testable import TsugiClient

struct FeedPathTests {
  @Test(
    arguments: [
      ("qiita/items", "qiita/items"),
      ("qiita/tags/C#/items", "qiita/tags/C%23/items"),
      ("qiita/tags/.NET/items", "qiita/tags/.NET/items"),
      ("qiita/users/名前@github/items", "qiita/users/%E5%90%8D%E5%89%8D%40github/items"),
      ("qiita/tags/a?b=c&d/items", "qiita/tags/a%3Fb%3Dc%26d/items"),
      ("qiita/tags/50%/items", "qiita/tags/50%25/items"),
    ] as [(FeedPath, String)])
  func encodesEveryByteThatIsNotUnreserved(path: FeedPath, url: String) throws {
    #expect(try path.encoded() == url)
  }

  @Test func keepsASlashOfAnInterpolatedValueInItsPart() throws {
    let tag = "CI/CD"
    let path: FeedPath = "qiita/tags/\(tag)/items"
    #expect(try path.encoded() == "qiita/tags/CI%2FCD/items")
  }

  @Test func joinsAValueWithWhatStandsBesideIt() throws {
    let path: FeedPath = "qiita/users/\("a/b")@\("c")/items"
    #expect(path.parts == ["qiita", "users", "a/b@c", "items"])
  }

  @Test func splitsATextAtEachSlash() {
    #expect(FeedPath("qiita/tags/CI/CD").parts == ["qiita", "tags", "CI", "CD"])
  }

  @Test func takesPartsOf256Bytes() throws {
    let part = String(repeating: "a", count: 256)
    #expect(try FeedPath(parts: ["qiita", part]).encoded() == "qiita/\(part)")
  }

  @Test(arguments: [
    ["qiita"], [], ["qiita", ""], ["", "items"], ["qiita", "."], ["qiita", "..", "items"],
    ["qiita", String(repeating: "a", count: 257)],
  ])
  func refusesWhatNoServerTakes(parts: [String]) {
    #expect(throws: TsugiError.self) { try FeedPath(parts: parts).encoded() }
  }
}
