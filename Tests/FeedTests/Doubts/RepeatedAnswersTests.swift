import Support
import Testing

@testable import Feed

/// Answers that come again for another place.
@Suite struct RepeatedAnswersTests {
  private func page(_ ids: Range<Int>) -> Page {
    let slots = ids.enumerated().map { index, id in
      Page.Slot(
        index: index,
        item: PageItem(id: Identity("i\(id)"), key: nil, updatedAt: nil, bytes: [0x7B, 0x7D]))
    }
    return Page(items: slots, count: slots.count, hasNext: true, total: nil)
  }

  private func at(_ second: Int64) -> Timestamp { Timestamp(seconds: second) }

  @Test func theSecondOfAPlaceThatIsNotTakenIsRefused() {
    var doubts = Doubts()
    let isRepeated = (0..<4).map { number in
      doubts.isRepeated(
        page(0..<20), to: Window(offset: number * 19, perPage: 20), at: at(Int64(number)))
    }
    #expect(isRepeated == [false, false, true, true])
  }

  @Test(arguments: 2...Doubts.Claim.shown.entriesMax)
  func aCircleOfPagesIsSeen(length: Int) {
    var doubts = Doubts()
    let first = (0..<30).first { number in
      let place = number % length * 20
      return doubts.isRepeated(
        page(place..<(place + 20)), to: Window(.mark("m", rank: number * 20), perPage: 20),
        at: at(0))
    }
    #expect(first == length + 1)
  }

  @Test func theSameAnswerToTheSamePlaceIsNone() {
    var doubts = Doubts()
    for number in 0..<9 {
      let window = Window(offset: number % 2, perPage: 20)
      let isRepeated = doubts.isRepeated(page(0..<20), to: window, at: at(0))
      #expect(!isRepeated)
    }
  }

  /// A few may be all that is shown of the ranks that windows have in common, up to half of these;
  /// beyond these ranks no other window shows them.
  @Test func aFewOfTheRanksThatWindowsShareComeAgain() {
    var doubts = Doubts()
    let isRepeated = [(40, 20), (46, 20), (43, 20)].map { first, perPage in
      doubts.isRepeated(page(0..<7), to: Window(offset: first, perPage: perPage), at: at(0))
    }
    #expect(isRepeated == [false, false, false])
    let isElsewhere = [(47, 20), (80, 20)].map { first, perPage in
      doubts.isRepeated(page(0..<7), to: Window(offset: first, perPage: perPage), at: at(0))
    }
    #expect(isElsewhere == [false, true])
  }

  /// How many elements stand above a list that begins at a key is another estimate each time.
  @Test func theSamePageOfASegmentIsNoneWhateverItsRank() {
    var doubts = Doubts()
    let isRepeated = [(2, 200), (2, 330), (3, 330), (2, 460), (4, 330)].map { number, rank in
      var window = Window(page: number, perPage: 20)
      window.segment = Window.Segment(keyMax: 7, rank: rank)
      return doubts.isRepeated(page(0..<20), to: window, at: at(0))
    }
    // Pages 3 and 4 are other places.
    #expect(isRepeated == [false, false, false, false, true])
  }

  @Test func whatWasShownLongAgoMayHaveMoved() {
    var doubts = Doubts()
    for number in 0..<9 {
      let window = Window(offset: number * 20, perPage: 20)
      let isRepeated = doubts.isRepeated(page(0..<20), to: window, at: at(Int64(number) * 61))
      #expect(!isRepeated)
    }
  }

  @Test func whatComesBetweenBeginsAnew() {
    var doubts = Doubts()
    for (number, place) in [0, 0, 500, 0, 600, 0, 700].enumerated() {
      let window = Window(offset: number * 20, perPage: 20)
      let isRepeated = doubts.isRepeated(page(place..<(place + 20)), to: window, at: at(0))
      #expect(!isRepeated)
    }
  }

  @Test func emptyPagesAndPagesOfOneTellNothing() {
    var doubts = Doubts()
    for number in 0..<9 {
      let window = Window(offset: number * 20, perPage: 20)
      let isRepeated = doubts.isRepeated(page(0..<(number % 2)), to: window, at: at(0))
      #expect(!isRepeated)
    }
  }
}
