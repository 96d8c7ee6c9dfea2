import Testing

@testable import Feed

/// What slices lack.
@Suite struct OmissionsTests {
  private func range(_ upper: Int64, _ lower: Int64) -> CutRange {
    CutRange(upper: .below(key: upper), lower: .above(key: lower))
  }

  /// Slices that follow on each other count a place once, wherever they meet.
  @Test(arguments: [60, 51, 50, 45, 40, 30] as [Int64])
  func aPlaceCountsOnce(border: Int64) {
    var omissions = Omissions()
    omissions.note([range(50, 40): 3], in: CutRange(upper: .top, lower: .bottom))
    for cut in [Cut.above(key: border), .below(key: border)] {
      let counts = [omissions.count(from: .top, to: cut), omissions.count(from: cut, to: .bottom)]
      #expect(counts.sorted() == [0, 3])
    }
  }

  @Test func whatAnAnswerShowsOfARangeReplacesWhatWasKnown() {
    var omissions = Omissions()
    omissions.note([range(50, 40): 1, range(30, 20): 1], in: CutRange(upper: .top, lower: .bottom))
    omissions.note([:], in: range(35, 10))
    #expect(omissions.count(from: .top, to: .bottom) == 1)
    omissions.note([range(50, 40): 2], in: range(60, 35))
    #expect(omissions.count(from: .top, to: .bottom) == 2)
  }

  @Test(arguments: [Omissions.placesMax, Omissions.placesMax + 1])
  func soManyPlacesAreRemembered(count: Int) {
    var omissions = Omissions()
    let places = (0..<Int64(count)).map { (range(10 * $0 + 5, 10 * $0), 1) }
    omissions.note(
      Dictionary(uniqueKeysWithValues: places), in: CutRange(upper: .top, lower: .bottom))
    #expect(omissions.count(from: .top, to: .bottom) == min(count, Omissions.placesMax))
  }
}
