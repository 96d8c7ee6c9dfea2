import History
import Testing

@testable import Feed

/// What an answer claims of a total.
@Suite struct ClaimsTests {
  private let last = Window(page: 3, perPage: 4)

  @Test(
    arguments: [
      // The last page shows two more than the eight above it.
      ("2a 1b", 10, false), ("2a 1b", 11, true), ("2a 1b", 9, true), ("2a 1b", nil, nil),
      // A full page counts nothing, nor does an empty one that begins where the list ends.
      ("4a 3b 2c 1d", 5, nil), ("", 8, nil), ("", 7, nil), ("", 9, true),
    ] as [(String, Int?, Bool?)])
  func aLastPageCountsTheList(drawing: String, total: Int?, isDenied: Bool?) {
    #expect(page(drawing, hasNext: false, total: total).deniesTotal(in: last) == isDenied)
  }
}
