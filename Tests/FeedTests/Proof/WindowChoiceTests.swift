import Testing

@testable import Feed

@Suite struct WindowChoiceTests {
  /// The windows of a walk whose every answer leaves its last element's second open.
  private func walk(perPageMax: Int = Window.perPageMax) -> [Window] {
    var windows = [Window(page: 1, perPage: perPageMax)]
    var rank = perPageMax - 1
    while let window = WindowChoice.window(from: rank - 1, beyond: rank, perPageMax: perPageMax) {
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
      guard let window = WindowChoice.window(from: need, beyond: need) else {
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
      #expect(WindowChoice.window(from: need, beyond: need)?.endRank == furthest)
    }
  }

  @Test(arguments: [(9_899, 9_900), (9_999, 9_999), (10_000, 10_000), (Int.max - 100, Int.max - 2)])
  func hasNoneAtTheWall(need: Int, seen: Int) {
    #expect(WindowChoice.window(from: need, beyond: seen) == nil)
  }

  @Test func beginsAtTheTopForANeedAboveIt() {
    #expect(WindowChoice.window(from: -40, beyond: 3) == Window(page: 1, perPage: 100))
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
