import Feed
import Testing

@testable import Merge

/// Slices read downwards, as they are drawn in ``Drawing``.
struct MergeDownTests {
  private static let home = """
    a | a9 a7 a4 | ?
    b | b8 b6 b5 b2 b1 |
    """

  private func step(
    _ text: String, limit: Int, optional: String = "", from start: Cut? = nil,
    mayAsk: Bool = true, isAsked: Bool = false
  ) -> String {
    var drawing = Drawing(text, limit: limit, optional: optional)
    if let start { drawing.question.start = start }
    drawing.question.mayAsk = mayAsk
    for index in drawing.question.parts.indices {
      let piece = drawing.question.parts[index].piece
      let upper = piece?.range.upper ?? .top
      drawing.question.parts[index].isAsked = isAsked
      drawing.question.parts[index].piece = piece?.with(
        isHead: upper < drawing.question.start && upper != .top)
    }
    return drawn(mergeDown(drawing.question), drawing.question)
  }

  private func second(_ second: Int64) -> Cut { .above(key: second * 1_000) }

  @Test(arguments: [
    (1, "b8 …"), (4, "b8 a7 b6 b5 …"), (5, "b8 a7 b6 b5 a4 …"), (6, "ask a ..2"), (7, "ask a .."),
    (8, "ask a .."),
  ])
  func showsWhatAllPartsAreProvenFor(limit: Int, shown: String) {
    #expect(step(Self.home, limit: limit) == shown)
  }

  @Test func showsWhatIsProvenWhenNothingMayBeAsked() {
    #expect(step(Self.home, limit: 6, mayAsk: false) == "b8 a7 b6 b5 a4 …")
  }

  @Test func hidesWhatIsNewerThanAnotherPartsLook() {
    let parts = """
      a | a9 a7 |
      b |5 b3 |
      """
    #expect(step(parts, limit: 5) == "b3 (end)")
  }

  @Test func doesNotLowerACursor() {
    let parts = """
      a | a9 a7 a4 |
      b |5 b3 |
      """
    #expect(step(parts, limit: 5, from: second(8)) == "look b ..")
    #expect(step(parts, limit: 5, from: second(8), isAsked: true) == "look b ..")
    #expect(step(parts, limit: 5, from: second(5)) == "a4 b3 (end)")
    // Above all that is known it is the top's.
    #expect(step(parts, limit: 5, from: second(12)) == "a4 b3 (end)")
  }

  /// No look reaches a cursor at an item that is dated in the future: one is enough.
  @Test(arguments: [(59, "look b .."), (61, "a7 a4 b3 (end)")])
  func looksOnceBelowAnItemOfTheFuture(ahead: Int64, shown: String) {
    let now = Drawing.now.seconds
    let parts = """
      a |\(now + 99) a7 a4 |
      b |5 b3 |
      """
    let start = second(now + ahead)
    #expect(step(parts, limit: 5, from: start, isAsked: true) == shown)
  }

  @Test func saysTheEndWhenEveryPartHasEnded() {
    let parts = """
      a | a9 a7 |9 a8
      b | b8 b6 |
      """
    #expect(step(parts.replacing("|9 a8", with: "|"), limit: 3) == "b8 a7 b6 (end)")
    #expect(step(parts.replacing("|9 a8", with: "|"), limit: 2) == "b8 a7 …")
  }

  @Test func endsAtAPartThatFails() {
    let parts = """
      a | a9 a7 a4 | x
      b | b9 b6 b5 b2 b1 |
      """
    #expect(step(parts, limit: 9) == "b9 a9 a7 b6 b5 a4 …")
    #expect(step(parts, limit: 9, from: second(3)) == "fail a unavailable")
  }

