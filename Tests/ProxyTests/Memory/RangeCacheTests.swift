import Feed
import History
import Support
import Testing

@testable import Proxy

/// Every answer out of what is known is compared with the feed itself.
@Suite struct RangeCacheTests {
  /// Seconds with one to three elements each, and some with none.
  private static func feed(_ generator: inout some RandomNumberGenerator) -> [Element] {
    (0..<40).reversed().flatMap { second in
      (0..<UInt8.random(in: 0...3, using: &generator)).reversed().map { tie in
        let position = Position(order: Int64(second), tie: [tie])
        return Element(
          position: position, id: Identity(bytes: [UInt8(second), tie]), bytes: [tie], digest: 1)
      }
    }
  }

  private static func cut(_ generator: inout some RandomNumberGenerator) -> Cut {
    let position = Position(
      order: .random(in: -1...40, using: &generator), tie: [.random(in: 0...3, using: &generator)])
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return .top
    case 1: return .bottom
    case 2: return .below(key: position.order)
    case 3, 4: return .above(position)
    default: return .below(position)
    }
  }

  private static func elements(
    of feed: [Element], below upper: Cut, above lower: Cut
  ) -> [Element] {
    feed.filter { !upper.isBelow($0.position) && lower.isBelow($0.position) }
  }

  @Test(arguments: 0..<200) func answersAsTheFeedDoes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let feed = Self.feed(&generator)
    var known = RangeCache()
    var told = Set<Position>()
    var answered = 0
    for _ in 0..<150 {
      let (upper, lower) = (Self.cut(&generator), Self.cut(&generator))
      let limit = Int.random(in: 1...12, using: &generator)
      let all = Self.elements(of: feed, below: upper, above: lower)
      let (first, last) = (Array(all.prefix(limit)), Array(all.suffix(limit)))
      if let elements = known.elements(below: upper, above: lower, limit: limit) {
        #expect(Array(elements) == first)
        answered += elements.isEmpty ? 0 : 1
      }
      if let elements = known.lastElements(below: upper, above: lower, limit: limit) {
        #expect(Array(elements) == last)
      }
      let holds = known.holdsElement(below: upper, above: lower)
      #expect(holds == all.contains { told.contains($0.position) })
      guard upper > lower else { continue }
      let isDownward = Bool.random(using: &generator)
      let read = isDownward ? first : last
      let isWhole = read.count < limit
      let end = read.last.map { Cut.below($0.position) } ?? lower
      let start = read.first.map { Cut.above($0.position) } ?? upper
      let new = Set(read.map(\.position)).subtracting(told)
      let added = known.note(
        read, below: isWhole || isDownward ? upper : start,
        above: isWhole || !isDownward ? lower : end)
      #expect(added == new.count)
      told.formUnion(new)
      #expect(known.count == told.count)
      guard !read.isEmpty else { continue }
      let again =
        isDownward
        ? known.elements(below: upper, above: lower, limit: limit)
        : known.lastElements(below: upper, above: lower, limit: limit)
      #expect(again.map(Array.init) == read)
    }
    #expect(answered > 0)
  }

  @Test func knowsNothingAtFirst() {
    let known = RangeCache()
    #expect(known.elements(below: .top, above: .bottom, limit: 1) == nil)
    #expect(known.lastElements(below: .top, above: .bottom, limit: 1) == nil)
    #expect(!known.holdsElement(below: .top, above: .bottom))
  }
}
