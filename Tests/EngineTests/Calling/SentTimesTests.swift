import Feed
import Testing

@testable import Engine

/// When an answer was sent, where the clocks of several servers differ.
@Suite struct SentTimesTests {
  /// In milliseconds: when it was sent by this server's clock, the latest that was known then by
  /// the clock of another one, and what counts.
  @Test(arguments: [
    (5, nil, 5), (5, 4, 5), (5, 5, 6), (5, 900, 901), (5, 1_004, 1_005), (5, 1_005, 5),
    (5, 7_200_000, 5), (.max, 5, .max), (5, Int64.max, 5),
  ])
  func comesAfterWhatWasKnown(sent: Int64, latest: Int64?, counted: Int64) {
    let result = FeedReader.sent(
      Timestamp(milliseconds: sent), after: latest.map { Timestamp(milliseconds: $0) })
    #expect(result == Timestamp(milliseconds: counted))
  }

  /// The latest is of any answer: a proof, a look at the top or a total.
  @Test func theLatestIsOfAnyAnswer() {
    var timeline = Timeline()
    #expect(timeline.latest == nil)
    timeline.lookedAt = Timestamp(milliseconds: 5)
    #expect(timeline.latest == Timestamp(milliseconds: 5))
    timeline.total = Total(value: 1, asOf: Timestamp(milliseconds: 6))
    #expect(timeline.latest == Timestamp(milliseconds: 6))
    timeline.proofs = [
      Proof(
        upper: .top, lower: .bottom, provenAt: Timestamp(milliseconds: 7), count: 1, rankBelow: 1)
    ]
    #expect(timeline.latest == Timestamp(milliseconds: 7))
  }
}
