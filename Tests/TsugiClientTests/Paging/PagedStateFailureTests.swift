import Testing

@testable import TsugiClient

/// What failed, and when it is tried again.
struct PagedStateFailureTests {
  @Test func movesNothingAndRests() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.offline)
    #expect(list.drawing == "a b c …")
    #expect(list.state.more.state == .failed(.offline, retryAfter: nil))
    #expect(list.rests.map(\.duration) == [.seconds(1)])
    list.see("a b c")
    list.send(.loadMore)
    #expect(list.asked.isEmpty)
  }

  @Test func triesAgainAfterTheRestFromTheSamePlace() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.offline)
    list.wake()
    #expect(list.asked == [">c"])
    list.answer(.drawn("d"))
    #expect(list.drawing == "a b c d")
    #expect(list.state.more.state == .idle)
  }

  @Test func triesNothingAgainThatNobodySees() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.offline)
    list.send(.disappeared("c"))
    list.wake()
    #expect(list.asked.isEmpty)
  }

  @Test func restsLongerEachTimeAndThenGivesUp() {
    var list = DrawnList("a b c")
    list.see("c")
    var pauses: [Duration] = []
    while !list.asked.isEmpty {
      list.fail(.offline)
      pauses.append(list.rests[0].duration)
      list.wake()
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32].map { .seconds($0) })
    #expect(list.state.more.state.error == .offline)
  }

  @Test(arguments: [true, false])
  func triesOnceMoreWhenTheReaderMoves(byFooter: Bool) {
    var list = exhausted()
    list.send(byFooter ? .footer(isVisible: true) : .appeared("b"))
    #expect(list.asked == [">c"])
    list.fail(.offline)
    #expect(list.rests.map(\.duration) == [.seconds(60)])
    list.wake()
    #expect(list.asked.isEmpty)
  }

  @Test func isItselfAgainOnceSomethingGotThrough() {
    var list = exhausted()
    list.see("b")
    list.answer(.drawn("d", hasMore: true))
    #expect(list.asked == [">d"])
    list.fail(.offline)
    #expect(list.rests.map(\.duration) == [.seconds(1)])
  }

  private func exhausted() -> DrawnList {
    var list = DrawnList("a b c")
    list.see("c")
    while !list.asked.isEmpty {
      list.fail(.offline)
      list.wake()
    }
    return list
  }

  @Test func waitsAsLongAsTheServerAsks() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.answered(.upstreamRateLimited, retryAfter: 90))
    #expect(list.rests.map(\.duration) == [.seconds(90)])
    #expect(
      list.state.more.state
        == .failed(
          .answered(.upstreamRateLimited, retryAfter: 90), retryAfter: .seconds(90)))
    list.send(.retry)
    #expect(list.asked.isEmpty)
    list.wake()
    #expect(list.asked == [">c"])
  }

  @Test func triesAgainAtOnceWhenTold() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.offline)
    list.send(.retry)
    #expect(list.asked == [">c"])
    // The rest that was under way means nothing any more.
    list.answer(.drawn("d", hasMore: true))
    list.answer(.drawn("e f", hasMore: true))
    list.wake()
    #expect(list.asked.isEmpty)
  }

  @Test(arguments: [
    TsugiError.answered(.unauthorized), .answered(.feedNotFound), .request("no URL"),
  ])
  func triesNothingByItselfThatIsOfNoUse(error: TsugiError) {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(error)
    list.wake()
    list.see("b c")
    #expect(list.asked.isEmpty)
    list.send(.retry)
    #expect(list.asked == [">c"])
  }

  @Test func takesBeingCancelledForNoFailure() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(nil)
    #expect(list.state.more.state == .idle)
    #expect(list.asked.isEmpty)
    list.wake()
    #expect(list.asked == [">c"])
  }

  @Test func triesTheFirstLoadAgain() {
    var list = DrawnList()
    list.send(.start)
    list.fail(.offline)
    #expect(list.state.top.state.error == .offline)
    list.wake()
    #expect(list.asked == ["top"])
    list.answer(.drawn("a", hasMore: false))
    #expect(list.drawing == "a")
  }

  /// A server that says so is at fault: no place is known to go on from.
  @Test func failsWhereNothingComesAndYetThereIsMore() {
    var list = DrawnList()
    list.send(.start)
    list.answer(.drawn("", hasMore: true))
    #expect(list.state.top.state.error == .standstill)
    #expect(!list.state.isLoaded)
    list.wake()
    list.answer(.drawn("a"))
    #expect(list.drawing == "a")
  }

  @Test(arguments: [(Int.max, 3), (0, 1), (-1, 1)])
  func triesAsOftenAsItIsTold(retriesMax: Int, count: Int) {
    var state = PagedState<Post>(backoff: Backoff(retriesMax: retriesMax))
    var actions = state.handle(.start)
    for _ in 1..<count {
      guard case .load(let number, _) = actions.first else { break }
      guard case .rest(let rest, _) = state.handle(.failed(number, .offline, draw: 1)).first
      else { break }
      actions = state.handle(.woke(rest))
    }
    guard case .load(let number, _) = actions.first else {
      Issue.record("\(actions)")
      return
    }
    guard case .rest(let rest, _) = state.handle(.failed(number, .offline, draw: 1)).first
    else { return }
    #expect(state.handle(.woke(rest)).isEmpty == (retriesMax < 1))
  }

  @Test func startsAgainAfterItGaveUp() {
    var list = DrawnList()
    list.send(.start)
    while !list.asked.isEmpty {
      list.fail(.offline)
      list.wake()
    }
    list.send(.start)
    #expect(list.asked == ["top"])
  }

  @Test func waitsForNoPullWhileTheServerSaysNo() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.fail(.answered(.overloaded, retryAfter: 30))
    list.send(.refresh)
    #expect(list.asked.isEmpty)
    list.wake()
    // A refresh that failed is not made again by itself.
    #expect(list.asked.isEmpty)
    list.send(.refresh)
    #expect(list.asked == ["≤c 6 refresh"])
  }

  @Test func letsLoadingGoOnAfterARefreshThatFailed() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.see("c")
    #expect(list.asked == ["≤c 6 refresh"])
    list.fail(.offline)
    #expect(list.asked == [">c"])
    #expect(list.drawing == "a b c …")
  }

  @Test(arguments: [ProblemCode.cursorExpired, .cursorMismatch, .invalidCursor])
  func beginsAnewWhenItsPlaceIsLost(code: ProblemCode) {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.answered(code))
    #expect(list.asked == ["refresh"])
    #expect(list.drawing == "a b c …")
    list.answer(.drawn("x y b", hasMore: false))
    #expect(list.drawing == "x y b")
    #expect(list.state.more.state == .idle)
  }

  @Test func refreshesAnewWhenItsPlaceIsLost() {
    var list = DrawnList("a b c")
    list.send(.refresh)
    list.fail(.answered(.cursorExpired))
    #expect(list.asked == ["refresh"])
    #expect(list.state.top.state == .loading)
    list.answer(.drawn("x a b", hasMore: true))
    #expect(list.drawing == "x a b …")
  }

  /// Two servers with a store each behind one name: every place is the other's.
  @Test(arguments: [true, false])
  func restsLongerEachTimeItsPlaceIsLost(byFooter: Bool) {
    var list = DrawnList("a b c")
    list.send(byFooter ? .footer(isVisible: true) : .appeared("c"))
    var pauses: [Duration] = []
    for _ in 0..<20 where !list.asked.isEmpty {
      list.fail(.answered(.cursorExpired))
      // The first rest is that of the lane that failed, which is a new one after a reset.
      pauses += list.rests.dropFirst().map(\.duration)
      while !list.rests.isEmpty { list.wake() }
      guard list.asked == ["refresh"] else { break }
      list.answer(.drawn("a b c", hasMore: true))
      if !byFooter { list.see("c") }
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32].map { .seconds($0) })
    #expect(list.asked.isEmpty)
    #expect(list.state.top.state.error == .answered(.cursorExpired))
    #expect(list.drawing == "a b c …")
    list.send(.retry)
    #expect(list.asked == ["refresh"])
  }

  @Test(arguments: [
    (PagedState<Post>.placesFoundMin - 1, false), (PagedState<Post>.placesFoundMin, true),
  ])
  func forgetsALostPlaceAfterManyThatWereFound(count: Int, isForgotten: Bool) {
    var list = DrawnList("a b c")
    list.send(.loadMore)
    list.fail(.answered(.cursorExpired))
    list.answer(.drawn("a b c", hasMore: true))
    for number in 0..<count {
      list.send(.loadMore)
      list.answer(.drawn("d\(number)", hasMore: true))
    }
    list.send(.loadMore)
    list.fail(.answered(.cursorExpired))
    #expect(list.asked == (isForgotten ? ["refresh"] : []))
  }

  @Test func triesToBeginAnewUntilItGotThrough() {
    var list = DrawnList("a b c")
    list.see("c")
    list.fail(.answered(.cursorExpired))
    list.fail(.offline)
    list.wake()
    #expect(list.asked.isEmpty)
    // The second rest is that of the top.
    list.wake()
    #expect(list.asked == ["refresh"])
  }
}
