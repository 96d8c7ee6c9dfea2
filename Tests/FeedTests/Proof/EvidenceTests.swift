import History
import Support
import Testing

@testable import Feed

@Suite struct EvidenceTests {
  @Test func leavesTheFirstAndTheLastSecondOpen() {
    let evidence = evidence("9a 9b 8c 7d 7e 6f", page: 3)
    #expect(evidence.upper == .below(key: 9))
    #expect(evidence.lower == .above(key: 6))
    #expect(evidence.drawing == "8c 7d 7e")
    #expect(evidence.rankBelow == 12 + 5)
  }

  @Test func provesNothingInsideOneSecond() {
    let evidence = evidence("9a 9b 9c", page: 2)
    #expect(evidence.upper == evidence.lower)
    #expect(evidence.covered.isEmpty)
  }

  @Test func provesThatNothingLiesBetweenTwoSeconds() {
    let evidence = evidence("9a 5b", page: 2)
    #expect(evidence.lower < evidence.upper)
    #expect(evidence.drawing == "")
  }

  /// What a window from the top shows, by how far the upstream's clock is past its newest second.
  @Test(
    arguments: [
      (clock: 9, drawing: "", settled: 7), (clock: 10, drawing: "8b", settled: 8),
      (clock: 11, drawing: "9a 8b", settled: 9), (clock: 1000, drawing: "9a 8b", settled: 998),
    ] as [(clock: Int64, drawing: String, settled: Int64)])
  func takesTheNewestSecondOnceItIsSettled(clock: Int64, drawing: String, settled: Int64) {
    let evidence = evidence("9a 8b 7c", clock: clock)
    #expect(evidence.drawing == drawing)
    #expect(evidence.upper == .above(key: settled))
  }

  @Test(arguments: [(1060, 998), (1061, 1061), (9000, 9000)] as [(Int64, Int64)])
  func takesAnItemDatedAheadForSettled(second: Int64, upper: Int64) {
    #expect(evidence("\(second)a 5b 4c").upper == .above(key: upper))
  }

  /// Windows of three: what they hold, whether `Link` has a next one, whether the feed ends there.
  @Test(arguments: [
    ("9a 8b 7c", 1, true, false), ("9a 8b 7c", 1, false, false), ("9a 8b", 1, true, false),
    ("9a 8b", 1, false, true), ("9a 8b ?", 1, false, false), ("9a ?", 1, false, true),
    ("", 1, false, true), ("", 1, true, false), ("", 5, false, false),
    ("3y 2z", 5, false, true), ("3y 2z", 5, true, false), ("?", 5, false, false),
  ])
  func findsTheEnd(drawing: String, page: Int, hasNext: Bool, isEnd: Bool) {
    let evidence = evidence(drawing, page: page, perPage: 3, hasNext: hasNext)
    #expect(evidence.isEnd == isEnd)
    #expect(
      (evidence.lower == .bottom) == (isEnd || (drawing.isEmpty || drawing == "?") && page > 1))
  }

  @Test func believesATotalRatherThanAnEmptyFirstPage() {
    let empty = Page(items: [], count: 0, hasNext: false, total: 12)
    let evidence = Evidence(
      empty, to: Window(page: 1, perPage: 30), sentAt: Timestamp(seconds: 0), clock: 1000)
    #expect(!evidence.isEnd)
  }

  @Test func anEmptyWindowFurtherDownProvesNothing() {
    let evidence = evidence("", page: 5, perPage: 30, hasNext: false)
    #expect(evidence.upper == .bottom && evidence.lower == .bottom)
  }

  @Test func countsBadElementsAmongTheRanks() {
    let evidence = evidence("? 9a ? 8b 7c ?", page: 2)
    #expect(evidence.elements.map(\.rank) == [7, 9, 10])
    #expect(evidence.upper == .below(key: 9))
    #expect(evidence.lower == .above(key: 7))
    #expect(evidence.rankBelow == 10)
  }

  @Test func leavesAnItemWithoutADateOut() {
    let undated = PageItem(id: Identity("u"), key: nil, updatedAt: nil, bytes: [])
    var page = page("9a 8b 7c")
    page.items[1].item = undated
    let evidence = Evidence(
      page, to: Window(page: 1, perPage: 3), sentAt: Timestamp(seconds: 0), clock: 1000)
    #expect(evidence.elements.map(\.item.id.text) == ["a", "c"])
  }

  @Test(arguments: [
    ("9a 2x 8b 7c", "x"), ("2x 9a 8b 7c", "x"), ("9a 8b 12x 7c", "x"), ("9a 8b 7c", ""),
    ("9a 9b 9c", ""), ("5a 6b", "a"),
  ])
  func displacesWhatStandsWhereItsKeyDoesNotBelong(drawing: String, displaced: String) {
    let evidence = evidence(drawing, page: 2)
    let found = evidence.elements.filter(\.isDisplaced).map(\.item.id.text).joined()
    #expect(found == displaced)
    #expect(!evidence.covered.contains { $0.isDisplaced })
  }

  @Test func displacedElementsDoNotMoveTheEdges() {
    let evidence = evidence("1x 9a 8b 7c 20y", page: 2)
    #expect(evidence.upper == .below(key: 9))
    #expect(evidence.lower == .above(key: 7))
  }

  @Test func findsALongestFallingSubsequence() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      let count = Int.random(in: 0...10, using: &random)
      let values = (0..<count).map { _ in Int64.random(in: 0...6, using: &random) }
      let marks = longestFallingSubsequence(values)
      let kept = zip(values, marks).filter(\.1).map(\.0)
      #expect(zip(kept, kept.dropFirst()).allSatisfy { $0 >= $1 })
      #expect(kept.count == longest(values), "\(values)")
    }
  }

  /// By trying every choice.
  private func longest(_ values: [Int64]) -> Int {
    (0..<1 << values.count).map { choice in
      let kept = values.indices.filter { choice & 1 << $0 != 0 }.map { values[$0] }
      return zip(kept, kept.dropFirst()).allSatisfy { $0 >= $1 } ? kept.count : 0
    }.max() ?? 0
  }

  @Test(arguments: [Int64.min + 2, -62_135_596_800, 253_402_300_799, Int64.max - 60])
  func bearsAnyClock(clock: Int64) {
    #expect(!evidence("9a 8b 7c", clock: clock).elements.isEmpty)
  }

  @Test func bearsTheFirstAndTheLastYear() {
    let evidence = evidence("253402300799a 9b -62135596800c")
    #expect(evidence.drawing == "253402300799a 9b")
  }
}
