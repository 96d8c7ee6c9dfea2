import Feed
import Support
import Testing

@testable import Merge

/// What clients keep of a merged feed: cursors and tokens, as they are given out.
struct TokenTests {
  private let home = FeedID.home

  private func cursor(_ trail: Trail) -> String {
    let position = Position(order: 1_700_000_000_250, tie: Array("a7".utf8) + [0, 1, 2, 3, 4])
    return Cursor.text(at: position, in: home, lineage: 0, trail: trail)
  }

  private var trail: Trail {
    var trail = Trail(begin: 1_700_000_000_900)
    trail.parts = PartTrails(parts: 513)
    trail.parts?.passed = 4
    trail.parts?.trails = [0: Trail(known: 9), 3: Trail(known: 300, given: [7, 300])]
    return trail
  }

  @Test func cursorsStayAsTheyAre() throws {
    #expect(cursor(Trail()) == "AbK7zFQNEBVFAAABi8_laPphNwABAgMEff8d8g")
    #expect(cursor(trail) == "BLK7zFQNEBVFAAABi8_laPoUAgEEAAMAiwUAAgkAAwasAgAApQJhNwABAgMEz9CFdg")
    let reading = try Cursor.reading(cursor(trail), in: home)
    #expect(reading.trail == trail && reading.position.order == 1_700_000_000_250)
  }

  @Test func cursorsDropTrailsThatFindNoRoom() throws {
    var trail = trail
    for part in 0..<32 {
      trail.parts?.trails[UInt8(part)] = Trail(
        known: 1_700_000_000_000, given: (1...20).map { 1_600_000_000_000 + 1_000_000_000 * $0 })
    }
    let text = cursor(trail)
    #expect(text.utf8.count <= Cursor.bytesMax)
    let parts = try #require(try Cursor.reading(text, in: home).trail.parts)
    #expect(parts.passed == 4 && !parts.trails.isEmpty && parts.dropped != 0)
    #expect((0..<32).allSatisfy { parts.trails[$0] != nil || parts.dropped & 1 << $0 != 0 })
  }

  @Test func cursorsTellTheNumbersOfPartsWhereThereIsRoom() throws {
    var trail = trail
    for numbers in [[0: 0], [0: 0, 2: 300], [31: 1 << 35 - 1]] as [[UInt8: Int64]] {
      trail.parts?.numbers = numbers
      #expect(try Cursor.reading(cursor(trail), in: home).trail == trail)
    }
    for (number, isKept) in [(1 << 20, true), (1 << 42, false)] as [(Int64, Bool)] {
      for part in 0..<32 { trail.parts?.numbers[UInt8(part)] = number }
      let text = cursor(trail)
      #expect(text.utf8.count <= Cursor.bytesMax)
      let numbers = try Cursor.reading(text, in: home).trail.parts?.numbers
      #expect(numbers == (isKept ? trail.parts?.numbers : [:]))
    }
  }

  @Test func numbersStayAsTheyAre() throws {
    let numbers = PartNumbers(parts: 77, numbers: [0, 57, 1 << 34], watermark: 1_700_000_000_250)
    let text = SequenceNumber(epoch: "k3f9x0ab", number: 0, numbers).text
    #expect(text == "k3f9x0ab~AAAATQAAAYvP5Wj6ADmAgICAQOMmsQE")
    #expect(SequenceNumber(text)?.parts == numbers)
    #expect(SequenceNumber(text.dropLast(2) + "AA") == nil)
  }

  @Test func numbersOf32PartsTakeAtMost245Characters() throws {
    let all = [Int64](repeating: 1 << 35 - 1, count: PartNumbers.partsMax)
    let numbers = PartNumbers(parts: .max, numbers: all, watermark: .max)
    let text = SequenceNumber(epoch: "k3f9x0ab", number: 0, numbers).text
    #expect(text.utf8.count <= 245 && SequenceNumber(text)?.parts == numbers)
  }
}

extension FeedID {
  /// The feed of a merged source `home`.
  static var home: FeedID {
    var pattern = FeedPattern(
      "items", order: .value, content: nil, unit: .milliseconds,
      paging: Paging(.key, perPageMax: 100))
    pattern.parts = [FeedPattern.Part(name: "a", feed: "a/items", identityPath: ["id"])]
    return FeedID(source: "home", pattern: pattern, parts: [Array("items".utf8)])
  }
}
