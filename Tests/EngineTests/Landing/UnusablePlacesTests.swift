import Engine
import History
import Support
import Synchronization
import Testing

@testable import Feed

/// Elements that cannot be used: gaps until an answer shows them whole, or three agree.
@Suite struct UnusablePlacesTests {
  private func isSecond(_ place: CutRange, _ seconds: Set<Int64>) -> Bool {
    seconds.count == 1
      && seconds.allSatisfy {
        place == CutRange(upper: .above(key: $0), lower: .below(key: $0))
      }
  }

  private func range(_ upper: Int64, _ lower: Int64) -> CutRange {
    CutRange(upper: .below(key: upper), lower: .above(key: lower))
  }

  @Test func threeAnswersAgree() {
    var doubts = Doubts()
    for answer in 1...4 {
      let doubtful = doubts.note([range(50, 40)], from: .top, to: .bottom)
      #expect(doubtful.isEmpty == (answer >= 3))
      #expect(doubts.unusableCount == (answer >= 3 ? 1 : 0))
    }
    // One that does not show the place says nothing of it; one that shows it whole ends it.
    _ = doubts.note([], from: .below(key: 45), to: .bottom)
    #expect(doubts.unusableCount == 1)
    _ = doubts.note([], from: .top, to: .bottom)
    #expect(doubts.unusableCount == 0)
    #expect(doubts.note([range(50, 40)], from: .top, to: .bottom) == [range(50, 40)])
  }

  /// A page with many of them is asked for again once for all.
  @Test func aWindowIsAskedForOnceForAllThatItShows() {
    var doubts = Doubts()
    let now = Timestamp(seconds: 2_000)
    _ = doubts.note((1...9).map { range(100 * $0, 100 * $0 - 10) }, from: .top, to: .bottom)
    var looks = 0
    while doubts.nextLook(at: now, after: .seconds(1)) != nil { looks += 1 }
    #expect(looks == 1)
  }

  @Test func aFeedInWhichTheyStayIsBelievedAtOnce() {
    var doubts = Doubts()
    for index in 0..<Int64(Doubts.Claim.flawed.answers) {
      for _ in 0..<3 {
        _ = doubts.note(
          [range(1_000 - 10 * index, 998 - 10 * index)], from: .below(key: 1_001 - 10 * index),
          to: .above(key: 997 - 10 * index))
      }
    }
    #expect(doubts.unusableCount == Doubts.Claim.flawed.answers)
    #expect(doubts.note([range(50, 40)], from: .below(key: 60), to: .bottom).isEmpty)
    // One that became whole after all ends that.
    _ = doubts.note([], from: .below(key: 60), to: .bottom)
    #expect(doubts.note([range(50, 40)], from: .below(key: 60), to: .bottom).count == 1)
  }

  @Test(arguments: [Doubts.Claim.unusable.entriesMax, Doubts.Claim.unusable.entriesMax + 1])
  func aFewAreKept(count: Int) {
    var doubts = Doubts()
    let ranges = (0..<Int64(count)).map { range(10_000 - 10 * $0, 9_995 - 10 * $0) }
    let doubtful = doubts.note(ranges, from: .top, to: .bottom)
    #expect(doubtful.count == min(count, Doubts.Claim.unusable.entriesMax))
  }

