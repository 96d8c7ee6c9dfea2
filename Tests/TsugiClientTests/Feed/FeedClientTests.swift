import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

struct FeedClientTests {
  private let transport = ScriptedTransport()
  private let clock = ManualClock()

  /// Keys that never come are as an answer that never comes.
  @Test func countsTheTimeForHeaders() async throws {
    var client = try FeedClient.scripted(transport, clock: clock)
    client.timeout = .seconds(5)
    client.headers = {
      try await Task.sleep(for: .seconds(3_600))
      return [:]
    }
    let feed = client.feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    await clock.sleepers(1, dueWithin: .seconds(5))
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: TsugiError.self) { try await asking.value }
    guard case .transport(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.reason == .timedOut && transport.requests.isEmpty)
  }

  /// Every verb has them, sorted, and the name too.
  @Test func sendsParametersWithEveryVerb() async throws {
    let feed = try FeedClient.scripted(transport).feed(
      "shop/orders", of: Post.self, query: "q", parameters: ["state": "a b", "by": "day"])
    _ = try? await feed.slice()
    _ = try? await feed.status()
    _ = try? await feed.fill(gap: "g")
    _ = try? await feed.changes(since: SequenceNumber(rawValue: "e.1"))
    for try await _ in feed.events().prefix(0) {}
    #expect(transport.requests.count == 4)
    #expect(
      transport.requests.allSatisfy {
        $0.url.query?.contains("query=q&by=day&state=a%20b") == true
      })
  }

  @Test(arguments: ["limit", "startAfter", "query", "fields", "refresh", "wait"])
  func refusesAParameterOfEveryFeed(name: String) async throws {
    let feed = try FeedClient.scripted(transport)
      .feed("shop/orders", of: Post.self, parameters: [name: "1"])
    let error = await #expect(throws: TsugiError.self) { try await feed.slice() }
    guard case .request = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(transport.requests.isEmpty)
  }

  /// The client's own codes are the contract's.
  @Test(arguments: ProblemCode.allCases)
  func knowsTheStatusOfEachCode(code: ProblemCode) {
    let problem = ProblemDetails(code, detail: "")
    #expect(problem.status == code.status && (400...599).contains(code.status))
    #expect(code == .internalError || code.status != 500)
    #expect(!problem.title.isEmpty && problem.title != code.rawValue)
  }

  @Test func logsConnectionsForEvents() async throws {
    let (events, event) = AsyncStream<FeedEvent>.makeStream()
    var client = try FeedClient.scripted(transport, clock: clock)
    client.log = { event.yield($0) }
    transport.nextEvents(
      [#"{"op":"delete","seq":"e.2","id":"a"}"#, #"{"op":"upsert","seq":"e.3"}"#], staysOpen: false)
    let feed = client.feed("qiita/items", of: Post.self)
    let listening = Task { for try await _ in feed.events() {} }
    var lines: [String] = []
    for await event in events {
      switch event {
      case .listening(let feed, let isConnected): lines.append("\(feed) \(isConnected)")
      case .changed(_, let upserts, let removals): lines.append("\(upserts) \(removals)")
      case .dropped: lines.append("dropped")
      default: break
      }
      if lines.last == "qiita/items false" { break }
    }
    listening.cancel()
    #expect(lines == ["qiita/items true", "0 1", "dropped", "qiita/items false"])
  }
}
