import Foundation
public import TsugiClient

/// A network that answers as a test lays down, and keeps what it was asked.
///
///     let transport = ScriptedTransport()
///     transport.next(.slice(of: [#"{"id":"a"}"#], hasMore: false))
///     let client = FeedClient(baseURL: url, transport: transport)
///
/// Answers that were laid down are given in order. When none is left, `answer` decides; without one
/// the request fails as unreachable.
///
/// Safe because all that changes is touched under the lock only.
public final class ScriptedTransport: HTTPTransport, @unchecked Sendable {
  /// What answers when nothing is laid down.
  public typealias Answering = @Sendable (TransportRequest) async throws -> TransportReply

  private let lock = NSLock()
  private var answer: Answering?
  private var script: [Result<TransportReply, TransportFailure>] = []
  private var streams: [Result<TransportStream, TransportFailure>] = []
  private var asked: [TransportRequest] = []
  /// What stays open as long as the network.
  private var openEvents: [AsyncThrowingStream<Data, any Error>.Continuation] = []
  private var isHolding = false
  private var held: [Int: CheckedContinuation<Void, any Error>] = [:]
  private var givenUp: Set<Int> = []
  /// Requests that were released before they could be held.
  private var released: Set<Int> = []
  private var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []

  /// A network that answers by a function, or not at all.
  public init(_ answer: Answering? = nil) {
    self.answer = answer
  }

  /// The requests so far, in order.
  public var requests: [TransportRequest] { lock.withLock { asked } }

  /// Lays down an answer, after those laid down already.
  public func next(_ reply: TransportReply) {
    lock.withLock { script.append(.success(reply)) }
  }

  /// Lays down a failure, after what is laid down already.
  public func next(_ failure: TransportFailure) {
    lock.withLock { script.append(.failure(failure)) }
  }

  /// Lays down a long reply in these parts; then it ends.
  public func nextStream(
    status: Int = 200, headers: [String: String] = [:], _ parts: [String],
    then failure: TransportFailure? = nil
  ) {
    let (body, sending) = AsyncThrowingStream<Data, any Error>.makeStream()
    for part in parts { sending.yield(Data(part.utf8)) }
    sending.finish(throwing: failure)
    nextStream(TransportStream(status: status, headers: headers, body: body))
  }

  /// Lays down a connection for events that sends these changes, each given as JSON
  /// (`{"op":"delete","seq":"epoch.2","id":"a"}`); it stays open, or ends after the last.
  public func nextEvents(_ changes: [String], staysOpen: Bool = true) {
    let (body, sending) = AsyncThrowingStream<Data, any Error>.makeStream()
    for change in changes {
      let seq = change.firstMatch(of: /"seq"\s*:\s*"([^"]*)"/).map { "id: \($0.1)\n" } ?? ""
      let lines = change.split(separator: "\n").map { "data: \($0)\n" }.joined()
      sending.yield(Data("\(seq)\(lines)\n".utf8))
    }
    if staysOpen {
      lock.withLock { openEvents.append(sending) }
    } else {
      sending.finish()
    }
    nextStream(TransportStream(status: 200, body: body))
  }

  /// Lays down a long reply.
  public func nextStream(_ stream: TransportStream) {
    lock.withLock { streams.append(.success(stream)) }
  }

  /// Lays down that a long reply fails.
  public func nextStream(_ failure: TransportFailure) {
    lock.withLock { streams.append(.failure(failure)) }
  }

  /// Keeps requests waiting from now on, until they are released.
  public func hold() {
    lock.withLock { (isHolding, released) = (true, []) }
  }

  /// Lets those go on that wait, and all after them.
  public func release() {
    let waiting = lock.withLock {
      isHolding = false
      defer { held = [:] }
      return held
    }
    for wake in waiting.values { wake.resume() }
  }

  /// Lets one request go on, by its number from 0, also one that is still to come; those after it
  /// still wait.
  public func release(_ number: Int) {
    let wake = lock.withLock {
      if held[number] == nil { released.insert(number) }
      return held.removeValue(forKey: number)
    }
    wake?.resume()
  }

  /// Waits until so many requests were made in all.
  public func requests(_ count: Int) async {
    await withCheckedContinuation { wake in
      let isThere = lock.withLock {
        if asked.count >= count { return true }
        watchers.append((count, wake))
        return false
      }
      if isThere { wake.resume() }
    }
  }

  /// Answers a request as laid down.
  ///
  /// - Throws: what was laid down, or `CancellationError` where the task was cancelled meanwhile.
  public func send(_ request: TransportRequest) async throws -> TransportReply {
    try await note(request)
    let (scripted, answer) = lock.withLock {
      (script.isEmpty ? nil : script.removeFirst(), self.answer)
    }
    if let scripted { return try scripted.get() }
    guard let answer else { throw TransportFailure(.unreachable, "nothing is laid down") }
    return try await answer(request)
  }

  /// Answers a request for a long reply as laid down.
  ///
  /// - Throws: what was laid down.
  public func stream(_ request: TransportRequest) async throws -> TransportStream {
    try await note(request)
    let scripted = lock.withLock { streams.isEmpty ? nil : streams.removeFirst() }
    guard let scripted else { throw TransportFailure(.unreachable, "nothing is laid down") }
    return try scripted.get()
  }

  /// Keeps a request, wakes who counts, and waits while requests are held.
  ///
  /// - Throws: `CancellationError` where the task is cancelled meanwhile.
  private func note(_ request: TransportRequest) async throws {
    let (number, isHeld, ready) = lock.withLock {
      asked.append(request)
      let ready = watchers.filter { $0.count <= asked.count }
      watchers.removeAll { $0.count <= asked.count }
      return (asked.count - 1, isHolding, ready.map(\.wake))
    }
    for wake in ready { wake.resume() }
    if isHeld { try await wait(number) }
    try Task.checkCancellation()
  }

  private func wait(_ number: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wake in
        let goesOn = lock.withLock {
          guard isHolding, !released.contains(number), givenUp.remove(number) == nil
          else { return true }
          held[number] = wake
          return false
        }
        if goesOn { wake.resume() }
      }
    } onCancel: {
      let wake = lock.withLock {
        if held[number] == nil { givenUp.insert(number) }
        return held.removeValue(forKey: number)
      }
      wake?.resume(throwing: CancellationError())
    }
  }
}
