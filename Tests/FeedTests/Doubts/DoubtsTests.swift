import Testing

@testable import Feed

/// One law for all that is doubted, by the table.
@Suite struct DoubtsTests {
  private let start = Timestamp(seconds: 1_000)

  /// Makes a claim once fewer than it needs.
  private func almost(_ claim: Doubts.Claim) -> Doubts {
    var doubts = Doubts()
    for _ in 1..<claim.answers { doubts.hear(claim, at: start) }
    return doubts
  }

  /// L3: what is known is taken away by no single answer, whatever it claims; one answer may at the
  /// most have something rest.
  @Test(arguments: Doubts.Claim.all)
  func oneAnswerSettlesNothing(claim: Doubts.Claim) {
    var doubts = Doubts()
    #expect(doubts.hear(claim, at: start) == .doubted || claim.rest != nil)
  }

  @Test(arguments: Doubts.Claim.all)
  func itIsBelievedAtItsThresholdAndNotBefore(claim: Doubts.Claim) {
    var doubts = Doubts()
    for _ in 1..<claim.answers { #expect(doubts.hear(claim, at: start) == .doubted) }
    let settled = start + claim.apart
    if claim.apart > .zero {
      #expect(doubts.hear(claim, at: settled - .milliseconds(1)) == .doubted)
    }
    #expect(doubts.hear(claim, at: settled) == .believed)
  }

  @Test(arguments: Doubts.Claim.all)
  func anAnswerThatDeniesItBeginsAnew(claim: Doubts.Claim) {
    var doubts = almost(claim)
    #expect(doubts.hear(claim, false, at: start) == .unheard)
    #expect(doubts == Doubts())
  }

  @Test(arguments: Doubts.Claim.all)
  func anAnswerThatSaysNothingOfItChangesNothing(claim: Doubts.Claim) {
    var doubts = Doubts()
    #expect(doubts.hear(claim, nil, at: start) == .unheard)
    doubts.hear(claim, at: start)
    let before = doubts
    doubts.hear(claim, nil, at: start)
    #expect(doubts == before)
  }

  /// Two answers that differ by more than the drift claim two things.
  @Test(arguments: Doubts.Claim.all, [0, 1, -1, Int.max, Int.min])
  func oneWithAnotherValueIsAnotherClaim(claim: Doubts.Claim, beyond: Int) {
    var doubts = almost(claim)
    let (value, _) = beyond.addingReportingOverflow(beyond.signum() * claim.drift)
    let verdict = doubts.hear(claim, at: start + claim.apart, value: value)
    #expect((verdict == .believed) == (beyond == 0 || claim.answers == 1))
  }

  /// What rests does so for longer each time, up to its bound, until an answer denies it.
  @Test(arguments: Doubts.Claim.all.filter { $0.rest != nil })
  func aRestGrowsUpToItsBound(claim: Doubts.Claim) throws {
    let rest = try #require(claim.rest)
    var doubts = Doubts()
    for time in 1...20 {
      for _ in 0..<claim.answers { doubts.hear(claim, at: start) }
      let expected = min(rest.min * (1 << min(time - 1, 10)), rest.max)
      #expect(doubts.restsUntil(claim, at: start) == start + expected)
      #expect(doubts.restsUntil(claim, at: start + expected) == nil)
    }
    doubts.clear(claim)
    #expect(doubts.restsUntil(claim, at: start) == nil)
  }

  @Test(arguments: Doubts.Claim.all)
  func aFewOfAKindAreKept(claim: Doubts.Claim) {
    var doubts = Doubts()
    for index in 0..<claim.entriesMax { doubts.hear(claim, of: .word("\(index)"), at: start) }
    #expect(doubts.entries.count == claim.entriesMax)
    doubts.hear(claim, of: .word("one more"), at: start)
    #expect(doubts.entries.count == claim.entriesMax)
    #expect(doubts.entries.last?.subject == .word("one more"))
  }

  @Test func noTwoClaimsHaveOneName() {
    #expect(Set(Doubts.Claim.all.map(\.name)).count == Doubts.Claim.all.count)
  }

  /// A feed of 20 elements is emptied by two answers, a larger one by three.
  @Test(arguments: [(20, 2), (21, 3)])
  func aSmallFeedIsEmptiedSooner(count: Int, answers: Int) {
    #expect(Doubts.Claim.empty.of(count: count, apart: .zero).answers == answers)
  }
}
