import History
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// Feeds by value that come in another order.
@Suite struct ReorderingTests {
  private func rig(_ count: Int, stray percent: Int, seed: UInt64 = 1) throws -> Rig {
    let rig = try Rig(seed: seed)
    rig.fill(count)
    rig.feed.state.withLock { $0.strayPercent = percent }
    return rig
  }

  private func failure(of result: Result<Slice, ReadError>) -> ReadError? {
    if case .failure(let error) = result { error } else { nil }
  }

  /// Nothing is served of an order that is none, and then every element in the one that is.
  @Test(arguments: [10, 20, 50, 100], [60, 350])
  func itIsServedAsItComes(percent: Int, count: Int) throws {
    let rig = try rig(count, stray: percent)
    #expect(failure(of: rig.slice(rig.request())) == .reordered)
    #expect(rig.feed.calls.count == Doubts.Claim.disorder.answers)
    let served = rig.reader.served(itemsFeed)
    #expect(served.pattern.order == .observed && served.name == itemsFeed.name)
    var request = rig.request()
    request.feed = served
    let (reader, first) = (rig.reader, request)
    let walk = try #require(rig.time.run { await Walk.run(reader, first) {} })
    #expect(walk.failure == nil)
    #expect(walk.ids == rig.feed.entries.map(\.id))
    #expect(walk.slices.last?.endReason == .end)
    let status = rig.time.run { try? await reader.status(of: served) }
    #expect(status??.feed.pattern.order == .observed)
  }

  @Test func itStaysSoAfterARestart() throws {
    let rig = try rig(100, stray: 100)
    _ = rig.slice(rig.request())
    var request = rig.request()
    request.feed = rig.reader.served(itemsFeed)
    let first = try rig.slice(request).get()
    let again = try FeedReader(
      source: "qiita", policy: Policy(), fetcher: rig.feed, store: rig.store, time: rig.time,
      executor: rig.time)
    #expect(again.served(itemsFeed).pattern.order == .observed)
    request.wait = .zero
    let stored = try again.stored(request, from: rig.store.makeReader())
    let slice = stored ?? rig.time.run { [request] in try? await again.slice(request) } ?? nil
    #expect(slice?.items.map(\.id) == first.items.map(\.id))
  }

  /// A store whose feeds cannot be read keeps nobody from serving: it is mended where it is asked.
  @Test func aStoreThatCannotBeReadEndsNoStart() throws {
    let rig = try rig(50, stray: 0)
    let faults = FaultyStore(over: rig.store)
    faults.failReading(with: .corrupt(message: "a page"))
    let reader = try FeedReader(
      source: "qiita", policy: Policy(), fetcher: rig.feed, store: faults, time: rig.time,
      executor: rig.time)
    #expect(reader.isServed(itemsFeed))
    faults.failReading(with: nil)
    let (time, request) = (rig.time, rig.request(limit: 100))
    let slice = time.run { try? await reader.slice(request) } ?? nil
    #expect(slice?.items.count == 50)
  }

  /// What was stored by value goes with its order: a new list takes its place.
  @Test func aFeedThatChangesItsOrderIsReadAnew() throws {
    let rig = try rig(150, stray: 0)
    _ = try rig.slice(rig.request(limit: 100)).get()
    rig.feed.state.withLock { $0.strayPercent = 100 }
    var refresh = rig.request()
    refresh.refreshes = true
    for _ in 0..<Doubts.Claim.disorder.answers {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
      _ = rig.slice(refresh)
    }
    #expect(rig.reader.served(itemsFeed).pattern.order == .observed)
    #expect(try rig.store.timeline(of: itemsFeed) == nil)
  }

  /// A few that came late, or one answer in disorder among others, are borne.
  @Test func aLittleDisorderIsBorne() throws {
    let rig = try rig(400, stray: 3)
    let (reader, first) = (rig.reader, rig.request())
    let walk = try #require(rig.time.run { await Walk.run(reader, first) {} })
    #expect(walk.failure == nil)
    #expect(rig.reader.isServed(itemsFeed))

    var doubts = Doubts()
    let ordered = evidence("9a 8b 7c 6d 5e 4f")
    let other = evidence("4a 8b 5c 7d 6e 9f")
    let verdicts = [other, other, ordered, other, other, evidence("9a"), other].map {
      doubts.hear(.disorder, $0.isDisordered, at: Timestamp(seconds: 0))
    }
    #expect(
      verdicts == [.doubted, .doubted, .unheard, .doubted, .doubted, .doubted, .believed])
  }

  private func evidence(_ drawing: String) -> Evidence {
    Evidence(
      page(drawing, hasNext: false), to: Window(page: 1, perPage: 100),
      sentAt: Timestamp(seconds: 10_000), clock: 10_000)
  }
}