  /// Between seconds that follow one another there is no place: then it is one of them whole.
  @Test(arguments: ["99x 9a ? 8b 7c 6d", "99x 9a 9b ? 8c 8d 7e", "99x 8a 8b ? 8c 7d 6e"])
  func amongSecondsThatFollowOneAnotherItIsASecond(drawing: String) {
    let evidence = evidence(drawing, page: 2)
    let places = evidence.unusablePlaces(order: .value, knowing: [])
    let second: Int64 = drawing.contains("9a") ? 9 : 8
    #expect(
      places == [CutRange(upper: .above(key: second), lower: .below(key: second))]
        || places == [CutRange(upper: .below(key: 99), lower: .above(key: second))])
  }

  @Test func noPlaceHoldsAnElementThatIsShown() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let count = Int.random(in: 1...12, using: &random)
      var second: Int64 = 1_000
      var slots: [Page.Slot] = []
      for index in 0..<count {
        second -= Int64.random(in: 0...3, using: &random)
        guard random.chance(70) else { continue }
        let id = Identity("\(UInt32.random(in: 0...9_999, using: &random))-\(index)")
        slots.append(
          Page.Slot(
            index: index, item: PageItem(id: id, key: second, updatedAt: nil, bytes: [])))
      }
      let window = Window(page: Int.random(in: 1...2, using: &random), perPage: 12)
      let page = Page(items: slots, count: count, hasNext: random.chance(50), total: nil)
      let evidence = Evidence(page, to: window, sentAt: Timestamp(seconds: 2_000), clock: 1_500)
      for order in [FeedOrder.value, .observed] {
        for place in evidence.unusablePlaces(order: order, knowing: []) {
          #expect(place.upper > place.lower)
          #expect(place.upper <= evidence.upper && place.lower >= evidence.lower)
          let held = evidence.elements.filter {
            place.lower.isBelow($0.position) && !place.upper.isBelow($0.position)
          }
          // Inside a second a feed that is observed has another order.
          let seconds = Set(held.map(\.position.order))
          if order == .value { #expect(held.isEmpty || isSecond(place, seconds)) }
        }
      }
    }
  }

  /// Whoever walks while an element cannot be used in the next answers is given it, wherever it
  /// stands: after three answers that agree, with the next look at that place.
  @Test(arguments: [1, 2, 3, Int.max], [1, 29, 30, 99, 140, 298])
  func anElementThatBecomesWholeIsGiven(answers: Int, index: Int) throws {
    let rig = try Rig()
    rig.fill(300)
    let entry = rig.feed.entries[index]
    rig.feed.state.withLock { $0.unusable[entry.id] = answers }
    let (reader, time, first) = (rig.reader, rig.time, rig.request(limit: 20))
    let walk = try #require(
      time.run { await Walk.run(reader, first) { await time.sleep(.milliseconds(300)) } })
    #expect(walk.failure == nil)
    let whole = rig.feed.entries.map(\.id)
    let lacking = whole.filter { $0 != entry.id }
    // Two windows may show it, and then more than three answers.
    let right = answers < 3 ? [whole] : answers == 3 ? [whole, lacking] : [lacking]
    #expect(right.contains(walk.ids))
    let status = time.run { try? await reader.status(of: itemsFeed) }
    #expect(answers == 3 || status??.unusablePlaces == (answers < 3 ? 0 : 1))
    #expect(status??.gaps.isEmpty == true)
    #expect(rig.feed.calls.count <= 8)
  }

  /// A feed of which one element alone can be used, wherever it stands.
  @Test(arguments: [1, 2, 3], [false, true])
  func aFeedOfNextToNothingIsBorne(count: Int, isObserved: Bool) throws {
    for good in 0..<count {
      let rig = isObserved ? try ObservedFeedTests.rig(count) : try Rig()
      if !isObserved { rig.fill(count) }
      let ids = rig.feed.entries.map(\.id)
      rig.feed.state.withLock { state in
        for id in ids where id != ids[good] { state.unusable[id] = .max }
      }
      for _ in 0..<6 {
        _ = rig.slice(isObserved ? ObservedFeedTests.request() : rig.request())
        rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
      }
      let slice = try rig.slice(isObserved ? ObservedFeedTests.request() : rig.request()).get()
      #expect(slice.items.map(\.id) == [ids[good]])
    }
  }

  /// One that cannot be used in the first answers is given once it can: to a walk whose first slice
  /// is fresh again.
  @Test(arguments: Extent.pairs(Dialect.all + [.next], Array(0...4)).sample(10))
  func whoWalksAMinuteLaterIsGivenIt(dialect: Dialect, answers: Int) throws {
    let indices = [0, 1, 2, 28, 29, 30, 60, 98, 99, 100, 101, 149]
    for (index, isDated) in indices.flatMap({ [($0, true), ($0, false)] }) {
      let rig = try Rig(in: dialect)
      if isDated { rig.fill(150) }
      if !isDated { for _ in 0..<150 { rig.feed.insert(second: 0) } }
      let ids = rig.feed.entries.map(\.id)
      rig.feed.state.withLock { state in
        state.isUndated = !isDated
        if answers > 0 { state.unusable[ids[index]] = answers }
      }
      let lists = dialect.lists
      let request = SliceRequest(
        feed: isDated ? lists.items : lists.tagged, limit: 20, wait: .seconds(10))
      var minutes = 0
      var given: [Identity] = []
      while given != ids, minutes < 8 {
        given = try Walk(from: request) { rig.slice($0) }.ids
        rig.time.run { [time = rig.time] in await time.sleep(.seconds(61)) }
        minutes += 1
      }
      // Each answer that shows it may be a minute after the one before, and the last one is seen by
      // the walk after it.
      #expect(minutes <= answers + 2, "at \(index), dated \(isDated)")
      #expect(rig.feed.calls.count <= 8 + 3 * minutes, "at \(index), dated \(isDated)")
    }
  }

  /// At the top, and in a feed whose order is the upstream's own, it comes with the next answer.
  @Test(arguments: [1, 2], [0, 1, 7, 19])
  func behindTheReplyItIsAskedForAgain(answers: Int, index: Int) throws {
    for isObserved in [false, true] {
      let rig = isObserved ? try ObservedFeedTests.rig(60) : try Rig()
      if !isObserved { rig.fill(60) }
      let entry = rig.feed.entries[index]
      rig.feed.state.withLock { $0.unusable[entry.id] = answers }
      let request = isObserved ? ObservedFeedTests.request() : rig.request(limit: 20)
      _ = rig.slice(request)
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
      var stored = request
      stored.wait = .zero
      let slice = try rig.slice(stored).get()
      #expect(slice.items.map(\.id) == rig.feed.entries.prefix(20).map(\.id), "\(isObserved)")
      #expect(rig.feed.calls.count <= 1 + answers)
    }
  }
}

extension Doubts {
  /// Notes what an answer shows between two cuts.
  fileprivate mutating func note(
    _ unusable: [CutRange], from upper: Cut, to lower: Cut
  ) -> [CutRange] {
    let (window, now) = (Window(page: 1, perPage: 100), Timestamp(seconds: 2_000))
    return note(
      unusable, in: CutRange(upper: upper, lower: lower), of: window, sentAt: now, at: now,
      after: .seconds(60))
  }
}
