import Foundation
import Synchronization
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// From where a list is followed, and that nobody waits who was cancelled.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PagedListFollowTests {
  /// The requests for events so far, by the number they ask from.
  private func listened(_ stand: ListStand) -> [String?] {
    stand.transport.requests.filter { $0.url.path.hasSuffix(":events") }.map { $0["since"] }
  }

  @Test func listensFromWhatWasLoadedOn() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", hasMore: false, seq: "e.1"))
    stand.transport.nextStream(
      [#"data: {"op":"remove","seq":"e.2","id":"b"}"#, "\n\n"])
    let list = stand.list
    let following = Task { try await list.follow() }
    for _ in 0..<100 { await Task.yield() }
    #expect(stand.transport.requests.isEmpty)
    list.start()
    await stand.until { stand.ids == ["a"] }
    #expect(listened(stand) == ["e.1"])
    following.cancel()
    await #expect(throws: CancellationError.self) { try await following.value }
  }

  @Test func listensToTheFeedThatIsShown() async throws {
    let stand = try ListStand()
    let (body, tell) = AsyncThrowingStream<Data, any Error>.makeStream()
    stand.transport.next(.posts("a", "b", hasMore: false, seq: "e.1"))
    stand.transport.nextStream(TransportStream(status: 200, body: body))
    let list = stand.list
    list.start()
    let following = Task { try await list.follow() }
    await stand.until { listened(stand) == ["e.1"] }
    stand.transport.next(.posts("x", "y", hasMore: false, seq: "e.7"))
    stand.transport.nextStream(["data: {\"op\":\"delete\",\"seq\":\"e.8\",\"id\":\"y\"}\n\n"])
    list.show(list.feed.client.feed("qiita/tags/Swift/items", limit: 5))
    // What the other feed still tells is not this one's.
    tell.yield(Data("data: {\"op\":\"delete\",\"seq\":\"e.9\",\"id\":\"x\"}\n\n".utf8))
    await stand.until { stand.ids == ["x"] }
    #expect(listened(stand) == ["e.1", "e.7"])
    #expect(
      stand.transport.requests.last?.url.path.hasSuffix("/qiita/tags/Swift/items:events") == true)
    following.cancel()
    await #expect(throws: CancellationError.self) { try await following.value }
  }

  /// What happened between the old number and the new list is in the list; all after it is told.
  @Test(arguments: [true, false])
  func listensFromTheNewListOnWhereTheNumberIsTooOld(byStatus: Bool) async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", "b", hasMore: false, seq: "e.1"))
    if byStatus {
      stand.transport.nextStream(.of(.problem(.sinceExpired)))
    } else {
      stand.transport.nextStream(["data: {\"op\":\"reset\",\"seq\":\"f.5\"}\n\n"])
    }
    stand.transport.next(.posts("x", "y", hasMore: false, seq: "f.3"))
    stand.transport.nextStream(
      ["data: {\"op\":\"delete\",\"seq\":\"f.4\",\"id\":\"y\"}\n\n"])
    let list = stand.list
    list.start()
    let following = Task { try await list.follow() }
    await stand.until { stand.ids == ["x"] }
    #expect(listened(stand) == ["e.1", "f.3"])
    following.cancel()
    await #expect(throws: CancellationError.self) { try await following.value }
  }

  /// Also where two servers answer by turns, each of which knows its own numbers only.
  @Test(arguments: [true, false])
  func restsWhereEveryNumberIsTooOld(byTurns: Bool) async throws {
    let loads = Atomic(0)
    let stand = try ListStand { _ in
      let load = byTurns ? loads.add(1, ordering: .relaxed).newValue : 1
      return .posts("a", hasMore: false, seq: "e\(load).1")
    }
    for _ in 0..<5 { stand.transport.nextStream(.of(.problem(.sinceExpired))) }
    let list = stand.list
    list.start()
    let following = Task { try await list.follow() }
    for count in 2..<5 {
      await stand.until { listened(stand).count == count && stand.list.refreshState == .idle }
      await stand.clock.pauses()
      #expect(listened(stand).count == count)
      let next = try #require(stand.clock.nextDeadline)
      stand.clock.advance(by: stand.clock.now.duration(to: next))
    }
    following.cancel()
    await #expect(throws: CancellationError.self) { try await following.value }
  }

  @Test func leavesARefreshWhenItIsCancelled() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", hasMore: false))
    stand.transport.hold()
    let list = stand.list
    let pull = Task { await list.refresh() }
    await stand.transport.requests(1)
    pull.cancel()
    #expect(await pull.value == .cancelled)
    // The list itself still waits for the answer.
    #expect(list.refreshState == .loading)
    stand.transport.release()
    await stand.until { stand.ids == ["a"] }
  }

  @Test(arguments: [true, false])
  func leavesACatchingUpWhenItIsCancelled(follows: Bool) async throws {
    let (opened, open) = AsyncStream<Void>.makeStream()
    let stand = try ListStand { request in
      // Nobody says what changed before the test is over.
      if request.url.path.hasSuffix(":changes") { for await _ in opened {} }
      return .posts("a", hasMore: false, seq: "e.1")
    }
    let list = stand.list
    await list.refresh()
    stand.transport.nextStream(
      ["data: {\"op\":\"upsert\",\"seq\":\"e.2\",\"id\":\"a\"}\n\n"])
    let waiting = Task {
      if follows { try await list.follow() } else { try await list.catchUp() }
    }
    await stand.transport.requests(follows ? 3 : 2)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    open.finish()
  }
}
