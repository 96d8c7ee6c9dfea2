import Testing

@testable import Feed

/// Which evidence is laid into a timeline.
@Suite struct MergingTests {
  private func evidence(_ sentAt: Int64, isTop: Bool, from upper: Int64, to lower: Int64)
    -> Evidence
  {
    Evidence(
      window: Window(page: 1, perPage: 20), sentAt: Timestamp(seconds: sentAt), elements: [],
      upper: .above(Position(order: upper, tie: [])),
      lower: .above(Position(order: lower, tie: [])), rankBelow: 0, isTop: isTop, isEnd: false)
  }

  /// An answer out of a copy of long ago, whose elements got places above all that is known, would
  /// be a head that is older than what it hides.
  @Test(arguments: [
    (20, true, 9, 8, true), (9, true, 9, 8, false), (9, false, 9, 8, true),
    (9, false, 7, 3, false), (10, true, 9, 8, true), (10, false, 7, 3, true),
  ])
  func whatIsOlderIsNotLaidOverWhatIsNewer(
    sentAt: Int64, isTop: Bool, upper: Int64, lower: Int64, mayApply: Bool
  ) {
    var timeline = Timeline()
    timeline.lookedAt = Timestamp(seconds: 10)
    timeline.proofs = [
      Proof(
        upper: .above(Position(order: 6, tie: [])), lower: .above(Position(order: 4, tie: [])),
        provenAt: Timestamp(seconds: 10), count: 2, rankBelow: 2)
    ]
    let evidence = evidence(sentAt, isTop: isTop, from: upper, to: lower)
    #expect(Merging.mayApply(evidence, to: timeline) == mayApply)
  }
}
