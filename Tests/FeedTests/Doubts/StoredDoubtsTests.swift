import History
import Testing

@testable import Feed

/// Doubts as text, as a store keeps them.
@Suite struct StoredDoubtsTests {
  private static let place = CutRange(
    upper: .above(Position(order: 7, tie: [0, 0xFF])), lower: .bottom)
  private static let subjects: [Doubts.Subject] = [
    .feed, .word("a b\n→"), .word(""), .answer(.min), .range(place),
  ]

  @Test(arguments: Doubts.Claim.all, subjects)
  func eachComesBackAsItWas(claim: Doubts.Claim, subject: Doubts.Subject) {
    var doubts = Doubts()
    for second in 1...7 {
      doubts.hear(claim, of: subject, at: Timestamp(seconds: Int64(second)), value: 40)
    }
    let read = Doubts(text: doubts.text)
    #expect(read.isStored(as: doubts))
    #expect(read.entries.isEmpty == !claim.isStored)
  }

  @Test func anEndComesBackWithItsAnswer() {
    var doubts = Doubts()
    let page = Page(items: [], count: 40, hasNext: false, total: 330)
    let sentAt = Timestamp(seconds: 10)
    let hasMore = doubts.hasMore(
      after: page, to: Window(offset: 100, perPage: 100), sentAt: sentAt, known: 0, total: nil)
    #expect(hasMore && Doubts(text: doubts.text) == doubts)
    #expect(doubts.text == "end - 10000 140 1 0 - 0 100 100 40 330 1")
  }

  @Test(
    arguments: [
      "", "end", "end - 1", "end x 1 1 1 1 - 1", "later - 1 1 1 1 - 1", "unusable r1. 1 1 1 1 - 1",
      "unusable r1.?.2. 1 1 1 1 - 1", "shown a? 1 1 1 1 - 1", "end - 1 1 1 1 - 1 1",
      "end - 9223372036854775808 1 1 1 - 1",
    ])
  func aLineOfAnotherFormIsLeftOut(text: String) {
    #expect(Doubts(text: text) == Doubts())
  }

  /// Whatever numbers a store holds, they are reckoned with.
  @Test(arguments: [Int64.min, -1, 0, .max]) func noNumberOverflows(number: Int64) {
    let (now, numbers) = (Timestamp(seconds: 10), Array(repeating: "\(number)", count: 6))
    for claim in Doubts.Claim.all {
      let line = ([claim.name, "-"] + numbers).joined(separator: " ")
      for text in [line, line + Array(repeating: " \(number)", count: 5).joined()] {
        var doubts = Doubts(text: text)
        doubts.hear(claim, at: now, value: 40)
        _ = (doubts.perPageMax(below: 5), doubts.endSettles(after: now))
        _ = doubts.restsUntil(claim, at: now)
        let page = Page(items: [], count: 40, hasNext: false, total: .max)
        _ = doubts.hasMore(
          after: page, to: Window(offset: 0, perPage: 100), sentAt: now, known: 0, total: nil)
        #expect(Doubts(text: doubts.text).entries.count == doubts.entries.count(where: \.isStored))
      }
    }
  }

  @Test func onlySoManyOfAKindAreRead() {
    let lines = (0..<200).map { "unusable r\($0).AA.0.AA 1 1 1 1 - 1" }
    let doubts = Doubts(text: lines.joined(separator: ";"))
    #expect(doubts.entries.count == Doubts.Claim.unusable.entriesMax)
  }

  /// Late arrivals come back with where they are looked for; of too many ranges the lowest are one.
  @Test(arguments: [1, 5, 16, 17, 40])
  func lateArrivalsComeBack(stretches: Int) throws {
    let known = (0..<1_000).map { Position(order: Int64(10_000 - $0), tie: [UInt8($0 % 250)]) }
    var late = LateArrivals(
      count: stretches, below: .above(known[0]), since: Timestamp(seconds: 5), known: known,
      firstRank: 7, total: 1_000 + stretches)
    for number in 1..<max(1, stretches) where number < stretches {
      // One came late above each of them.
      let (upper, lower) = (known[20 * number], known[20 * number + 5])
      let rank = 7 + 20 * number + number
      let window = Window(offset: rank, perPage: 5)
      late.note(
        Evidence(
          window: window, sentAt: Timestamp(seconds: 6),
          elements: zip(0..., known[20 * number..<20 * number + 5]).map { index, position in
            let id = Identity("\(position.order)")
            return Evidence.Placed(
              position: position, rank: rank + index, isDisplaced: false,
              item: PageItem(id: id, key: position.order, updatedAt: nil, bytes: []))
          }, upper: .above(upper), lower: .above(lower), rankBelow: rank + 5, isTop: false,
          isEnd: false), total: 1_000 + stretches)
    }
    #expect(late.stretches.count == stretches && late.count == stretches)
    var doubts = Doubts()
    doubts.keep(late)
    let read = Doubts(text: doubts.text)
    #expect(read.claims(late) && read.isStored(as: doubts))
    let again = try #require(
      LateArrivals(claimedBy: read, known: known, firstRank: 7, total: late.total))
    let kept = min(stretches, 16)
    #expect(again.stretches.map(\.cut) == late.stretches.prefix(kept).map(\.cut))
    #expect(again.stretches.last?.end == late.stretches.last?.end && again.count == stretches)
    #expect(again.stretches.map(\.above) == late.stretches.prefix(kept).map(\.above))
    doubts.keep(nil)
    #expect(doubts.entries.isEmpty && doubts.lateBelow == nil)
  }

  /// What anybody may have written into a store is read as it is, and ends nothing.
  @Test func aHugeCountOfLateArrivalsIsBorne() {
    let most = Int64.max
    let text = ["9..8", "7..6"].map { "late r\($0). 1 \(most) 2 0 - \(most)" }
    let doubts = Doubts(text: text.joined(separator: ";"))
    let late = LateArrivals(
      claimedBy: doubts, known: [Position(order: 8, tie: [])], firstRank: 0, total: nil)
    #expect(late?.stretches.count == 2 && late?.isSpent == true)
  }

  /// The same of the rank that an answer was shown at.
  @Test(arguments: [Int64.min, .max])
  func aHugeRankOfAnAnswerIsBorne(rank: Int64) {
    var doubts = Doubts()
    let (window, now) = (Window(page: 2, perPage: 3), Timestamp(seconds: 5))
    let shown = page("9a 8b 7c")
    _ = doubts.isRepeated(shown, to: window, at: now)
    #expect(doubts.text.contains(" 5000 3 1 "))
    let text = doubts.text.replacing(" 5000 3 1 ", with: " 5000 \(rank) 1 ")
    var read = Doubts(text: text)
    #expect(!read.isRepeated(shown, to: window, at: now) && read.makes(.repeated))
  }

  /// A place among many: what its own answers said counts, not what was said of a larger one that
  /// holds it.
  @Test func aPlaceIsKnownByItselfFirst() {
    var doubts = Doubts()
    let range = { (upper: Int64, lower: Int64) in
      CutRange(upper: .above(key: upper), lower: .above(key: lower))
    }
    let note = { (doubts: inout Doubts, place: CutRange, shown: CutRange) in
      doubts.note(
        [place], in: shown, of: Window(page: 2, perPage: 50), sentAt: Timestamp(seconds: 1),
        at: Timestamp(seconds: 1), after: .seconds(60))
    }
    _ = note(&doubts, range(100, 1), range(200, 0))
    let places = (0..<4).map { _ in note(&doubts, range(50, 40), range(60, 30)) }
    #expect(places == [[range(50, 40)], [], [], []])
  }
}
