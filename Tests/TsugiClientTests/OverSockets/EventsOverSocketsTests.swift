import Foundation
import Testing

@testable import TsugiClient

/// Events through the session an app has, from a server whose every byte is laid down.
@Suite(.timeLimit(.minutes(3))) struct EventsOverSocketsTests {
  private let server: RawServer
  private let feed: Feed<Post>

  init() throws {
    server = try RawServer()
    var client = FeedClient(baseURL: try #require(URL(string: "http://127.0.0.1:\(server.port)")))
    client.backoff = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
    feed = client.feed("qiita/items")
  }

  private static let head =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

  private func event(_ number: Int, _ id: String) -> String {
    "id: e.\(number)\ndata: {\"op\":\"upsert\",\"seq\":\"e.\(number)\",\"id\":\"\(id)\"}\n\n"
  }

  /// Listens in a task of its own; gives the ids as they come.
  private func listen() -> (Task<Void, any Error>, AsyncStream<String?>.Iterator) {
    let (ids, id) = AsyncStream<String?>.makeStream()
    let listening = Task {
      defer { id.finish() }
      for try await change in feed.events() { id.yield(change.id) }
    }
    return (listening, ids.makeAsyncIterator())
  }

  @Test func tellsEachChangeBeforeTheNextIsSent() async throws {
    var (listening, ids) = listen()
    let connection = await server.connection()
    #expect(connection.head.hasPrefix("get /v1/qiita/items:events http/1.1\r\n"))
    connection.send(Self.head)
    for (number, id) in ["a", "b", "c"].enumerated() {
      connection.sendChunk(event(number, id))
      #expect(await ids.next() == id)
    }
    listening.cancel()
  }

  @Test(arguments: [true, false])
  func connectsAgainAfterTheChangeItSawLast(endsWell: Bool) async throws {
    var (listening, ids) = listen()
    do {
      let connection = await server.connection()
      connection.send(Self.head)
      connection.sendChunk(event(1, "a") + "id: e.2\ndata: {\"op")
      #expect(await ids.next() == "a")
      if endsWell { connection.send("0\r\n\r\n") }
      connection.finish()
    }
    let connection = await server.connection()
    #expect(connection.head.contains("\r\nlast-event-id: e.1\r\n"))
    connection.send(Self.head)
    connection.sendChunk(event(2, "b"))
    #expect(await ids.next() == "b")
    listening.cancel()
  }

  /// Where the network went away without a word, nothing comes: not even the comments.
  @Test func connectsAgainWhereNothingComesForTooLong() async throws {
    let network = TransportOfShortPatience()
    var client = FeedClient(
      baseURL: try #require(URL(string: "http://127.0.0.1:\(server.port)")), transport: network)
    client.backoff = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
    let events = client.feed("qiita/items", of: Post.self).events()
    let listening = Task { for try await _ in events {} }
    let silent = await server.connection()
    silent.send(Self.head)
    silent.sendChunk(event(1, "a"))
    let next = await server.connection()
    #expect(next.head.contains("\r\nlast-event-id: e.1\r\n"))
    listening.cancel()
    await silent.end()
  }

  @Test func hangsUpWhenItIsCancelled() async throws {
    var (listening, ids) = listen()
    let connection = await server.connection()
    connection.send(Self.head)
    connection.sendChunk(event(1, "a"))
    #expect(await ids.next() == "a")
    listening.cancel()
    await connection.end()
    await #expect(throws: CancellationError.self) { try await listening.value }
  }

  @Test func hangsUpWhenItIsCancelledBeforeTheHead() async throws {
    let (listening, _) = listen()
    let connection = await server.connection()
    listening.cancel()
    await connection.end()
    await #expect(throws: CancellationError.self) { try await listening.value }
  }

  @Test func readsWhyItIsRefused() async throws {
    let (listening, _) = listen()
    let connection = await server.connection()
    let body =
      #"{"type":"urn:tsugi:problem:unauthorized","title":"","status":401,"#
      + #""detail":"","code":"unauthorized"}"#
    connection.send("HTTP/1.1 401 No\r\ncontent-length: \(body.utf8.count)\r\n\r\n\(body)")
    let error = await #expect(throws: TsugiError.self) { try await listening.value }
    #expect(error?.code == .unauthorized)
  }

  /// What nobody reads is bounded: up to the limit all is there, beyond it the reply has ended.
  @Test(arguments: [(1_024, true), (1_025, false)])
  func keepsSoManyPartsForASlowReader(count: Int, isWhole: Bool) async throws {
    let (body, parts) = URLSessionTransport.makeParts()
    for number in 0..<count { URLSessionTransport.hand(Data("\(number)".utf8), to: parts) }
    parts.finish()
    var read = 0
    var failure: TransportFailure?
    do {
      for try await _ in body { read += 1 }
    } catch let error as TransportFailure {
      failure = error
    }
    #expect(read == 1_024)
    #expect((failure == nil) == isWhole)
  }

  @Test func givesUpAReplyThatNobodyReads() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let opening = Task { try await URLSessionTransport().stream(TransportRequest(url: url)) }
    let connection = await server.connection()
    connection.send(Self.head)
    let stream = try await opening.value
    // The session takes at most 16 KB at a time, so these are more parts than may wait.
    let comment = ":" + String(repeating: " ", count: 16_000) + "\n"
    for _ in 0..<2_000 { connection.sendChunk(comment) }
    await connection.end()
    let error = await #expect(throws: TransportFailure.self) {
      for try await _ in stream.body {}
    }
    #expect(error?.reason == .interrupted)
  }

  /// A body that ends too early is no slice, and no hang.
  @Test func tellsThatAReplyWasCut() async throws {
    let asking = Task { try await feed.slice() }
    do {
      let connection = await server.connection()
      connection.send("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"items\":[")
      connection.finish()
    }
    let error = await #expect(throws: TsugiError.self) { _ = try await asking.value }
    #expect(error?.mayPass == true)
  }
}

/// The session of an app that waits a second for the next bytes, not 45.
private struct TransportOfShortPatience: HTTPTransport {
  private let network = URLSessionTransport()

  func send(_ request: TransportRequest) async throws -> TransportReply {
    try await network.send(request)
  }

  func stream(_ request: TransportRequest) async throws -> TransportStream {
    var request = request
    #expect(request.idleTimeout == .seconds(45))
    request.idleTimeout = .seconds(1)
    return try await network.stream(request)
  }
}
