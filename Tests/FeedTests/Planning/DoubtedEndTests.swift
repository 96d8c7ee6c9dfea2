import Testing

@testable import Feed

/// An end that is claimed against what is known is believed when a second answer agrees.
@Suite struct DoubtedEndTests {
  /// Two claims: where each puts the end, and its total; whether the second is believed.
  @Test(
    arguments: [
      (40, 100, 40, 100, true), (40, nil, 40, nil, true), (40, 100, 38, 100, true),
      (40, 100, 37, 100, false), (40, nil, 43, nil, false),
      // The list has moved, and its end with it.
      (40, 100, 50, 110, true), (40, 100, 53, 110, false), (40, 100, 30, 90, true),
      // The other way, or as far as a total that came or went.
      (40, 100, 30, 110, false), (80, nil, 8, 170, false), (80, 97, 8, 170, false),
      (8, 170, 80, nil, false),
    ] as [(Int, Int?, Int, Int?, Bool)])
  func twoClaimsAgreeWhereTheListMayHaveMovedSo(
    end: Int, total: Int?, secondEnd: Int, secondTotal: Int?, isBelieved: Bool
  ) {
    var doubted = DoubtedEnd()
    func isDoubted(end: Int, total: Int?, at seconds: Int64) -> Bool {
      doubted.doubts(
        Page(items: [], count: end, hasNext: false, total: total),
        to: Window(page: 1, perPage: 100), sentAt: Timestamp(seconds: seconds), known: 50,
        timeline: Timeline())
    }
    #expect(isDoubted(end: end, total: total, at: 10))
    #expect(isDoubted(end: secondEnd, total: secondTotal, at: 20) == !isBelieved)
  }
}
