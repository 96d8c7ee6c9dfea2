import Testing

@testable import Feed

@Suite struct FreshnessTests {
  private func freshness(provenBefore ages: [Int64], lookedBefore: Int64? = nil) -> Freshness {
    let now = Timestamp(seconds: 1_000_000)
    return Freshness(
      of: ages.map {
        Proof(
          upper: .top, lower: .bottom, provenAt: now - .seconds($0), count: 0, rankBelow: 0)
      }, lookedAt: lookedBefore.map { now - .seconds($0) }, policy: Policy(), at: now)
  }

  /// Ages in seconds against the limits of 60, 3,600 and 86,400.
  @Test(
    arguments: [
      ([0], .fresh), ([59], .fresh), ([60], .stale), ([86_399], .stale), ([86_400], .expired),
      ([5, 3_599], .fresh), ([5, 3_600], .stale), ([5, 86_400], .expired), ([], .fresh),
    ] as [([Int64], Freshness.State)])
  func followsTheNewestAndTheOldestAnswer(ages: [Int64], state: Freshness.State) {
    #expect(freshness(provenBefore: ages).state == state)
  }

  @Test func isAsOldAsTheLastLookAtTheTop() {
    let freshness = freshness(provenBefore: [10, 500], lookedBefore: 70)
    #expect(freshness.state == .stale)
    #expect(freshness.checkedAt == Timestamp(seconds: 1_000_000 - 70))
    #expect(freshness.provenAt == Timestamp(seconds: 1_000_000 - 500))
  }

  @Test func provenAtIsNeverAfterCheckedAt() {
    let freshness = freshness(provenBefore: [10], lookedBefore: 70)
    #expect(freshness.provenAt <= freshness.checkedAt)
  }
}
