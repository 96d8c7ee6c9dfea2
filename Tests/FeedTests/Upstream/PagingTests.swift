import Support
import Testing

@testable import Feed

/// A paging of each kind, with and without a wall, that is no multiple of its sizes.
private let pagings = [
  Paging.hundreds, Paging(.page(max: 100), perPageMax: 100, reachMax: 9_900),
  Paging(.page(max: 1_000), perPageMax: 100, reachMax: 1_000),
  Paging(.page(max: 25), perPageMax: 7), Paging(.page(max: 1), perPageMax: 40),
  Paging(.offset, perPageMax: 50), Paging(.offset, perPageMax: 100, reachMax: 1_234),
  Paging(.offset, perPageMax: 1),
]

/// What holds of windows whatever the paging.
@Suite struct PagingPropertyTests {
  /// Every window there is, for a paging with a wall.
  private func all(of paging: Paging, upTo perPageMax: Int) -> [Window] {
    (1...min(perPageMax, paging.perPageMax)).flatMap { perPage in
      switch paging.addressing {
      case .page(let pageMax):
        (1...pageMax).map { Window(page: $0, perPage: perPage) }
          .filter { $0.endRank <= paging.reachMax }
      case .offset, .pages, .anchor, .key, .next:
        (0...max(0, min(paging.reachMax, 2_000) - perPage))
          .map { Window(offset: $0, perPage: perPage) }
      }
    }
  }

  /// So a search in it leaps ever further, and does not begin at its furthest page.
  @Test(arguments: [20, 64, 100])
  func numberedPagesWithoutALastOneHaveNoWall(perPageMax: Int) {
    let paging = Paging(.page(max: Paging.reachUnlimited / perPageMax), perPageMax: perPageMax)
    #expect(!paging.hasWall)
  }

  @Test(arguments: pagings)
  func aWindowReachesAsFarDownAsAnyThatBeginsInTime(paging: Paging) {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<40 {
      let need = Int.random(in: -20..<1_500, using: &generator)
      let seen = need + Int.random(in: 0..<60, using: &generator)
      let perPageMax = Int.random(in: 1...120, using: &generator)
      let furthest = all(of: paging, upTo: perPageMax)
        .filter { $0.firstRank <= max(need, 0) }.map(\.endRank).max()
      let window = paging.window(from: need, beyond: seen, perPageMax: perPageMax)
      #expect(window?.endRank == furthest.flatMap { $0 > seen + 1 ? $0 : nil }, "from \(need)")
      guard let window else { continue }
      #expect(paging.takes(window) && window.perPage <= perPageMax)
      #expect(window.firstRank <= max(need, 0))
    }
  }

  @Test(arguments: pagings)
  func upwardsAWindowBeginsAsFarUpAsAnyThatReachesTheRank(paging: Paging) {
    var generator = SeededGenerator(seed: 22)
    for _ in 0..<40 {
      let last = Int.random(in: -20..<1_500, using: &generator)
      let perPageMax = Int.random(in: 1...120, using: &generator)
      let window = paging.window(upFrom: last, perPageMax: perPageMax)
      #expect(paging.takes(window) && window.perPage <= perPageMax)
      let highest = all(of: paging, upTo: perPageMax)
        .filter { $0.endRank > min(max(last, 0), paging.reachMax - 1) }.map(\.firstRank).min()
      guard let highest else { continue }
      #expect(window.firstRank == highest, "up from \(last)")
    }
  }

  @Test(arguments: pagings)
  func aRankIsShownInsideAWindow(paging: Paging) {
    for rank in [0, 3, 500, 999] where rank < paging.reachMax {
      let windows = paging.windows(showing: rank, perPageMax: 100)
      #expect(windows.allSatisfy { paging.takes($0) })
      #expect(windows.contains { ($0.firstRank..<$0.endRank).contains(rank) }, "\(rank)")
    }
  }

  @Test func anOverlapWalkByOffsetsTakes103Windows() {
    let paging = Paging(.offset, perPageMax: 100)
    var windows = 1
    var rank = 99
    while rank < 9_999, let window = paging.window(from: rank - 1, beyond: rank) {
      windows += 1
      rank = window.endRank - 1
    }
    #expect(windows == 103)
  }

  @Test func aClientsPageIsAskedForAsTheUpstreamCounts() {
    let page = Window(page: 3, perPage: 20)
    #expect(Paging.hundreds.window(at: page.firstRank, perPage: page.perPage) == page)
    let offsets = Paging(.offset, perPageMax: 50)
    #expect(offsets.window(at: 40, perPage: 20) == Window(offset: 40, perPage: 20))
  }
}

@Suite struct PagingTests {
  private let paging = Paging.hundreds

  /// The windows of a walk whose every answer leaves its last element's second open.
  private func walk(perPageMax: Int = 100) -> [Window] {
    var windows = [Window(page: 1, perPage: perPageMax)]
    var rank = perPageMax - 1
    while let window = paging.window(from: rank - 1, beyond: rank, perPageMax: perPageMax) {
      windows.append(window)
      rank = window.endRank - 1
    }
    return windows
  }

  @Test func beginsAsDocumented() {
    #expect(
      walk().prefix(4) == [
        Window(page: 1, perPage: 100), Window(page: 2, perPage: 98),
        Window(page: 3, perPage: 97), Window(page: 4, perPage: 96),
      ])
  }

  @Test func takesAbout115WindowsToTheWall() {
    #expect((115...116).contains(walk().count))
    #expect(walk().last?.endRank ?? 0 >= 9_801)
  }

  @Test func beginsAtOrBeforeTheNeedAndReachesBeyondIt() {
    for need in 0..<9_899 {
      guard let window = paging.window(from: need, beyond: need) else {
        Issue.record("none from \(need)")
        return
      }
      #expect(window.firstRank <= need && window.endRank > need + 1)
      #expect((1...100).contains(window.page) && (1...100).contains(window.perPage))
    }
  }

  @Test func takesTheWindowThatReachesFurthest() {
    for need in stride(from: 0, to: 9_899, by: 37) {
      let furthest = (1...100).map { perPage in (min(need / perPage, 99) + 1) * perPage }.max()
      #expect(paging.window(from: need, beyond: need)?.endRank == furthest)
    }
  }

  @Test(arguments: [(9_899, 9_900), (9_999, 9_999), (10_000, 10_000), (Int.max - 100, Int.max - 2)])
  func hasNoneAtTheWall(need: Int, seen: Int) {
    #expect(paging.window(from: need, beyond: seen) == nil)
  }

  @Test func beginsAtTheTopForANeedAboveIt() {
    #expect(paging.window(from: -40, beyond: 3) == Window(page: 1, perPage: 100))
  }

  @Test(arguments: [50, 90, 100])
  func walksWithSmallerWindowsToTheirOwnWall(perPageMax: Int) {
    let windows = walk(perPageMax: perPageMax)
    #expect(windows.allSatisfy { $0.perPage <= perPageMax })
    #expect(windows.last?.endRank ?? 0 >= (perPageMax - 2) * 100)
  }

  @Test func stepsBackFurtherWithEachMiss() {
    #expect((0...4).map(WindowChoice.slack) == [0, 8, 32, 128, 512])
    #expect(WindowChoice.slack(afterMisses: 1_000) == 32_768)
  }
}
