import Bytes
import History
import Support
import Testing

@testable import Feed

@Suite struct FeedIDTests {
  private let tagItems = FeedPattern("tags/:id/items", order: .observed)

  private func tag(_ name: String) -> FeedID {
    FeedID(
      source: "qiita", pattern: tagItems, parts: ["tags", name, "items"].map { Array($0.utf8) })
  }

  @Test(arguments: [
    ("Swift", "qiita/tags/Swift/items"), ("CI/CD", "qiita/tags/CI%2FCD/items"),
    ("C#", "qiita/tags/C%23/items"), (".NET", "qiita/tags/.NET/items"),
    ("名", "qiita/tags/%E5%90%8D/items"), ("a%2Fb", "qiita/tags/a%252Fb/items"),
    ("~-_.", "qiita/tags/~-_./items"), ("\u{0}", "qiita/tags/%00/items"),
  ])
  func namesEncodeAllThatIsNotUnreserved(tag name: String, feed: String) {
    #expect(tag(name).name == feed)
  }

  @Test func everyByteIsEncodedThatIsNotUnreserved() {
    let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    for byte in UInt8.min ... .max {
      let hexadecimal = String(byte, radix: 16, uppercase: true)
      let escaped = byte < 16 ? "%0\(hexadecimal)" : "%\(hexadecimal)"
      let isPlain = plain.utf8.contains(byte)
      let one = isPlain ? String(decoding: [byte], as: UTF8.self) : escaped
      #expect(percentEncoded([byte]) == one)
      #expect(percentEncoded([byte, UInt8(ascii: "%"), byte]) == one + "%25" + one)
    }
  }

  @Test func unequalPartsNeverShareAName() {
    let names = ["a", "b", "A", "a b", "a+b", "a%20b", "a/b", "a?query=b"].map { tag($0).name }
    #expect(Set(names).count == names.count)
  }

  @Test func aQueryIsPartOfTheName() {
    let pattern = FeedPattern("items", order: .value, takesQuery: true)
    let parts = [Array("items".utf8)]
    let plain = FeedID(source: "qiita", pattern: pattern, parts: parts)
    let asked = FeedID(
      source: "qiita", pattern: pattern, parts: parts, query: Array("tag:Swift a=b&c".utf8))
    #expect(asked.name == "qiita/items?query=tag%3ASwift%20a%3Db%26c")
    #expect(plain != asked)
  }

  @Test func bytesThatAreNoTextStillHaveAName() {
    let feed = FeedID(
      source: "qiita", pattern: tagItems,
      parts: [Array("tags".utf8), [0xff, 0x00], Array("items".utf8)])
    #expect(feed.name == "qiita/tags/%FF%00/items")
  }

  @Test(arguments: [
    (["tags", "Swift", "items"], true), (["tags", "", "items"], false),
    (["tags", "Swift"], false), (["tags", "Swift", "item"], false),
    (["tags", "Swift", "items", "x"], false),
  ])
  func patternsMatchWordByWord(parts: [String], matches: Bool) {
    #expect(tagItems.matches(parts.map { Array($0.utf8) }) == matches)
  }

  @Test func articlesAreSharedAndLikesAreNot() {
    let likes = FeedPattern("items/:id/likes", order: .whole, content: nil)
    let owners = FeedPattern("authenticated_user/items", order: .value, isOwners: true)
    let parts = ["items", "a", "likes"].map { Array($0.utf8) }
    #expect(tag("Swift").realm == itemsFeed.realm)
    #expect(
      FeedID(source: "qiita", pattern: likes, parts: parts).realm == "qiita/items/a/likes#own")
    #expect(
      FeedID(source: "qiita", pattern: owners, parts: parts).realm != itemsFeed.realm)
  }
}
