import History
import Support
import Synchronization
import Testing

@testable import Feed

/// Seconds that hold about as many elements as a window, one after the other: hardly one is shown
/// whole, whichever page and size is asked for.
@Suite struct LargeSecondTests {
  private static let seconds = 10

  private func rig(_ size: Int) throws -> Rig {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    for second in 0..<LargeSecondTests.seconds {
      for _ in 0..<size { rig.feed.insert(second: 1_700_000_000 + Int64(second)) }
    }
    return rig
  }

  /// A request for what lies below a place inside one of them.
  private func request(_ rig: Rig, below rank: Int, wait: Duration) -> SliceRequest {
    let entry = LargeSecondTests.truth(rig)[rank]
    var request = rig.request(limit: 100)
    request.wait = wait
    request.start = .cut(.below(Position(order: entry.second, tie: entry.id.bytes)))
    return request
  }

  /// The feed as it is shown: of one second by identity.
  private static func truth(_ rig: Rig) -> [ScriptedList.Entry] {
    rig.feed.entries.sorted { ($0.second, $0.id) > ($1.second, $1.id) }
  }

  /// A place inside any of them is found, near what is known and far from it, and read on from.
  @Test(arguments: [90, 96, 97, 98, 99, 100, 130, 250], [1, 2, 3, 5, 9])
  func aPlaceInsideOneIsFound(size: Int, second: Int) throws {
    let rig = try rig(size)
    _ = try rig.slice(rig.request(limit: 100)).get()
    let truth = LargeSecondTests.truth(rig)
    let rank = second * size + size / 2
    let request = request(rig, below: rank, wait: .seconds(30))
    let slice = try rig.slice(request).get()
    #expect(!slice.items.isEmpty)
    #expect(slice.items.map(\.id) == truth[(rank + 1)...].prefix(slice.items.count).map(\.id))
    #expect(slice.hasMore == (rank + 1 + slice.items.count < truth.count))
    // Eight windows to find it, then what lies between, two windows for one at the most.
    #expect(rig.feed.calls.count <= 9 + 2 * (rank / 50 + 3))
  }

  /// Each request has time for two answers, of which the first is a look at the top: what was
  /// counted of the top's own second stays for the next.
  @Test(arguments: [150, 350, 700])
  func theTopIsCountedBitByBit(size: Int) throws {
    var policy = Policy.unbounded
    (policy.refreshSeconds, policy.prefetchItems) = (0, 0)
    let rig = try Rig(policy: policy)
    for _ in 0..<size { rig.feed.insert(second: 1_700_000_000) }
    var request = rig.request(limit: 100)
    (request.refreshes, request.wait) = (true, .milliseconds(450))
    var slice: Slice?
    for _ in 0..<(size / 50) where slice == nil {
      slice = try? rig.slice(request).get()
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
    }
    #expect(
      try #require(slice).items.map(\.id) == LargeSecondTests.truth(rig).prefix(100).map(\.id))
  }

  /// A second of more than a window, whatever its size, is passed where its order stands; where
  /// each answer has another, so many answers are asked for and no more, and then it is said so.
  @Test(arguments: [130, 400, 1_000, 2_500], [false, true])
  func aSecondIsCountedOrSaidToBeUncountable(size: Int, isShuffled: Bool) throws {
    let rig = try Rig(policy: .unbounded)
    for index in 0..<200 { rig.feed.insert(second: 1_700_000_000 + Int64(index)) }
    for _ in 0..<size { rig.feed.insert(second: 1_700_001_000) }
    for index in 0..<300 { rig.feed.insert(second: 1_700_002_000 + Int64(index)) }
    rig.feed.state.withLock { state in
      state.shufflesTies = isShuffled
      state.beforeCall = { feed in
        let count = feed.calls.count
        if count % 3 == 0, !isShuffled { feed.insert(second: 1_700_009_000 + Int64(count)) }
      }
    }
    var request = rig.request(limit: 100)
    request.wait = .seconds(30)
    let (reader, time, first) = (rig.reader, rig.time, request)
    let walk = try #require(time.run { await Walk.run(reader, first) {} })
    let windows = (size + 500) / 100
    if let failure = walk.failure {
      guard isShuffled, size > 130 else { throw failure }
      guard case .unproven(let retryAt, isUncountable: true) = failure else {
        // Sixty answers are the most that one request waits for.
        #expect(failure == .timedOut && size >= 1_000)
        return
      }
      #expect(retryAt > time.now && rig.feed.calls.count <= 2 * windows + 30)
    } else {
      #expect(walk.ids.count == Set(walk.ids).count && walk.ids.count >= size + 500)
      #expect(isShuffled || rig.feed.calls.count <= windows * 3 / 2 + 2)
    }
  }

