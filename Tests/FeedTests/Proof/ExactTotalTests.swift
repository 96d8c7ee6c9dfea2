import History
import Testing

@testable import Feed

/// A total that is said to be exact, against what the last pages count.
@Suite struct ExactTotalTests {
  private let last = Window(page: 3, perPage: 4)

  @Test(
    arguments: [
      // The last page shows two more than the eight above it.
      (10, false), (11, true), (9, true), (nil, false),
    ] as [(Int?, Bool)])
  func isRefutedByThreeLastPages(total: Int?, isRefuted: Bool) {
    var exact = ExactTotal()
    for _ in 0..<2 { exact.note(page("2a 1b", hasNext: false, total: total), to: last) }
    #expect(!exact.isRefuted)
    exact.note(page("2a 1b", hasNext: false, total: total), to: last)
    #expect(exact.isRefuted == isRefuted)
  }

  @Test func aFullPageAndOneBehindTheEndCountNothing() {
    var exact = ExactTotal()
    for _ in 0..<3 {
      exact.note(page("4a 3b 2c 1d", total: 5), to: last)
      exact.note(page("", hasNext: false, total: 8), to: last)
      exact.note(page("", hasNext: false, total: 7), to: last)
    }
    #expect(!exact.isRefuted)
    // Here the list has more.
    for _ in 0..<3 { exact.note(page("", hasNext: false, total: 9), to: last) }
    #expect(exact.isRefuted)
  }

  @Test func whatIsRefutedStaysSo() {
    var exact = ExactTotal()
    for total in [11, 11, 10, 11, 11] {
      exact.note(page("2a 1b", hasNext: false, total: total), to: last)
    }
    #expect(!exact.isRefuted)
    for total in [11, 10, 10] {
      exact.note(page("2a 1b", hasNext: false, total: total), to: last)
    }
    #expect(exact.isRefuted)
  }
}
