import Testing

@testable import HTTP

@Suite struct FirstReadsTests {
  /// Of the next so many connections with which nothing comes, how many are read from at once.
  private func tried(_ reads: inout FirstReads, of count: Int) -> Int {
    (0..<count).count { _ in
      defer { reads.note(isInVain: true) }
      return reads.isDue
    }
  }

  @Test func readsInVainAreGivenUpButForTrials() {
    var reads = FirstReads()
    #expect(tried(&reads, of: FirstReads.missesMax) == FirstReads.missesMax)
    #expect(tried(&reads, of: 10 * FirstReads.trialsEach) == 10)
    reads.note(isInVain: false)
    #expect(tried(&reads, of: FirstReads.missesMax) == FirstReads.missesMax)
  }
}
