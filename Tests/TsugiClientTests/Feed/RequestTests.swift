import Bytes
import Foundation
import Synchronization
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// What is sent, byte for byte.
struct RequestTests {
  private let transport = ScriptedTransport { _ in .posts(hasMore: false) }

  private func url(
    _ feed: (FeedClient) -> Feed<Post>, _ request: SliceRequest = SliceRequest()
  ) async throws -> String {
    _ = try await feed(try .scripted(transport)).slice(request)
    return try #require(transport.requests.last).url.absoluteString
  }

  @Test func asksBelowThePathOfTheBaseURL() async throws {
    let url = try await url { $0.feed("qiita/items") }
    #expect(url == "https://api.example/tsugi/v1/qiita/items?limit=20")
  }

  @Test func writesTheSchemeAsItIsRegistered() async throws {
    let base = try #require(URL(string: "HTTPS://api.example"))
    _ = try await FeedClient(baseURL: base, transport: transport)
      .feed("qiita/items", of: Post.self).slice()
    let url = try #require(transport.requests.last).url.absoluteString
    #expect(url == "https://api.example/v1/qiita/items?limit=20")
  }

  @Test func sendsWhatTheFeedIsAbout() async throws {
    let url = try await url {
      $0.feed("qiita/items", limit: 5, query: "tag:C++ あ", fields: ["title", "user.id"])
    }
    #expect(
      url == "https://api.example/tsugi/v1/qiita/items"
        + "?limit=5&query=tag%3AC%2B%2B%20%E3%81%82&fields=title%2Cuser.id")
  }

  @Test(
    arguments: [
      (.milliseconds(1_500), 1_500), (.seconds(30), 30_000), (.milliseconds(30_001), 30_000),
      (.seconds(Int64.max), 30_000), (.seconds(-1), 0),
    ] as [(Duration, Int)])
  func sendsHowLongToWait(wait: Duration, milliseconds: Int) async throws {
    let url = try await url {
      var feed = $0.feed("qiita/items", of: Post.self)
      feed.wait = wait
      return feed
    }
    #expect(url.hasSuffix("?limit=20&wait=\(milliseconds)"))
  }

  @Test func waitsForEverWhereThatIsAsked() async throws {
    var client = try FeedClient.scripted(transport, clock: ContinuousClock())
    client.timeout = .seconds(Int64.max)
    client.backoff = Backoff(
      first: .seconds(Int64.max), longest: .seconds(Int64.max), retriesMax: .max)
    #expect(try await client.feed("qiita/items", of: Post.self).slice().items.isEmpty)
    let pausing = Task { [client] in try await client.pause(afterFailures: 9) }
    pausing.cancel()
    await #expect(throws: CancellationError.self) { try await pausing.value }
  }

  @Test(arguments: [
    (SliceRequest(start: .after(.cursor(FeedCursor(rawValue: "a_-1")))), "startAfter=a_-1"),
    (SliceRequest(start: .at(.element(id: "x/y"))), "startAt=id%3Ax%2Fy"),
    (
      SliceRequest(start: .after(.time(Date(timeIntervalSince1970: 1_795_219_200.9)))),
      "startAfter=at%3A2026-11-21T00%3A00%3A00Z"
    ),
    (SliceRequest(end: .at(.element(id: "x")), limit: 7), "endAt=id%3Ax"),
    (
      SliceRequest(end: .before(.element(id: "x")), limitToLast: true),
      "endBefore=id%3Ax&limitToLast=true"
    ),
    (SliceRequest(end: .at(.element(id: "x")), refresh: true), "endAt=id%3Ax&refresh=true"),
  ])
  func sendsARange(request: SliceRequest, query: String) async throws {
    let url = try await url({ $0.feed("qiita/items") }, request)
    #expect(url.hasSuffix("?limit=\(request.limit ?? 20)&\(query)"))
  }

  @Test func sendsTheKeyAndNothingElseOfItsOwn() async throws {
    let client = try FeedClient.scripted(transport, apiKey: "k3y")
    _ = try await client.feed("qiita/items", of: Post.self).slice()
    let headers = try #require(transport.requests.last).headers
    #expect(headers == ["accept": "application/json", "authorization": "Bearer k3y"])
  }

  /// As a key that was read from a file with the end of its line.
  @Test(arguments: ["k3y\n", "k3y\r\nX-Evil: 1", "k\u{0}y", "k\u{7F}y"])
  func refusesAHeaderThatIsNone(key: String) async throws {
    let client = try FeedClient.scripted(transport, apiKey: key)
    let error = await #expect(throws: TsugiError.self) {
      _ = try await client.feed("qiita/items", of: Post.self).slice()
    }
    #expect(
      error == .request("the header authorization has a line break or another control character"))
    #expect(transport.requests.isEmpty)
  }

  @Test func asksForAKeyThatChangesEachTime() async throws {
    var client = try FeedClient.scripted(transport, apiKey: "old")
    let count = Mutex(0)
    client.headers = {
      ["Authorization": "Bearer \(count.withLock { ($0 += 1, $0).1 })", "X-App": "a"]
    }
    let feed = client.feed("qiita/items", of: Post.self)
    for number in 1...2 {
      _ = try await feed.slice()
      let headers = try #require(transport.requests.last).headers
      #expect(
        headers == [
          "accept": "application/json", "authorization": "Bearer \(number)", "x-app": "a",
        ])
    }
    struct NoKey: Error {}
    client.headers = { throw NoKey() }
    let error = await #expect(throws: TsugiError.self) {
      _ = try await client.feed("qiita/items", of: Post.self).slice()
    }
    #expect(error == .transport(TransportFailure(.other, "NoKey()")))
    #expect(transport.requests.count == 2)
  }

  @Test func asksForAnItemAndForWhatIsToBeDone() async throws {
    let client = try FeedClient.scripted(transport)
    transport.next(.json(#"{"id":"a/b"}"#))
    let id = "a/b"
    let item = try await client.item("qiita/items/\(id)", of: Post.self)
    #expect(item.id == "a/b")
    #expect(
      transport.requests.last?.url.path(percentEncoded: true) == "/tsugi/v1/qiita/items/a%2Fb")
    transport.next(.problem(.itemDeleted))
    let error = await #expect(throws: TsugiError.self) {
      _ = try await client.item("qiita/items/x", of: Post.self)
    }
    #expect(error?.code == .itemDeleted)
    let budget = #""budget":{"limit":60,"remaining":57,"resetAt":null}"#
    transport.next(.json(#"{"filled":true,"calls":2,"gap":null,\#(budget)}"#))
    let filled = try await client.feed("qiita/items", of: Post.self, query: "a b").fill(gap: "g&1")
    #expect(filled.isFilled && filled.calls == 2 && filled.budget.remaining == 57)
    let request = try #require(transport.requests.last)
    #expect(request.method == "POST")
    #expect(request.url.absoluteString.hasSuffix("/v1/qiita/items:fill?query=a%20b&gap=g%261"))
  }

  @Test func printsNoKey() throws {
    let client = try FeedClient.scripted(transport, apiKey: "k3y")
    var text = "\(client)"
    dump(client, to: &text)
    #expect(!text.contains("k3y"))
  }

  @Test(arguments: ["ftp://api.example", "api.example", "https:///x", "https://a.example?b=c"])
  func refusesWhatIsNoBase(text: String) async throws {
    let base = try #require(URL(string: text))
    let feed = FeedClient(baseURL: base, transport: transport).feed("qiita/items", of: Post.self)
    let error = await #expect(throws: TsugiError.self) { _ = try await feed.slice() }
    #expect(error?.mayPass == false)
    #expect(transport.requests.isEmpty)
  }

  @Test func givesUpAfterItsTimeout() async throws {
    let clock = ManualClock()
    transport.hold()
    var client = try FeedClient.scripted(transport, clock: clock)
    client.timeout = .seconds(9)
    let feed = client.feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    await clock.sleepers(1)
    clock.advance(by: .seconds(8))
    #expect(clock.sleeperTotal == 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TsugiError.self) { _ = try await asking.value }
    #expect(error == .transport(TransportFailure(.timedOut, "no answer within 9.0 seconds")))
  }

  @Test func callsACancelledRequestCancelled() async throws {
    transport.hold()
    let feed = try FeedClient.scripted(transport).feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    await transport.requests(1)
    asking.cancel()
    await #expect(throws: CancellationError.self) { _ = try await asking.value }
  }
}
