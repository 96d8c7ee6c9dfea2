import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

struct EventsTests {
  private let transport = ScriptedTransport()
  private let clock = ManualClock()

  private func feed() throws -> Feed<Post> {
    try FeedClient.scripted(transport, clock: clock).feed("qiita/items")
  }

  private func event(_ number: Int, _ id: String) -> String {
    "id: e.\(number)\ndata: {\"op\":\"upsert\",\"seq\":\"e.\(number)\",\"id\":\"\(id)\"}\n\n"
  }

  /// Listens in a task of its own, so that the clock can be moved meanwhile.
  private func listen(
    since seq: String? = nil
  ) throws -> (Task<Void, any Error>, AsyncStream<FeedChange<Post>>) {
    let events = try feed().events(since: seq.map(SequenceNumber.init))
    let (changes, change) = AsyncStream<FeedChange<Post>>.makeStream()
    let listening = Task {
      defer { change.finish() }
      for try await event in events { change.yield(event) }
    }
    return (listening, changes)
  }

  @Test func tellsChangesAsTheyCome() async throws {
    transport.nextStream([event(1, "a"), ": still here\n\n", event(2, "b") + event(3, "c")])
    let (listening, changes) = try listen(since: "e.0")
    let ids = await changes.prefix(3).reduce(into: []) { $0.append($1.id) }
    listening.cancel()
    #expect(ids == ["a", "b", "c"])
    let request = try #require(transport.requests.first)
    #expect(request.url.absoluteString.hasSuffix("/v1/qiita/items:events?since=e.0"))
    #expect(request.headers["accept"] == "text/event-stream")
    #expect(request.headers["last-event-id"] == nil)
  }

  @Test func connectsAgainAfterTheChangeItSawLast() async throws {
    transport.nextStream([event(1, "a"), event(2, "b"), "id: e.3\ndata: {\"op\":\"del"])
    transport.nextStream(TransportFailure(.offline, ""))
    transport.nextStream([event(3, "c")], then: TransportFailure(.interrupted, ""))
    let (listening, changes) = try listen()
    for _ in 0..<2 {
      await clock.pauses()
      clock.advance(by: .seconds(2))
    }
    let ids = await changes.prefix(3).reduce(into: []) { $0.append($1.id) }
    listening.cancel()
    #expect(ids == ["a", "b", "c"])
    #expect(transport.requests.map { $0.headers["last-event-id"] } == [nil, "e.2", "e.2"])
  }

  @Test func waitsAsLongAsTheServerAsks() async throws {
    transport.nextStream(["retry: 7000\n\n"])
    transport.nextStream([event(1, "a")])
    let (listening, changes) = try listen()
    await clock.pauses()
    #expect(clock.nextDeadline == ManualClock.Instant(offset: .seconds(7)))
    clock.advance(by: .seconds(7))
    #expect(await changes.first { _ in true }?.id == "a")
    listening.cancel()
  }

  @Test func tellsAResetWhereTheNumberIsTooOld() async throws {
    transport.nextStream(.of(.problem(.sinceExpired)))
    transport.nextStream([event(9, "a")])
    let (listening, changes) = try listen(since: "e.1")
    let operations = await changes.prefix(2).reduce(into: []) { $0.append($1.operation) }
    listening.cancel()
    #expect(operations == [.reset, .upsert])
    #expect(transport.requests.map { $0["since"] } == ["e.1", nil])
  }

  @Test func passesOverWhatItCannotRead() async throws {
    transport.nextStream(["data: <html>\n\n", "data: {\"op\":\"shuffle\"}\n\n", event(1, "a")])
    let (listening, changes) = try listen()
    #expect(await changes.first { _ in true }?.id == "a")
    listening.cancel()
  }

  @Test(arguments: [ProblemCode.unauthorized, .feedNotFound, .sinceExpired])
  func endsWithAnErrorThatStands(code: ProblemCode) async throws {
    transport.nextStream(.of(.problem(code)))
    let (listening, _) = try listen()
    let error = await #expect(throws: TsugiError.self) { try await listening.value }
    #expect(error?.code == code)
  }

  @Test func endsWhereThereIsNothingToListenTo() async throws {
    transport.nextStream(status: 204, [])
    let (listening, _) = try listen()
    try await listening.value
    #expect(transport.requests.count == 1)
  }

