import Engine
import Feed
import History
import Support
import Synchronization
import Testing

@testable import Upstream

/// No list that has more is ever served as its end, whatever tells of it: walks over lists of every
/// shape of sign, through the engine.
struct EndLawTests {
  /// A reader of a list.
  private struct Stand {
    let feed: FeedID
    let time = VirtualTime()
    let reader: FeedReader
    let fetcher: ShapedFetcher

    init(_ api: ShapedAPI) throws {
      let recipe = try ListURLTests.recipe(api.feed)
      let list = try #require(recipe.lists.first)
      feed = try ListURLTests.feed(recipe, "items")
      fetcher = ShapedFetcher(
        api: api, recipe: recipe, list: list, readers: ListReaders(recipe), clock: time)
      reader = try FeedReader(
        source: "s", policy: .unbounded, fetcher: fetcher, store: MemoryStore(), time: time,
        executor: time)
    }

    func slice(_ request: SliceRequest) -> Result<Slice, ReadError> {
      time.slice(request, from: reader)
    }

    /// A walk of the list, with pauses after what failed.
    func walk(limit: Int) throws -> Walk {
      let first = SliceRequest(feed: feed, limit: limit, wait: .seconds(10))
      return try Walk(from: first) { request throws -> Result<Slice, ReadError> in
        var answer = slice(request)
        for _ in 0..<8 {
          guard case .failure = answer else { break }
          time.run { await time.sleep(.seconds(5)) }
          answer = slice(request)
        }
        return answer
      }
    }
  }

  static let seeds = Extent.seeds(2, of: 8).map { $0 * 200..<$0 * 200 + 200 }

  @Test(arguments: seeds)
  func noListThatHasMoreIsServedAsItsEnd(seeds: Range<UInt64>) throws {
    for seed in seeds {
      let api = ShapedAPI(seed: seed)
      let limit = [3, 20, 30, 100][Int(seed % 4)]
      let walk = try Stand(api).walk(limit: limit)
      let isEnd = walk.slices.last.map { !$0.hasMore && $0.endReason == .end } ?? false
      if isEnd, !api.isNarrow {
        #expect(walk.ids == api.ids, "seed \(seed), limit \(limit): \(api)")
      }
      #expect(Set(walk.ids).count == walk.ids.count, "seed \(seed): \(api)")
      guard api.isWalkable, !api.isSilent else { continue }
      #expect(
        isEnd, "seed \(seed), limit \(limit): \(api): \(walk.ids.count), \(walk.failure as Any)")
    }
  }

  /// L8: nothing stops a list for ever: a reader gets to an end, or to a gap with a way round.
  @Test(arguments: seeds)
  func noShapeOfAnswersStopsAList(seeds: Range<UInt64>) throws {
    for seed in seeds {
      let api = ShapedAPI(seed: seed)
      // Of fewer elements a page hardly shows where it stands.
      guard api.pageMax > 4 else { continue }
      let stand = try Stand(api)
      let walk = try stand.walk(limit: 30)
      let isTold = walk.slices.last.map { !$0.hasMore || $0.gap != nil } ?? false
      #expect(isTold, "seed \(seed): \(api): \(walk.ids.count), \(walk.failure as Any)")
      let calls = stand.fetcher.calls.count.load(ordering: .relaxed)
      #expect(calls <= 60 + api.count, "seed \(seed): \(api): \(calls)")
    }
  }

  /// What is read again and again is looked at again, and its end now and then.
  @Test(arguments: [.pages, .onePageSize, .offset, .item, .time] as [ShapedAPI.Way], [1, 3, 7])
  func aListThatIsReadAgainKeepsItsEnd(way: ShapedAPI.Way, count: Int) throws {
    let stand = try Stand(ShapedAPI(way, silent: count))
    for _ in 0..<60 {
      let walk = try stand.walk(limit: 20)
      #expect(walk.ids.count == count && walk.slices.last?.endReason == .end)
      stand.time.run { [time = stand.time] in await time.sleep(.seconds(60)) }
    }
    #expect(stand.fetcher.calls.count.load(ordering: .relaxed) <= 62)
  }

  /// L8: where each place is answered with the first page, the list ends with what that shows, once
  /// the rest was tried for a quarter of an hour.
  @Test(
    arguments: ShapedAPI.Way.allCases.filter { $0 != .whole && $0 != .onePageSize },
    [true, false])
  func aListOfWhichNoPlaceIsHeardEnds(way: ShapedAPI.Way, isOrdered: Bool) throws {
    var api = ShapedAPI(way, silent: 60)
    (api.isOrdered, api.isDeaf) = (isOrdered || way == .time, true)
    let stand = try Stand(api)
    let isOver = { (walk: Walk) in walk.slices.last?.hasMore == false }
    var walk = try stand.walk(limit: 30)
    var minutes = 0
    while !isOver(walk), minutes < 60 {
      stand.time.run { [time = stand.time] in await time.sleep(.seconds(60)) }
      minutes += 1
      walk = try stand.walk(limit: 30)
    }
    // What follows on the last ones is not known.
    #expect(isOver(walk) && (17...20).contains(walk.ids.count), "\(walk.failure as Any)")
    #expect(walk.ids == Array(api.ids.prefix(walk.ids.count)))
    #expect(walk.slices.last?.endReason == .upstreamLimit)
    #expect((5..<40).contains(minutes) || [.token, .url].contains(way), "\(minutes) minutes")
    #expect(stand.fetcher.calls.count.load(ordering: .relaxed) <= 200)
  }
}
