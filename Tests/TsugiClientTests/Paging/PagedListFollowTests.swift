import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// That nobody waits who was cancelled.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PagedListFollowTests {
  @Test func leavesARefreshWhenItIsCancelled() async throws {
    let stand = try ListStand()
    stand.transport.next(.posts("a", hasMore: false))
    stand.transport.hold()
    let list = stand.list
    let pull = Task { await list.refresh() }
    await stand.transport.requests(1)
    pull.cancel()
    await pull.value
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
    await #expect(throws: TsugiError.cancelled) { try await waiting.value }
    open.finish()
  }
}