  @Test func endsWithItsTask() async throws {
    let (body, part) = AsyncThrowingStream<Data, any Error>.makeStream()
    part.yield(Data(event(1, "a").utf8))
    transport.nextStream(TransportStream(status: 200, body: body))
    let (listening, changes) = try listen()
    _ = await changes.first { _ in true }
    listening.cancel()
    await #expect(throws: CancellationError.self) { try await listening.value }
    #expect(transport.requests.count == 1)
  }

  /// How a connection can come to nothing.
  enum Futile: CaseIterable {
    case fails, isAPage, isCommentsOnly, isOfAnEventUnknown
  }

  @Test(arguments: Futile.allCases)
  func growsItsPausesWhileNothingComes(futile: Futile) async throws {
    for _ in 0..<6 {
      switch futile {
      case .fails: transport.nextStream(TransportFailure(.offline, ""))
      case .isAPage: transport.nextStream(headers: ["Content-Type": "text/html"], ["<html>"])
      case .isCommentsOnly: transport.nextStream([": hello\n\n", ": bye\n\n"])
      case .isOfAnEventUnknown: transport.nextStream(["data: {}\n\n"])
      }
    }
    let (listening, _) = try listen()
    var pauses: [Duration] = []
    for _ in 0..<6 {
      await clock.pauses()
      let now = clock.now
      pauses.append(now.duration(to: try #require(clock.nextDeadline)))
      clock.advance(by: try #require(pauses.last))
    }
    listening.cancel()
    for (index, pause) in pauses.enumerated() {
      let whole = Duration.seconds(1 << index)
      #expect((whole / 2...whole).contains(pause), "pause \(index): \(pause)")
    }
  }
}

extension EventsTests {
  /// A feed in which nothing happens is cut by whatever is in between, and no failure.
  @Test(arguments: [59, 60])
  func takesAConnectionThatLastedForNoFailure(seconds: Int) async throws {
    let (reads, read) = AsyncStream<Void>.makeStream()
    let (ends, end) = AsyncStream<Void>.makeStream()
    for _ in 0..<3 {
      let body = AsyncThrowingStream<Data, any Error> {
        read.yield()
        _ = await ends.first { _ in true }
        return nil
      }
      transport.nextStream(TransportStream(status: 200, body: body))
    }
    let (listening, _) = try listen()
    var pauses: [Duration] = []
    var reading = reads.makeAsyncIterator()
    for _ in 0..<3 {
      _ = await reading.next()
      clock.advance(by: .seconds(seconds))
      end.yield()
      await clock.pauses()
      pauses.append(clock.now.duration(to: try #require(clock.nextDeadline)))
      clock.advance(by: try #require(pauses.last))
    }
    listening.cancel()
    #expect((pauses[2] <= .seconds(1)) == (seconds == 60))
  }

  /// An error's body is read so far and no further, and no longer than a request may take.
  @Test(arguments: [TransportStream.errorBytesMax - 1, TransportStream.errorBytesMax])
  func readsSoMuchOfAnErrorAndNoMore(bytes: Int) async throws {
    let (body, part) = AsyncThrowingStream<Data, any Error>.makeStream()
    let stream = TransportStream(status: 503, body: body)
    part.yield(Data(count: bytes))
    // A body that has not ended is waited for below the limit only.
    if bytes < TransportStream.errorBytesMax { part.finish() }
    #expect(await stream.reply().body.count == bytes)
  }

  @Test func givesUpAnErrorThatNeverEnds() async throws {
    let (body, part) = AsyncThrowingStream<Data, any Error>.makeStream()
    part.yield(Data(" ".utf8))
    transport.nextStream(TransportStream(status: 503, body: body))
    let client = try FeedClient.scripted(transport, clock: clock)
    let target = Target(path: "qiita/items:events")
    let asking = Task { try await client.stream(of: target, headers: [:]) }
    await clock.sleepers(1)
    clock.advance(by: client.timeout)
    let error = await #expect(throws: TsugiError.self) { _ = try await asking.value }
    guard case .transport(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.reason == .timedOut)
  }
}

extension TransportStream {
  /// A reply as the whole of a stream.
  static func of(_ reply: TransportReply) -> TransportStream {
    let (body, part) = AsyncThrowingStream<Data, any Error>.makeStream()
    part.yield(reply.body)
    part.finish()
    return TransportStream(status: reply.status, headers: reply.headers, body: body)
  }
}
