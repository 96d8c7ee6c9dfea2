import Testing
import TsugiClientTesting

@testable import TsugiClient

struct FeedSequenceTests {
  private let transport = ScriptedTransport()
  private let clock = ManualClock()

  private func feed() throws -> Feed<Post> {
    try FeedClient.scripted(transport, clock: clock).feed("qiita/items")
  }

  @Test func stopsWhereThereIsNoMoreAndOnlyThere() async throws {
    transport.next(.posts("a", "b", hasMore: true))
    transport.next(.posts("c", hasMore: true))
    transport.next(.slice(of: ["null"], hasMore: true, end: ">bad"))
    transport.next(.posts("d", "e", hasMore: false))
    var ids: [String] = []
    for try await item in try feed().items { ids.append(item.id) }
    #expect(ids == ["a", "b", "c", "d", "e"])
    #expect(transport.requests.map { $0["startAfter"] } == [nil, ">b", ">c", ">bad"])
  }

  @Test func stopsAtAFullSliceThatSaysSo() async throws {
    transport.next(.slice(of: (0..<20).map { Post.json("\($0)") }, hasMore: false))
    var slices = try feed().slices.makeAsyncIterator()
    #expect(try await slices.next()?.items.count == 20)
    #expect(try await slices.next() == nil)
    #expect(transport.requests.count == 1)
  }

  @Test func goesOnFromACursor() async throws {
    transport.next(.posts("c", hasMore: false))
    for try await item in try feed().items(after: FeedCursor(rawValue: ">b")) {
      #expect(item.id == "c")
    }
    #expect(transport.requests.map { $0["startAfter"] } == [">b"])
  }

  @Test func asksAgainAfterWhatMayPass() async throws {
    transport.next(.problem(.upstreamRateLimited, retryAfterSeconds: 30))
    transport.next(TransportFailure(.interrupted, ""))
    transport.next(.posts("a", hasMore: false))
    let feed = try feed()
    let walk = Task { try await feed.items.reduce(into: []) { $0.append($1.id) } }
    for pause in [Duration.seconds(30), .seconds(2)] {
      await clock.pauses()
      clock.advance(by: pause)
    }
    #expect(try await walk.value == ["a"])
    #expect(transport.requests.count == 3)
  }

  @Test func endsWithAnErrorThatStands() async throws {
    transport.next(.problem(.feedNotFound))
    let feed = try feed()
    await #expect(throws: TsugiError.self) { for try await _ in feed.items {} }
    #expect(transport.requests.count == 1)
  }

  @Test func givesUpAfterSoManyRetries() async throws {
    var client = try FeedClient.scripted(transport, clock: clock)
    client.backoff.retriesMax = 2
    let feed = client.feed("qiita/items", of: Post.self)
    let walk = Task { for try await _ in feed.items {} }
    for _ in 0..<2 {
      await clock.pauses()
      clock.advance(by: .seconds(60))
    }
    await #expect(throws: TsugiError.self) { try await walk.value }
    #expect(transport.requests.count == 3)
  }

  @Test(arguments: [nil, ">b"])
  func refusesACursorThatStandsStill(end: String?) async throws {
    transport.next(.posts("a", "b", hasMore: true))
    transport.next(.slice(of: [], hasMore: true, end: end))
    let feed = try feed()
    await #expect(throws: TsugiError.standstill) { for try await _ in feed.items {} }
    #expect(transport.requests.count == 2)
  }

  @Test func asksForNothingOnceItsTaskIsCancelled() async throws {
    transport.next(.posts("a", "b", hasMore: true))
    let feed = try feed()
    let (seen, see) = AsyncStream<String>.makeStream()
    let walk = Task {
      for try await item in feed.items {
        see.yield(item.id)
        if item.id == "b" { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await walk.value }
    see.finish()
    #expect(await seen.reduce(into: []) { $0.append($1) } == ["a", "b"])
    #expect(transport.requests.count == 1)
  }
}
