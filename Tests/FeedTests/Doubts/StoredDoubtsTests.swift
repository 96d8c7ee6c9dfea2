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
}
