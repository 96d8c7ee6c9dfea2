import History
import Testing

@testable import Feed

/// Pages of one size that are laid behind the remembered end of a run.
@Suite struct ContinuationTests {
  private static let paging = Paging(.pages, perPageMax: 4, joins: .count)

  /// What follows on the second page of four, `9a 8b 7c 6d`, of a list of 20.
  private func second(total: Int? = 20) throws -> Continuation {
    let above = page("9a 8b 7c 6d", total: total)
    let window = Window(page: 2, perPage: 4)
    let evidence = Evidence(above, to: window, sentAt: Timestamp(seconds: 1), clock: 1000)
    return try #require(
      Continuation(above, evidence, in: window, paging: Self.paging, order: .value))
  }

  private func spliced(_ drawing: String, total: Int? = 20, hasNext: Bool = true) throws -> String?
  {
    try second().spliced(
      page(drawing, hasNext: hasNext, total: total), to: Window(page: 3, perPage: 4), by: .count
    ).map { $0.items.map { String(decoding: $0.item.bytes, as: UTF8.self) }.joined(separator: " ") }
  }

  @Test func theNextPageFollowsOnTheLastTwoElementsAboveTheOpenKey() throws {
    #expect(try spliced("5e 4f 3g 2h") == "8b 7c 6d 5e 4f 3g 2h")
    // What moved down is met again.
    #expect(try spliced("6d 5e 4f 3g") == "8b 7c 6d 5e 4f 3g")
  }

  /// A look at the top shows the first page of an instant again, of which two were read: what is
  /// remembered of both stays, as long as the list has not moved.
  @Test func theEndOfTwoPagesGoesOnFromThatOfTheFirst() throws {
    let end = { (drawing: String, total: Int?) throws in
      let above = page(drawing, total: total)
      let window = Window(page: 2, perPage: above.count)
      let evidence = Evidence(above, to: window, sentAt: Timestamp(seconds: 1), clock: 1000)
      return try #require(
        Continuation(above, evidence, in: window, paging: Self.paging, order: .value))
    }
    let both = try end("9a 8b 7c 6d 6e 6f", 20)
    #expect(try both.goesOn(from: end("9a 8b 7c 6d", 20)))
    #expect(try !both.goesOn(from: end("9a 8b 7c 6d", 21)))
    #expect(try !both.goesOn(from: end("9a 8b 7c 6e", 20)))
    #expect(try !both.goesOn(from: end("9a 8b 7x 6d", 20)))
    #expect(try !end("9a 8b 7c 6d", 20).goesOn(from: both))
  }

  @Test func aListThatHasShrunkIsNotJoinedByCount() throws {
    #expect(try spliced("5e 4f 3g 2h", total: 19) == nil)
  }

  /// Eight stand above the page: of nine that have come, it may show one.
  @Test func aListThatHasGrownByAsManyAsStandAboveIsNotJoined() throws {
    #expect(try spliced("5e 4f 3g 2h", total: 28) == "8b 7c 6d 5e 4f 3g 2h")
    #expect(try spliced("5e 4f 3g 2h", total: 29) == nil)
  }

  /// A page that is named by what follows on the end is not moved by what comes above.
  @Test func whatATokenNamesFollowsHoweverMuchComesAbove() throws {
    var above = page("9a 8b 7c 6d", total: 20)
    above.nextMark = "token"
    let first = Window(.mark(nil, rank: 4), perPage: 4)
    let evidence = Evidence(above, to: first, sentAt: Timestamp(seconds: 1), clock: 1000)
    let paging = Paging(.next, perPageMax: 4, joins: .upstream)
    let end = try #require(
      Continuation(above, evidence, in: first, paging: paging, order: .value))
    let next = Window(.mark("token", rank: 8), perPage: 4)
    #expect(end.spliced(page("5e 4f 3g 2h", total: 40), to: next, by: .upstream) != nil)
    #expect(end.spliced(page("5e 4f 3g 2h", total: 40), to: next, by: .none) == nil)
  }

  /// An empty page by how many stand above it says that the list ends higher up, where its total
  /// is smaller than that; one that the upstream's word leads to means one place.
  @Test func anEmptyPageFurtherDownThanItsTotalEndsNothing() throws {
    var above = page("9a 8b 7c 6d", total: 20)
    above.nextMark = "8"
    let first = Window(.mark(nil, rank: 4), perPage: 4)
    let evidence = Evidence(above, to: first, sentAt: Timestamp(seconds: 1), clock: 1000)
    let next = Window(.mark("8", rank: 8), perPage: 4)
    let empty = { (joins: JoinProof, total: Int) throws in
      let paging = Paging(.next, perPageMax: 4, joins: joins, accept: .none)
      let end = try #require(
        Continuation(above, evidence, in: first, paging: paging, order: .value))
      return end.spliced(page("", hasNext: false, total: total), to: next, by: joins) != nil
    }
    #expect(try empty(.none, 8))
    #expect(try !empty(.none, 7))
    #expect(try empty(.upstream, 7))
  }

  /// More came above than a page shows: the page begins above the run's end.
  @Test func whatStandsAboveTheEndIsLeftOut() throws {
    #expect(try spliced("8b 7x 6y 5e") == "8b 7c 6d 6y 5e")
    #expect(try spliced("9v 9w 8x 8y") == nil)
  }

  @Test func anEmptyPageEndsAListWhereItsTotalSaysSo() throws {
    // Eight stand on the two pages above.
    let continuation = try second(total: 8)
    let empty = { (total: Int?) in
      continuation.spliced(
        page("", hasNext: false, total: total), to: Window(page: 3, perPage: 4), by: .count)
    }
    #expect(empty(8)?.items.count == 3)
    #expect(empty(12) == nil)
  }

  @Test func thePageAboveACutGoesOnWhereNoneEndedAtIt() throws {
    let end = try second()
    let ends = [Cut.above(key: 6): end]
    #expect(ends.lowest(from: .above(key: 6))?.cut == .above(key: 6))
    #expect(ends.lowest(from: .below(key: 3))?.cut == .above(key: 6))
    #expect(ends.lowest(from: .above(key: 7)) == nil)
  }

  /// Pages that nothing joins leave out what stands between them, wherever that is: a later answer
  /// that shows the upper part proves nothing of the rest.
  @Test(arguments: [(JoinProof.none, JoinProof.none), (.upstream, nil), (nil, nil)])
  func whatIsLeftOfAProofIsBelievedAsItWas(belief: JoinProof?, left: JoinProof?) throws {
    let ledger = Ledger(of: Dialect.unproven.lists.items)
    var first = evidence("9a 8b 7c 3d 2e", sentAt: 1000)
    first.belief = belief
    try ledger.lay(first)
    try ledger.lay(evidence("9a 8b 7c 6x", sentAt: 2000))
    #expect(ledger.timeline.proofs.count == 2)
    #expect(ledger.timeline.proofs.last?.belief == left)
  }

  /// What is remembered of an element may have changed since.
  @Test func aRememberedElementIsNotWrittenAgain() throws {
    let ledger = Ledger()
    try ledger.lay(evidence("9a 8b 7c", sentAt: 1000))
    var later = evidence("8b 7c 6d", page: 2, sentAt: 2000)
    later.remembered = [Identity("8b".dropFirst().description)]
    try ledger.lay(later)
    #expect(ledger.lastMerge?.seen.map(\.item.id.text) == ["c"])
  }

  /// Pages that bring nothing and name another, of which this is the next.
  private func named(_ mark: String?, _ drawing: String = "") -> Page {
    var page = page(drawing, hasNext: mark != nil)
    page.nextMark = mark
    return page
  }

  @Test func tokensOfPagesThatBringNothingAreFollowedToALimit() throws {
    var end = try second()
    for number in 1...Continuation.namedPagesMax {
      #expect(end.follows(named("\(number)"), known: 0) == true)
      #expect(end.mark == "\(number)" && end.hole.isPaused == [9, 17].contains(number))
      #expect(end.hole.isExhausted == (number == Continuation.namedPagesMax))
    }
    #expect(end.follows(named("further"), known: 0) == false)
  }

  @Test func aTokenThatWasFollowedEndsTheList() throws {
    var end = try second()
    #expect(end.follows(named("1"), known: 0) == true && end.follows(named("2"), known: 0) == true)
    #expect(
      end.follows(named("2"), known: 0) == false && end.follows(named("1"), known: 0) == false)
    #expect(end.follows(named("2", "7c 6d"), known: 2) == false && !end.hole.isExhausted)
  }

  /// What brings something, names no other, or does not show the run's end, is no such page.
  @Test func otherPagesAreNotFollowed() throws {
    var end = try second()
    #expect(end.follows(named("1", "6d 5e"), known: 1) == nil)
    #expect(end.follows(named(nil), known: 0) == nil)
    #expect(end.follows(named("1", "9a 8b"), known: 2) == nil)
    #expect(end.follows(named("1", "7c 6d"), known: 2) == true)
  }
}