  @Test func leavesOutAnOptionalPartThatFails() {
    let parts = """
      a | a9 a7 a4 | x
      b | b9 b6 b5 b2 b1 |
      """
    #expect(
      step(parts, limit: 9, optional: "a")
        == "b9 a9 a7 b6 b5 a4 b2 b1 (end) without a unavailable 4..")
    #expect(step(parts, limit: 4, optional: "a") == "b9 a9 a7 b6 …")
  }

  @Test func failsWithoutARequiredPartThatWasNeverRead() {
    let parts = """
      a x
      b | b9 b6 |
      """
    #expect(step(parts, limit: 9) == "fail a unavailable")
    #expect(
      step(parts, limit: 9, optional: "a") == "b9 b6 (end) without a unavailable ..")
    #expect(step(parts, limit: 9, optional: "ab") == "b9 b6 (end) without a unavailable ..")
  }

  @Test func asksForThePartsThatBindAlone() {
    let parts = """
      a | a9 a8 | ?
      b | b9 b3 | ?
      c | c9 c6 c5 c2 | ?
      """
    #expect(step(parts, limit: 5) == "ask a ..6")
    #expect(step(parts, limit: 7) == "ask a ..3")
    #expect(step(parts, limit: 50) == "ask a .., ask b .., ask c ..")
  }

  @Test func endsAtTheFirstWallOfARequiredPart() {
    let parts = """
      a | a9 a7 a4 | #
      b | b9 b6 b5 b2 b1 |
      """
    #expect(step(parts, limit: 9) == "b9 a9 a7 b6 b5 a4 (upstreamLimit)")
    #expect(step(parts, limit: 6) == "b9 a9 a7 b6 b5 a4 (upstreamLimit)")
    #expect(step(parts, limit: 5) == "b9 a9 a7 b6 b5 …")
    #expect(
      step(parts, limit: 9, optional: "a") == "b9 a9 a7 b6 b5 a4 b2 b1 (end) without a wall 4..")
    let both = parts.replacing("b1 |", with: "b1 | #")
    #expect(step(both, limit: 9) == "b9 a9 a7 b6 b5 a4 (upstreamLimit)")
  }

  @Test func namesThePartWhoseGapItEndsAt() {
    let parts = """
      a | a9 a7 a4 | g2
      b | b9 b6 b5 b3 b1 |
      """
    #expect(step(parts, limit: 9) == "ask a ..")
    #expect(step(parts, limit: 9, mayAsk: false) == "b9 a9 a7 b6 b5 a4 … gap a ..3")
  }

  @Test func readsMoreOfAPartThatIsUsedUp() {
    let parts = """
      a | a9 a7 | +
      b | b9 b6 b5 b3 b1 |
      """
    #expect(step(parts, limit: 3) == "b9 a9 a7 …")
    #expect(step(parts, limit: 4) == "read a")
  }

  @Test func leavesBehindAnOptionalPartThatWasNotLookedAtForLong() {
    var drawing = Drawing(
      """
      a | a9 a7 |
      b |5 b3 |
      """, limit: 5, optional: "b")
    func look(at second: Int64) {
      let piece = drawing.question.parts[1].piece
      drawing.question.parts[1].piece = piece?.with {
        $0.freshness = .at(Timestamp(seconds: second))
      }
    }
    look(at: 939)
    #expect(
      drawn(mergeDown(drawing.question), drawing.question)
        == "a9 a7 b3 (end) without b behind 10..6")
    look(at: 940)
    #expect(drawn(mergeDown(drawing.question), drawing.question) == "b3 (end)")
    drawing.question.roles[1] = Drawing.role("b", realm: 1)
    look(at: 900)
    #expect(drawn(mergeDown(drawing.question), drawing.question) == "b3 (end)")
  }

  /// Two parts of one realm, the second with an item of the first further down.
  private func siblings(realm: Int = 0, _ change: (inout Slice) -> Void = { _ in }) -> String {
    var drawing = Drawing(
      """
      a | a9 a7 |
      b | b8 b5 b3 |
      """, limit: 9)
    drawing.question.roles[0] = Drawing.role("a", realm: 0, siblings: [1])
    drawing.question.roles[1] = Drawing.role("b", realm: realm, siblings: [0])
    let pieces = drawing.question.parts.map(\.piece)
    drawing.question.parts[0].piece = pieces[0]?.with(change)
    drawing.question.parts[1].piece = pieces[1]?.with { $0.items[1].id = Identity("a7") }
    return drawn(mergeDown(drawing.question), drawing.question)
  }

  @Test func showsAnItemOfTwoPartsOnceWhereItStandsHighest() {
    #expect(siblings() == "b8 a7 b3 (end)")
  }

  @Test func showsTwoItemsOfOneIdentityInTwoRealms() {
    #expect(siblings(realm: 1) == "b8 a7 a7 b3 (end)")
  }

  @Test func leavesOutInAllOfARealmWhatOnePartLeavesOut() {
    let shown = siblings { slice in
      let place = Position(order: 7, tie: [])
      slice.items.removeLast()
      slice.moves = [Move(number: 1, id: Identity("a7"), from: place, to: place)]
      slice.trail = Trail(known: 1, given: [1])
    }
    #expect(shown == "b8 b3 (end)")
  }
}
