import Feed
import Testing

@testable import Engine

/// When an answer was sent, where the clocks of several servers differ.
@Suite struct SentTimesTests {
  /// In milliseconds: when it was sent and answered by this server's clock, the latest that was
  /// known then by the clock of another one, and what counts. Nothing is of the future.
  @Test(arguments: [
    (5, 9, nil, 5), (5, 9, 4, 5), (5, 9, 5, 5), (5, 9, 8, 8), (5, 9, 9, 9), (5, 9, 10, 9),
    (5, 9, 1_005, 9), (5, 2_000, 1_005, 1_005), (5, 2_000, 1_006, 5), (5, 9, 7_200_000, 5),
    (5, 3, 8, 5), (.max, .max, 5, .max), (5, 9, Int64.max, 5),
  ])
  func comesNoEarlierThanWhatWasKnown(
    sent: Int64, received: Int64, latest: Int64?, counted: Int64
  ) {
    let result = FeedReader.sent(
      Timestamp(milliseconds: sent), after: latest.map { Timestamp(milliseconds: $0) },
      by: Timestamp(milliseconds: received))
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
