import Bytes
import History
import Support
import Testing

@testable import Feed

@Suite struct CursorTests {
  private let observed = FeedID(
    source: "qiita", pattern: FeedPattern("tags/:id/items", order: .observed),
    parts: ["tags", "Swift", "items"].map { Array($0.utf8) })

  private func failure(_ text: String, in feed: FeedID) -> Cursor.Failure? {
    do throws(Cursor.Failure) {
      _ = try Cursor.reading(text, in: feed)
      return nil
    } catch {
      return error
    }
  }

  private static let positions = [
    Position(order: 0, tie: []), Position(order: .min, tie: [0]), Position(order: .max, tie: [255]),
    Position(order: -62_135_596_800, tie: Array("0123456789abcdef0123".utf8)),
    Position(order: 1_765_257_713, tie: [UInt8](repeating: 0xff, count: Identity.bytesMax)),
    Position(order: 1, tie: [0, 0, 0]),
  ]

  @Test(arguments: positions)
  func readsBackWhatItWrote(position: Position) throws {
    for feed in [itemsFeed, observed] {
      let text = Cursor.text(at: position, in: feed, lineage: 77)
      let reading = try Cursor.reading(text, in: feed)
      #expect(reading.position == position)
      #expect(reading.lineage == (feed == observed ? 77 : nil))
    }
  }

  /// Where several servers share a store, a cursor tells the feed's last number, with a trail or
  /// without.
  @Test(arguments: positions, [Int64(0), 1, 127, 128, 1 << 53, .max])
  func readsBackTheNumberItTells(position: Position, told: Int64) throws {
    for trail in [Trail(), Trail(known: 5, begin: position.order, given: [3, 5])] {
      for feed in [itemsFeed, observed] {
        let text = Cursor.text(at: position, in: feed, lineage: 7, trail: trail, told: told)
        let reading = try Cursor.reading(text, in: feed)
        #expect(reading.position == position && reading.told == told)
        #expect(reading.trail == trail)
        #expect(text.utf8.count <= Cursor.bytesMax && Cursor.isNumbered(text))
        #expect(!Cursor.isNumbered(Cursor.text(at: position, in: feed, lineage: 7, trail: trail)))
      }
    }
  }

  @Test(arguments: positions)
  func staysWithin256URLSafeBytes(position: Position) {
    let text = Cursor.text(at: position, in: observed, lineage: .max, told: .max)
    #expect(text.utf8.count <= Cursor.bytesMax)
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
  }

  @Test func everyChangedByteIsRefused() {
    let text = Array(Cursor.text(at: position("1765257713abc"), in: itemsFeed, lineage: 1).utf8)
    for index in text.indices {
      for byte in UInt8.min...UInt8.max where byte != text[index] {
        var changed = text
        changed[index] = byte
        #expect(failure(String(decoding: changed, as: UTF8.self), in: itemsFeed) != nil)
      }
    }
  }

  @Test func everyTruncationAndExtensionIsRefused() {
    for feed in [itemsFeed, observed] {
      let text = Cursor.text(at: position("1765257713abc"), in: feed, lineage: 1)
      for count in 0..<text.count {
        #expect(failure(String(text.prefix(count)), in: feed) == .invalid)
      }
      for more in ["A", "AA", "AAA", "AAAA", "=", " ", "\n", "\0"] {
        #expect(failure(text + more, in: feed) == .invalid)
      }
    }
  }

  @Test(arguments: ["", "A", "AAAA", "????", String(repeating: "A", count: 256), "é", "AQ=="])
  func whatIsNoCursorIsInvalid(text: String) {
    #expect(failure(text, in: itemsFeed) == .invalid)
  }

  /// A feed whose order is another by now, and a cursor that was given out before.
  @Test(arguments: ["7", "abcdefgh", "1765257713abc"]) func endsWithTheOrder(id: String) throws {
    let pattern = FeedPattern("tags/:id/items", order: .value)
    let parts = ["tags", "Swift", "items"].map { Array($0.utf8) }
    let byValue = FeedID(source: "qiita", pattern: pattern, parts: parts)
    #expect(byValue.name == observed.name)
    for lineage in [0, 1, UInt64(1) << 40, .max] {
      for place in ObservedPosition.head(count: 3, epoch: 1) {
        let text = Cursor.text(at: place, in: observed, lineage: lineage)
        #expect(failure(text, in: byValue) == .expired)
      }
    }
    let text = Cursor.text(at: position("1765257713\(id)"), in: byValue, lineage: 0)
    let reading = try? Cursor.reading(text, in: observed)
    #expect(failure(text, in: observed) == .expired || reading?.lineage == 1_765_257_713)
  }

  @Test func isBoundToItsFeed() {
    let place = position("1765257713abc")
    let ofItems = Cursor.text(at: place, in: itemsFeed, lineage: 1)
    let ofTag = Cursor.text(at: place, in: observed, lineage: 1)
    #expect(failure(ofItems, in: observed) == .mismatch)
    #expect(failure(ofTag, in: itemsFeed) == .mismatch)
  }

  @Test func onlyOneByValueIsTheSameInEveryLineage() {
    let place = position("1765257713abc")
    let texts = [itemsFeed, observed].map { feed in
      Set([1, 2].map { Cursor.text(at: place, in: feed, lineage: $0) })
    }
    #expect(texts.map(\.count) == [1, 2])
  }
}

@Suite struct Base64URLTests {
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
    ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
  ])
  func writesTheVectorsOfTheStandard(plain: String, text: String) {
    #expect(Array(plain.utf8).withUnsafeBytes(Base64URL.text) == text)
    #expect(Base64URL.bytes(Array(text.utf8)) == Array(plain.utf8))
  }

  @Test(arguments: ["Z", "Zg=", "Zg==", "Zm9+", "Zm9/", "Zh", "Zm9", "Zm 9", "Zm9v\n", "Zm9vY"])
  func refusesWhatItNeverWrites(text: String) {
    #expect(Base64URL.bytes(Array(text.utf8)) == nil)
  }

  @Test func everyByteReadsBack() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
      let text = bytes.withUnsafeBytes(Base64URL.text)
      #expect(Base64URL.bytes(Array(text.utf8)) == bytes)
    }
  }
}
