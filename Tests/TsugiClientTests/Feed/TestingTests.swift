import Testing
import TsugiClientTesting

@testable import TsugiClient

/// What an app's own tests stand on: `TsugiClientTesting`.
@Suite(.timeLimit(.minutes(3))) struct TestingTests {
  /// Whoever counts requests may be sooner than the one counted is held.
  @Test func releasesARequestThatIsNotHeldYet() async throws {
    for _ in 0..<300 {
      let transport = ScriptedTransport { _ in .posts("a", hasMore: false) }
      let feed = try FeedClient.scripted(transport).feed("qiita/items", of: Post.self)
      transport.hold()
      let asking = Task.detached { try await feed.slice() }
      await transport.requests(1)
      transport.release(0)
      #expect(try await asking.value.items.count == 1)
    }
  }

  @Test func releasesARequestThatIsStillToCome() async throws {
    let transport = ScriptedTransport { _ in .posts("a", hasMore: false) }
    let feed = try FeedClient.scripted(transport).feed("qiita/items", of: Post.self)
    transport.hold()
    transport.release(1)
    let held = Task { try await feed.slice() }
    await transport.requests(1)
    #expect(try await feed.slice().items.count == 1)
    transport.release(0)
    #expect(try await held.value.items.count == 1)
    // Another hold holds all again.
    transport.hold()
    transport.release(3)
    let third = Task { try await feed.slice() }
    await transport.requests(3)
    #expect(try await feed.slice().items.count == 1)
    third.cancel()
    await #expect(throws: CancellationError.self) { _ = try await third.value }
  }

  /// As the clock's own example has it, with a request whose deadline sleeps too.
  @Test func tellsAPauseFromADeadline() async throws {
    for _ in 0..<50 {
      let clock = ManualClock()
      let transport = ScriptedTransport()
      transport.next(.problem(.overloaded, retryAfterSeconds: 20))
      transport.next(.posts("a", hasMore: false))
      let feed = try FeedClient.scripted(transport, clock: clock)
        .feed("qiita/items", of: Post.self)
      let walk = Task.detached {
        var ids: [String] = []
        for try await item in feed.items { ids.append(item.id) }
        return ids
      }
      await clock.sleepers(1, dueWithin: .seconds(30))
      clock.advance(by: .seconds(30))
      #expect(try await walk.value == ["a"])
    }
  }

  @Test func countsWhoIsDueOnceTheClockIsMoved() async throws {
    let clock = ManualClock()
    let sleeping = Task { try await clock.sleep(for: .seconds(60)) }
    await clock.sleepers(1)
    let watching = Task { await clock.sleepers(1, dueWithin: .seconds(30)) }
    clock.advance(by: .seconds(29))
    #expect(clock.sleeperTotal == 1)
    clock.advance(by: .seconds(1))
    await watching.value
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }
}
