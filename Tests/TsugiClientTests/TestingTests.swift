import Testing
import TsugiClientTesting

@testable import TsugiClient

/// What an app's own tests stand on: `TsugiClientTesting`.
@Suite(.timeLimit(.minutes(3))) struct TestingTests {
  /// Whoever counts requests may be sooner than the one counted is held.
  @Test func releasesARequestThatIsNotHeldYet() async throws {
    for _ in 0..<300 {
      let transport = ScriptedTransport { _ in .posts("a", hasMore: false) }
      let feed = try TsugiClient.scripted(transport).feed("qiita/items", of: Post.self)
      transport.hold()
      let asking = Task.detached { try await feed.slice() }
      await transport.requests(1)
      transport.release(0)
      #expect(try await asking.value.items.count == 1)
    }
  }

  @Test func releasesARequestThatIsStillToCome() async throws {
    let transport = ScriptedTransport { _ in .posts("a", hasMore: false) }
    let feed = try TsugiClient.scripted(transport).feed("qiita/items", of: Post.self)
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
    await #expect(throws: TsugiError.cancelled) { _ = try await third.value }
  }
}
