import Engine
import History
import Support
import Synchronization
import Testing

@testable import Feed

/// Pages that are only believed to follow on one another: what they cost, and what they may not do.
@Suite struct BelievedJoinTests {
  /// A list of pages of 20 that nothing joins, read to rank 39.
  private func begun(_ count: Int) throws -> Rig {
    var policy = Policy.unbounded
    (policy.prefetchItems, policy.refreshSeconds) = (0, 0)
    let rig = try Rig(policy: policy, in: .unproven)
    rig.fill(count)
    _ = try rig.slice(rig.request(limit: 20)).get()
    #expect(rig.feed.calls.map(\.window) == [1, 2].map { Window(page: $0, perPage: 20) })
    return rig
  }

  /// A walk from a look at the top on.
  private func walk(_ rig: Rig, by reader: FeedReader? = nil) throws -> Walk {
    var request = rig.request(limit: 20)
    request.refreshes = true
    let (reader, first, time) = (reader ?? rig.reader, request, rig.time)
    return try #require(
      time.run {
        await time.sleep(.seconds(120))
        return await Walk.run(reader, first) {}
      })
  }

  /// The run ended on the second page, which was full and is the last one now.
  @Test func aListThatHasShrunkByLessThanAPageIsReadToItsEnd() throws {
    let rig = try begun(50)
    for entry in rig.feed.entries[1..<18] { rig.feed.delete(entry.id) }
    let walk = try walk(rig)
    #expect(walk.failure == nil)
    #expect(walk.slices.last?.endReason == .end)
    #expect(Set(walk.ids).isSuperset(of: rig.feed.entries.map(\.id)))
    #expect(rig.feed.calls.count <= 10, "\(rig.feed.calls.count)")
  }

  /// What is known ends where a page does, and of that page a restart has forgotten the end.
  @Test func whatEndsWithAPageIsGoneOnWithAfterARestart() throws {
    let rig = try begun(60)
    rig.feed.insert(second: rig.time.now.seconds - 1_000)
    let restarted = try rig.restarted()
    let walk = try walk(rig, by: restarted)
    #expect(walk.failure == nil)
    #expect(walk.ids == rig.feed.entries.map(\.id))
    #expect(rig.feed.calls.count <= 8, "\(rig.feed.calls.count)")
  }

  /// Pages of 20 whose places are ranks, of a list whose elements have versions.
  private final class Numbered: PageFetcher {
    struct State {
      /// The seconds of the elements, which are called by their ranks.
      var seconds: [Int64]
      var versions: [Int: Int] = [:]
      /// How many elements vanish above the second page, after the first was read.
      var skipped = 0
    }
    let time: VirtualTime
    let state: Mutex<State>

    init(_ time: VirtualTime, _ seconds: [Int64]) {
      self.time = time
      state = Mutex(State(seconds: seconds))
    }

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      let first: Int
      if case .mark(let mark, _) = window.address {
        first = mark.flatMap { Int($0) } ?? 0
      } else {
        first = window.firstRank
      }
      let page = state.withLock { state in
        let begin = first + (first > 0 ? state.skipped : 0)
        let ranks = Array(state.seconds.indices.dropFirst(begin).prefix(20))
        let slots = ranks.enumerated().map { Page.Slot(index: $0, item: item($1, in: state)) }
        var page = Page(
          items: slots, count: slots.count, hasNext: state.seconds.count > begin + 20, total: nil)
        if page.hasNext { page.nextMark = "\(first + 20)" }
        page.mayEndFull = feed.pattern.paging.addressing == .next
        return page
      }
      return answer(.success(page))
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      let rank = Int(name.id.text.dropFirst()) ?? 0
      return answer(.success(state.withLock { item(rank, in: $0) }))
    }

    private func item(_ rank: Int, in state: State) -> PageItem {
      PageItem(
        id: Identity("e\(rank)"), key: state.seconds[rank], updatedAt: nil,
        bytes: Array("e\(rank)#\(state.versions[rank] ?? 1)".utf8))
    }

    private func answer<Value: Sendable>(_ result: Result<Value, FetchError>) -> Fetched<Value> {
      Fetched(
        sentAt: time.now, receivedAt: time.now, date: time.now.seconds, budget: nil,
        result: result)
    }
  }

  private struct Stand {
    let time = VirtualTime()
    let upstream: Numbered
    let store = MemoryStore()
    let reader: FeedReader
    let lists: ScriptedFeeds

    init(in dialect: Dialect, seconds: (Int64) -> [Int64]) throws {
      lists = dialect.lists
      upstream = Numbered(time, seconds(time.now.seconds - 1_000))
      reader = try FeedReader(
        source: lists.source, policy: .unbounded, fetcher: upstream, store: store, time: time,
        executor: time)
    }

    /// Reads below the second of an element.
    func slice(below rank: Int? = nil, limit: Int) throws -> [String] {
      var request = SliceRequest(feed: lists.items, limit: limit, wait: .seconds(10))
      if let rank {
        request.start = .cut(.below(key: upstream.state.withLock { $0.seconds[rank] }))
      }
      let asked = request
      let slice: Result<Slice, ReadError>? = time.run { [reader] in
        do throws(ReadError) {
          return .success(try await reader.slice(asked))
        } catch {
          return .failure(error)
        }
      }
      return try #require(slice).get().items.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    func rest(_ seconds: Int) { time.run { [time] in await time.sleep(.seconds(seconds)) } }
  }

  /// The last element of a page is read by itself, edited, before the page below is read.
  @Test func anEditIsNotTakenBackByThePageBelow() throws {
    let stand = try Stand(in: .next) { now in (0..<60).map { now - 10 * Int64($0) } }
    #expect(try stand.slice(limit: 10).last == "e9#1")
    stand.upstream.state.withLock { $0.versions[19] = 2 }
    stand.rest(300)
    let name = ItemName(Identity("e19"), kind: "items")
    let item = stand.time.run { [reader = stand.reader] in
      try? await reader.item(name, wait: .seconds(10)).bytes
    }
    #expect(item == .some(Array("e19#2".utf8)))
    #expect(try stand.slice(below: 17, limit: 3) == ["e18#1", "e19#2", "e20#1"])
  }

  /// Elements of one second stand on two pages. Where some vanish above between the two answers,
  /// the second page begins further down: what lacks then is still there.
  @Test func whatLacksWhereNothingJoinsIsNotDeleted() throws {
    let stand = try Stand(in: .unproven) { now in
      (0..<60).map { now - ((19..<27).contains($0) ? 190 : 10 * Int64($0)) }
    }
    #expect(try stand.slice(below: 18, limit: 20).count == 20)
    stand.upstream.state.withLock { $0.skipped = 7 }
    for _ in 0..<8 {
      stand.rest(4_000)
      _ = try stand.slice(below: 17, limit: 10)
    }
    stand.rest(60)
    let kept = try (19..<27).map { rank in
      try stand.store.makeReader().item(
        Identity("e\(rank)"), realm: stand.lists.items.realm)?.bytes != nil
    }
    #expect(kept == [Bool](repeating: true, count: 8))
  }

  /// The end of a page is remembered, to lay the next one below it. Elements of it that were then
  /// found to be gone are not written once more, and what is left of it ties the next one.
  @Test(arguments: Dialect.believed, [false, true])
  func whatHasGoneSinceItsPageStaysGone(dialect: Dialect, isInItsOwnOrder: Bool) throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    for places in [1...1, 2...2, 3...3, 1...3, 2...9] {
      let rig = try Rig(policy: policy, in: dialect)
      rig.feed.state.withLock { $0.isUndated = isInItsOwnOrder }
      rig.fill(3 * dialect.paging.perPageMax)
      let feed = isInItsOwnOrder ? dialect.lists.tagged : dialect.lists.items
      var request = SliceRequest(feed: feed, limit: 20, wait: .seconds(30))
      var slice = try rig.slice(request).get()
      let above = try #require(slice.items.dropLast(15).last).position
      let known = try rig.store.known(in: feed, below: .top, above: .bottom)
      let gone = places.map { known[known.count - $0].id }
      for id in gone { rig.feed.delete(id) }
      let reader = rig.reader
      rig.time.run { [time = rig.time] in
        await time.sleep(.seconds(90_000))
        for id in gone { _ = try? await reader.item(ItemName(id), wait: .seconds(10)) }
      }
      var (ids, start) = ([Identity](), above)
      repeat {
        request.start =
          isInItsOwnOrder
          ? .observed(.below(start), lineage: slice.lineage) : .cut(.below(start))
        slice = try rig.slice(request).get()
        ids += slice.items.map(\.id)
        start = slice.items.last?.position ?? start
      } while slice.hasMore && !slice.items.isEmpty
      #expect(ids.count > 15 && Set(ids).isDisjoint(with: gone), "\(places) from the end")
      let rows = try rig.store.known(in: feed, ids: gone)
      #expect(rows.count == gone.count && rows.allSatisfy { $0.state == .removed }, "\(places)")
    }
  }
}
