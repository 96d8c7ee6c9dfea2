import Foundation
import Observation
import Synchronization
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// That the list performs what its state decides, and tells who looks.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PagedListTests {
  @Test func loadsAndShows() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", "c", hasMore: true))
    stand.transport.next(.posts("d", hasMore: false))
    #expect(stand.list.canLoadMore && !stand.list.isLoaded && stand.ids.isEmpty)
    stand.list.start()
    #expect(stand.list.refreshState == .loading)
    await stand.settle()
    #expect(stand.list.isLoaded && stand.list.canLoadMore)
    #expect(stand.asked == ["limit=3"])
    stand.see("b")
    #expect(stand.list.moreState == .loading)
    await stand.settle()
    #expect(stand.ids == ["a", "b", "c", "d"])
    #expect(!stand.list.canLoadMore)
  }

  @Test func returnsFromARefreshWhenItIsDone() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("b", "c", hasMore: false))
    await stand.list.refresh()
    #expect(stand.ids == ["b", "c"])
    stand.transport.next(.posts("a", "b", "c", hasMore: false))
    // Both are asked for before the first is answered.
    stand.transport.hold()
    let pulls = (0..<2).map { _ in Task { await stand.list.refresh() } }
    await stand.transport.requests(2)
    stand.transport.release()
    for pull in pulls { #expect(await pull.value == .fresh) }
    #expect(stand.ids == ["a", "b", "c"])
    #expect(stand.asked == ["limit=3&refresh=true", "limit=5&endAt=%3Ec&refresh=true"])
  }

  @Test func showsHowOldAndHowLargeItIs() async throws {
    let stand = try ListStand()
    let bad = #"{"id":7}"#
    stand.transport.next(
      .slice(of: [#"{"id":"a"}"#, bad], hasMore: true, total: 12, state: "stale"))
    #expect(stand.list.freshness == nil && stand.list.total == nil)
    stand.list.start()
    await stand.settle()
    #expect(stand.list.freshness?.state == "stale")
    #expect(stand.list.freshness?.checkedAt == Date(timeIntervalSince1970: 1_795_219_200))
    #expect(stand.list.total?.value == 12)
    #expect(stand.list.undecodable.map(\.id) == ["7"])
    #expect(stand.list.endReason == nil)
    stand.transport.next(.slice(of: [#"{"id":"b"}"#], hasMore: false))
    stand.list.loadMore()
    await stand.settle()
    #expect(stand.list.endReason == .end)
    #expect(stand.list.total?.value == 12)
  }

  @Test func saysWhatCameOfARefresh() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", hasMore: false))
    #expect(await stand.list.refresh() == .fresh)
    stand.transport.next(.slice(of: [#"{"id":"a"}"#], hasMore: false, state: "stale"))
    let outcome = await stand.list.refresh()
    #expect(outcome == stand.list.freshness.map { .stale($0) })
    stand.transport.next(.problem(.upstreamUnavailable, retryAfterSeconds: 30))
    guard case .failed(let error) = await stand.list.refresh() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.code == .upstreamUnavailable)
    // Nothing is asked while the server wants to be left alone.
    let count = stand.asked.count
    #expect(await stand.list.refresh() == .failed(error))
    #expect(stand.asked.count == count)
  }

  @Test func returnsFromARefreshThatFails() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("b", "c", hasMore: false))
    await stand.list.refresh()
    stand.transport.next(.problem(.upstreamUnavailable, retryAfterSeconds: 20))
    await stand.list.refresh()
    #expect(stand.list.refreshState.error?.code == .upstreamUnavailable)
    #expect(stand.ids == ["b", "c"])
    // Within what the server asks to wait it returns at once.
    await stand.list.refresh()
    #expect(stand.transport.requests.count == 2)
  }

  @Test func waitsByItsClock() async throws {
    let stand = try ListStand()
    stand.transport.next(.problem(.overloaded, retryAfterSeconds: 7))
    stand.transport.next(.posts("a", hasMore: false))
    stand.list.start()
    await stand.clock.pauses()
    stand.clock.advance(by: .seconds(6))
    #expect(stand.list.refreshState.error?.retryAfter == .seconds(7))
    stand.clock.advance(by: .seconds(1))
    await stand.until { stand.list.isLoaded }
    #expect(stand.ids == ["a"])
  }

  @Test func failsWhereNothingEverComes() async throws {
    let stand = try ListStand()
    stand.transport.hold()
    stand.list.start()
    await stand.clock.sleepers(1)
    stand.clock.advance(by: .seconds(60))
    await stand.until { stand.list.refreshState.error != nil }
    guard case .transport(let failure)? = stand.list.refreshState.error else {
      Issue.record("\(stand.list.refreshState)")
      return
    }
    #expect(failure.reason == .timedOut)
  }

  @Test func asksForNothingMoreOnceItIsGone() async throws {
    let transport = ScriptedTransport()
    transport.hold()
    var list: PagedList<Post>? = PagedList(
      try FeedClient.scripted(transport).feed("qiita/items"))
    weak let gone = list
    list?.start()
    await transport.requests(1)
    list = nil
    while gone != nil { await Task.yield() }
    transport.release()
    #expect(transport.requests.count == 1)
  }

  @Test func tellsWhoLooksOnlyWhatIsNew() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", "c", hasMore: true))
    stand.transport.next(.posts("d", hasMore: true))
    stand.list.start()
    await stand.settle()
    let told = Mutex<[String]>([])
    func look<Value>(_ name: String, _ value: () -> Value) {
      withObservationTracking {
        _ = value()
      } onChange: {
        told.withLock { $0.append(name) }
      }
    }
    let list = stand.list
    look("items") { list.items }
    look("rows") { list.rows.count }
    look("moreState") { list.moreState }
    look("refreshState") { list.refreshState }
    look("canLoadMore") { list.canLoadMore }
    stand.see("a")
    #expect(told.withLock { $0 }.isEmpty)
    stand.see("b")
    #expect(told.withLock { $0 } == ["moreState"])
    await stand.settle()
    #expect(told.withLock { Set($0) } == ["moreState", "items", "rows"])
  }

  @Test func showsGapsAsRows() async throws {
    let stand = try ListStand(options: PagedOptions(prefetchDistance: 0, fillsGaps: false))
    stand.transport.next(.posts("y", "z", hasMore: false))
    await stand.list.refresh()
    stand.transport.next(.posts("a", "b", hasMore: true))
    stand.transport.next(.posts("c", hasMore: true))
    await stand.list.refresh()
    let rows = stand.list.rows
    #expect(rows.count == 6)
    guard case .gap(let gap) = rows[3] else {
      Issue.record("\(rows[3])")
      return
    }
    #expect(gap.state == .idle)
    stand.transport.next(.problem(.upstreamUnavailable))
    stand.list.fill(gap)
    guard case .gap(let filling) = stand.list.rows[3] else { return }
    #expect(filling.state == .loading)
    await stand.until {
      if case .gap(let gap) = stand.list.rows[3] { gap.state.error != nil } else { false }
    }
    stand.transport.next(.posts("x", hasMore: false))
    stand.list.fill(gap)
    await stand.until { stand.ids.count == 6 }
    #expect(stand.ids == ["a", "b", "c", "x", "y", "z"])
    #expect(stand.list.rows.count == 6)
  }
}

/// Catching up with changes, and following them.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PagedListChangesTests {
  private func shown() async throws -> ListStand {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", "c", hasMore: true, seq: "e.1"))
    await stand.list.refresh()
    return stand
  }

  private func changes(_ changes: String..., next: String, hasMore: Bool = false) -> TransportReply
  {
    .json(
      #"{"changes":[\#(changes.joined(separator: ","))],"#
        + #""nextSince":"\#(next)","hasMore":\#(hasMore)}"#
    )
  }

  @Test func catchesUpPageByPage() async throws {
    let stand = try await shown()
    stand.transport.next(
      changes(#"{"op":"remove","seq":"e.2","id":"b"}"#, next: "e.2", hasMore: true))
    stand.transport.next(
      changes(
        #"{"op":"upsert","seq":"e.3","item":{"id":"a","title":"A"}}"#,
        #"{"op":"upsert","seq":"e.4","item":{"id":"x"}}"#, next: "e.4"))
    stand.transport.next(.slice(of: [Post.json("a")], hasMore: true, hasPrevious: true))
    // Both are asked for before the first is answered.
    stand.transport.hold()
    let calls = (0..<2).map { _ in Task { try await stand.list.catchUp() } }
    await stand.transport.requests(2)
    stand.transport.release()
    for call in calls { try await call.value }
    #expect(stand.list.items == [Post(id: "a", title: "A"), Post(id: "c")])
    await stand.until { stand.list.hasNews }
    #expect(stand.asked.dropFirst() == ["since=e.1", "since=e.2", "limit=1&startAt=%3Ca"])
    stand.transport.next(changes(next: "e.4"))
    try await stand.list.catchUp()
    #expect(stand.asked.last == "since=e.4")
  }

  @Test func asksForNoChangesBeforeItIsLoaded() async throws {
    let stand = try ListStand()
    try await stand.list.catchUp()
    #expect(stand.transport.requests.isEmpty)
  }

  @Test func throwsWhatWentWrongAndKeepsWhatCame() async throws {
    let stand = try await shown()
    stand.transport.next(
      changes(#"{"op":"remove","seq":"e.2","id":"b"}"#, next: "e.2", hasMore: true))
    stand.transport.next(.problem(.overloaded))
    let error = await #expect(throws: TsugiError.self) { try await stand.list.catchUp() }
    #expect(error?.code == .overloaded)
    #expect(stand.ids == ["a", "c"])
  }

  @Test func beginsAnewWhereTheNumberIsTooOld() async throws {
    let stand = try await shown()
    stand.transport.next(.problem(.sinceExpired))
    stand.transport.next(.posts("x", hasMore: false, seq: "f.9"))
    try await stand.list.catchUp()
    await stand.until { stand.ids == ["x"] }
    stand.transport.next(changes(next: "f.9"))
    try await stand.list.catchUp()
    #expect(stand.asked.last == "since=f.9")
  }

  @Test func followsWhatHappens() async throws {
    let stand = try await shown()
    let (body, part) = AsyncThrowingStream<Data, any Error>.makeStream()
    stand.transport.nextStream(TransportStream(status: 200, body: body))
    let list = stand.list
    let following = Task { try await list.follow() }
    func tell(_ change: String) { part.yield(Data("data: \(change)\n\n".utf8)) }
    tell(#"{"op":"remove","seq":"e.2","id":"b"}"#)
    await stand.until { stand.ids == ["a", "c"] }
    stand.transport.next(.slice(of: [Post.json("a")], hasMore: true, hasPrevious: true))
    tell(#"{"op":"upsert","seq":"e.3","id":"x"}"#)
    await stand.until { list.hasNews }
    // Of an item that is shown it tells the id only: how it is now is asked for.
    stand.transport.next(
      changes(#"{"op":"upsert","seq":"e.4","item":{"id":"a","title":"A"}}"#, next: "e.4"))
    tell(#"{"op":"upsert","seq":"e.4","id":"a"}"#)
    await stand.until { list.items[0].title == "A" }
    // What it knows already is not asked for again.
    tell(#"{"op":"upsert","seq":"e.4","id":"a"}"#)
    tell(#"{"op":"delete","seq":"e.5","id":"a"}"#)
    await stand.until { stand.ids == ["c"] }
    #expect(stand.asked.dropFirst() == ["since=e.1", "limit=1&startAt=%3Ca", "since=e.3"])
    following.cancel()
    await #expect(throws: CancellationError.self) { try await following.value }
  }

  /// Has a list follow events that are told by hand.
  private func follow(
    _ stand: ListStand, _ body: @MainActor (_ tell: (String) -> Void) async throws -> Void
  ) async throws {
    let (stream, part) = AsyncThrowingStream<Data, any Error>.makeStream()
    stand.transport.nextStream(TransportStream(status: 200, body: stream))
    let list = stand.list
    let following = Task { try await list.follow() }
    try await body { part.yield(Data("data: \($0)\n\n".utf8)) }
    following.cancel()
    await #expect(throws: CancellationError.self) { try await following.value }
  }

  /// A store that was put back has the same name and counts again.
  @Test(arguments: ["e.0", "e.1", "e.7", "f.3"])
  func beginsAnewWheneverItIsTold(seq: String) async throws {
    let stand = try await shown()
    stand.transport.next(.posts("x", hasMore: false, seq: seq))
    try await follow(stand) { tell in
      tell(#"{"op":"reset","seq":"\#(seq)"}"#)
      await stand.until { stand.ids == ["x"] }
    }
  }

  @Test func asksNothingOfAnItemThatItReadLater() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", "c", hasMore: true, seq: "e.1"))
    await stand.list.refresh()
    stand.transport.next(.posts("d", "e", hasMore: false, seq: "e.3"))
    stand.see("c")
    await stand.settle()
    let count = stand.transport.requests.count
    try await follow(stand) { tell in
      for (number, id) in ["d", "e"].enumerated() {
        tell(#"{"op":"upsert","seq":"e.\#(number + 2)","id":"\#(id)"}"#)
      }
      tell(#"{"op":"remove","seq":"e.4","id":"a"}"#)
      await stand.until { stand.ids == ["b", "c", "d", "e"] }
      // The one that opened the stream.
      #expect(stand.transport.requests.count == count + 1)
    }
  }

  @Test func triesToCatchUpForAsLongAsItTakes() async throws {
    let stand = try await shown()
    let failures = 2 * Backoff().retriesMax
    for _ in 0..<failures { stand.transport.next(TransportFailure(.offline, "")) }
    stand.transport.next(
      changes(#"{"op":"upsert","seq":"e.2","item":{"id":"a","title":"A"}}"#, next: "e.2"))
    try await follow(stand) { tell in
      tell(#"{"op":"upsert","seq":"e.2","id":"a"}"#)
      for _ in 0..<failures {
        await stand.clock.pauses()
        let next = try #require(stand.clock.nextDeadline)
        stand.clock.advance(by: stand.clock.now.duration(to: next))
      }
      await stand.until { stand.list.items[0].title == "A" }
    }
  }
}
