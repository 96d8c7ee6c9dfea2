import Engine
import Feed
import History
import Support
import Testing

@testable import Upstream

/// No list that has more is ever served as its end, whatever tells of it: walks over lists of every
/// shape of sign, through the engine.
struct EndLawTests {
  /// A walk of a list, with pauses after what failed.
  private func walk(_ api: ShapedAPI, limit: Int) throws -> Walk {
    let recipe = try ListURLTests.recipe(api.feed)
    let list = try #require(recipe.lists.first)
    let feed = try ListURLTests.feed(recipe, "items")
    let time = VirtualTime()
    let fetcher = ShapedFetcher(
      api: api, recipe: recipe, list: list, readers: ListReaders(recipe), clock: time)
    let reader = try FeedReader(
      source: "s", policy: .unbounded, fetcher: fetcher, store: MemoryStore(), time: time,
      executor: time)
    let first = SliceRequest(feed: feed, limit: limit, wait: .seconds(10))
    return try Walk(from: first) { request throws -> Result<Slice, ReadError> in
      var answer = slice(request, reader, time)
      for _ in 0..<8 {
        guard case .failure = answer else { break }
        time.run { await time.sleep(.seconds(5)) }
        answer = slice(request, reader, time)
      }
      return answer
    }
  }

  private func slice(
    _ request: SliceRequest, _ reader: FeedReader, _ time: VirtualTime
  ) -> Result<Slice, ReadError> {
    let answer: Result<Slice, ReadError>? = time.run {
      do throws(ReadError) {
        return .success(try await reader.slice(request))
      } catch {
        return .failure(error)
      }
    }
    return answer ?? .failure(.timedOut)
  }

  static let seeds: [Range<UInt64>] = (0..<8).map { $0 * 150..<$0 * 150 + 150 }

  @Test(arguments: seeds)
  func noListThatHasMoreIsServedAsItsEnd(seeds: Range<UInt64>) throws {
    for seed in seeds {
      let api = ShapedAPI(seed: seed)
      let limit = [3, 20, 30, 100][Int(seed % 4)]
      let walk = try walk(api, limit: limit)
      let isEnd = walk.slices.last.map { !$0.hasMore && $0.endReason == .end } ?? false
      if isEnd { #expect(walk.ids == api.ids, "seed \(seed), limit \(limit): \(api)") }
      #expect(Set(walk.ids).count == walk.ids.count, "seed \(seed): \(api)")
      guard api.isWalkable, !api.isSilent else { continue }
      #expect(
        isEnd, "seed \(seed), limit \(limit): \(api): \(walk.ids.count), \(walk.failure as Any)")
    }
  }
}
