import Feed
import Support
import Testing

@testable import SQLiteStore

@Suite struct SliceReaderTests {
  let sandbox: Sandbox
  let store: TimelineDatabase
  let reader: any TimelineReader

  /// Ties that a comparison as text, as signed bytes or up to a NUL would put in another order;
  /// all of one second, in feed order.
  static let ties: [[UInt8]] = [
    [0xff, 0xff], [0xff], [0x80], [0x7f, 0x80], [0x7f], [0x61, 0x62], [0x61, 0x00, 0x01],
    [0x61, 0x00], [0x61], [0x00, 0x00], [0x00], [],
  ]

  init() throws {
    sandbox = try Sandbox()
    store = try sandbox.open()
    reader = try store.makeReader()
  }

  /// Puts elements at the places of ``ties``, each named by its place in the table.
  private func fill() throws -> [Position] {
    let positions = SliceReaderTests.ties.map { Position(order: 7, tie: $0) }
    let elements = positions.enumerated().map { index, position in
      var element = seen("\(index)", 7)
      element.position = position
      return element
    }
    _ = try store.commit(merge(sentAt: 10, seen: elements.shuffled()), budget: nil)
    return positions
  }

  @Test func readsInOrderOfBytes() throws {
    let positions = try fill()
    let elements = try reader.elements(of: items, below: .top, above: .bottom, limit: 100)
    #expect(elements.map(\.position) == positions)
    #expect(elements.map(\.id.text) == positions.indices.map(String.init))
  }

  @Test(arguments: ties.indices)
  func cutsRightAboveAndBelowElement(index: Int) throws {
    let positions = try fill()
    let position = positions[index]
    func read(_ upper: Cut, _ lower: Cut) throws -> [Position] {
      try reader.elements(of: items, below: upper, above: lower, limit: 100).map(\.position)
    }
    #expect(try read(.above(position), .bottom) == Array(positions[index...]))
    #expect(try read(.below(position), .bottom) == Array(positions[(index + 1)...]))
    #expect(try read(.top, .above(position)) == Array(positions[..<index]))
    #expect(try read(.top, .below(position)) == Array(positions[...index]))
    #expect(try read(.above(position), .below(position)) == [position])
    #expect(try read(.below(position), .above(position)) == [])
    #expect(
      try reader.hasElement(of: items, below: .above(position), above: .below(position)))
    #expect(
      try !reader.hasElement(of: items, below: .below(position), above: .below(position)))
    #expect(
      try store.known(in: items, below: .above(position), above: .below(position)).count == 1)
  }

  @Test(arguments: [1, 2, 11, 12, 13])
  func readsUpToLimitFromEitherSide(limit: Int) throws {
    let positions = try fill()
    let first = try reader.elements(of: items, below: .top, above: .bottom, limit: limit)
    let last = try reader.lastElements(of: items, below: .top, above: .bottom, limit: limit)
    #expect(first.map(\.position) == Array(positions.prefix(limit)))
    #expect(last.map(\.position) == Array(positions.suffix(limit)))
  }

  @Test func findsThePlaceAtAnOffset() throws {
    let positions = try fill()
    _ = try store.commit(merge(sentAt: 20, removed: [positions[3]]), budget: nil)
    let standing = positions.filter { $0 != positions[3] }
    for offset in 0..<standing.count + 2 {
      let found = try reader.position(at: offset, of: items, below: .top, above: .bottom)
      #expect(found == standing.dropFirst(offset).first)
      let inside = try reader.position(
        at: offset, of: items, below: .below(standing[1]), above: .below(standing[5]))
      #expect(inside == standing[2...5].dropFirst(offset).first)
    }
  }

  @Test(arguments: [0, -1])
  func readsNothingWithoutLimit(limit: Int) throws {
    _ = try fill()
    #expect(try reader.elements(of: items, below: .top, above: .bottom, limit: limit).isEmpty)
  }

  @Test func passesOverTombstones() throws {
    _ = try store.commit(
      merge(sentAt: 10, seen: ["d", "c", "b", "a"].map { seen($0, 5) }), budget: nil)
    _ = try store.commit(
      merge(sentAt: 20, removed: [place("d", 5), place("b", 5)]), budget: nil)
    let first = try reader.elements(of: items, below: .top, above: .bottom, limit: 2)
    #expect(first.map(\.id.text) == ["c", "a"])
    let last = try reader.lastElements(of: items, below: .top, above: .bottom, limit: 2)
    #expect(last.map(\.id.text) == ["c", "a"])
    #expect(try !reader.hasElement(of: items, below: .top, above: .above(place("c", 5))))
  }

  @Test func readsOrdersAtBothEnds() throws {
    let bound = StoredInteger.orderMagnitudeMax
    let orders: [Int64] = [bound, 1, 0, -1, -bound]
    _ = try store.commit(merge(sentAt: 10, seen: orders.map { seen("e\($0)", $0) }), budget: nil)
    let elements = try reader.elements(of: items, below: .top, above: .bottom, limit: 9)
    #expect(elements.map(\.position.order) == orders)
  }

  @Test(arguments: [0, 1, 16_000, 200_000])
  func givesBackBytesOfAnySize(count: Int) throws {
    var element = seen("a", 1)
    element.item.bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    _ = try store.commit(merge(sentAt: 10, seen: [element]), budget: nil)
    let elements = try reader.elements(of: items, below: .top, above: .bottom, limit: 1)
    #expect(elements.map(\.bytes) == [element.item.bytes])
    #expect(try reader.item(Identity("a"), realm: "qiita#items")?.bytes == element.item.bytes)
  }

  /// Who stands has a content; a damaged file may say otherwise.
  @Test func passesOverWhatHasNoContent() throws {
    let positions = try fill()
    let connection = try Connection(path: sandbox.path, access: .readWrite)
    try connection.execute(
      "DELETE FROM content WHERE item = (SELECT item FROM element WHERE id = CAST('2' AS BLOB))")
    let standing = positions.filter { $0 != positions[2] }
    let elements = try reader.elements(of: items, below: .top, above: .bottom, limit: 5)
    #expect(elements.map(\.position) == Array(standing.prefix(5)))
  }

  @Test func seesCommitsMadeAfterItWasOpened() throws {
    #expect(try store.standing() == "")
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    #expect(try reader.hasElement(of: items, below: .top, above: .bottom))
  }
}
