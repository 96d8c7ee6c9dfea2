import Foundation
import Testing

@testable import TsugiClient

/// What is written of items and lists is compared, so it is written the same each time.
@Suite struct ItemCoderTests {
  private struct Name: Hashable, Codable {
    var host, path, part, kind, name, language: String
  }

  private struct Named: Identifiable, Codable {
    var id: Name
    var texts: [String: Int]
  }

  @Test func equalValuesAreEqualBytes() throws {
    let name = Name(host: "h", path: "p", part: "q", kind: "k", name: "n", language: "l")
    let texts = Dictionary(uniqueKeysWithValues: (0..<20).map { ("text\($0)", $0) })
    let head = KeptList.Head(
      mayHaveNews: true, mayGoOn: false, hasMore: true, hasPrevious: false, endReason: nil,
      total: nil, freshness: nil)
    let coder = ItemCoder<Named>()
    // Members come in another order where the memory they were collected in is another.
    var held: [[UInt8]] = []
    var (identities, items, heads): (Set<String>, Set<Data>, Set<Data>) = ([], [], [])
    for count in 0..<300 {
      held.append(Array(repeating: 1, count: 64 * (count % 9)))
      identities.insert(identityText(of: name))
      items.insert(try #require(coder.encode(Named(id: name, texts: texts))))
      let bytes = try JSONEncoder.stable().encode(head)
      heads.insert(KeptList.head(bytes, cutAbove: count % 2 == 0, cutBelow: true))
    }
    #expect(identities.count == 1 && items.count == 1 && heads.count == 2 && held.count == 300)
    #expect(coder.id(try #require(identities.first)) == name)
  }
}