  /// Where a place is named by an element, a second is gone down from what stood lowest in it
  /// upstream: the first time, and once more after half of it has gone.
  @Test(arguments: [Dialect.below, .from], [99, 130, 250, 700])
  func aSecondIsGoneDownByWhatNamesAPlace(dialect: Dialect, size: Int) throws {
    let rig = try Rig(policy: .unbounded, in: dialect)
    for index in 0..<200 { rig.feed.insert(second: 1_700_000_000 + Int64(index)) }
    let large = (0..<size).map { _ in rig.feed.insert(second: 1_700_001_000) }
    for index in 0..<50 { rig.feed.insert(second: 1_700_002_000 + Int64(index)) }
    var request = rig.request(limit: 100)
    (request.refreshes, request.wait) = (true, .seconds(30))
    let (reader, time, first) = (rig.reader, rig.time, request)
    for round in 0..<5 {
      if round == 1 { large.prefix(size / 2).forEach { rig.feed.delete($0) } }
      let calls = rig.feed.calls.count
      let walk = try #require(time.run { await Walk.run(reader, first) {} })
      #expect(walk.failure == nil)
      #expect(rig.feed.calls.count - calls <= (size + 250) / 100 + 3, "round \(round)")
      let truth = LargeSecondTests.truth(rig).map(\.id)
      // What has left is taken out once two answers lack it.
      if round == 0 || round == 4 { #expect(walk.ids == truth, "round \(round)") }
      time.run { await time.sleep(.seconds(100_000)) }
    }
  }

  /// Requests that each wait for one call only find it together.
  @Test(arguments: [97, 130, 250], [2, 3, 5, 9])
  func requestsThatWaitForOneCallGoOnWithOneSearch(size: Int, second: Int) throws {
    let rig = try rig(size)
    _ = try rig.slice(rig.request(limit: 100)).get()
    let rank = second * size + size / 2
    let request = request(rig, below: rank, wait: .milliseconds(250))
    var slice: Slice?
    for _ in 0..<100 where slice == nil {
      slice = try? rig.slice(request).get()
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(1)) }
    }
    let shown = try #require(slice).items.map(\.id)
    #expect(!shown.isEmpty)
    #expect(
      shown == LargeSecondTests.truth(rig)[(rank + 1)...].prefix(shown.count).map(\.id))
    #expect(rig.feed.calls.count <= 9 + 2 * (rank / 50 + 3))
  }

  /// Three seconds that are larger than a page, of a list that is joined by its total.
  private static func counted() throws -> Rig {
    let rig = try Rig(policy: .unbounded, in: .counted)
    for rank in 0..<90 { rig.feed.insert(second: 1_700_000_000 + Int64(rank / 30)) }
    return rig
  }

  /// A list that is joined by its total, of which three answers were cut short: it stops at the
  /// first second that is larger than a page, for an hour and not for ever.
  @Test func threeShortAnswersStopNoListForEver() throws {
    let (rig, good) = (try Self.counted(), try Self.counted())
    let walk = { (rig: Rig) in rig.time.run { await Walk.run(rig.reader, rig.request()) {} } }
    let wait = { (seconds: Int) in
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(seconds)) }
    }
    #expect(walk(good)?.ids == LargeSecondTests.truth(good).map(\.id))
    let truth = LargeSecondTests.truth(rig).map(\.id)
    _ = rig.slice(rig.request())
    let (feed, list) = (rig.feed, rig.request().feed)
    let answer = try #require(
      rig.time.run { await feed.page(feed.calls[0].window, of: list) }
    ).result.get()
    let short = Page(
      items: Array(answer.items.prefix(3)), count: 3, hasNext: false, total: answer.total)
    for _ in 0..<3 {
      wait(130)
      rig.feed.state.withLock { $0.pages = [short] }
      var request = rig.request()
      request.refreshes = true
      _ = rig.slice(request)
      #expect(rig.feed.state.withLock { $0.pages.isEmpty })
    }
    wait(130)
    #expect(walk(rig)?.ids != truth)
    wait(3_600)
    _ = walk(rig)
    wait(130)
    #expect(walk(rig)?.ids == truth)
  }
}
