public import Foundation

/// A Tsugi server as an app sees it.
///
/// This target is all an app imports: feeds and their slices here and in ``Feed``, an endless list
/// in ``PagedList``, the network behind ``HTTPTransport``. Nothing of the server is in it, and it
/// needs no other package. Every rule of the list is decided in `PagedState`, a value without clock
/// or network; read ``Feed`` next.
///
///     let client = FeedClient(baseURL: URL(string: "https://api.example")!)
///     for try await item in client.feed("qiita/items", of: QiitaItem.self).items {
///       print(item.title)
///     }
public struct FeedClient: Sendable {
  /// Where the server is; a path is kept, as behind a proxy.
  public let baseURL: URL
  /// How long a request may take in all, 60 s unless changed.
  public var timeout: Duration
  /// How often and after how long a failed request is made again.
  public var backoff: Backoff
  /// What makes the decoder that items are read with: ISO 8601 dates unless changed.
  public var makeDecoder: @Sendable () -> JSONDecoder
  /// Header fields that each request has besides, asked for each time: for a key that changes, or
  /// what something in between wants. A name that the client sends itself is replaced. What it
  /// throws fails the request as if no answer came. The time it takes counts in ``timeout``.
  public var headers: @Sendable () async throws -> [String: String]
  /// The clock that pauses and deadlines are measured with.
  public var clock: any Clock<Duration>
  /// What happens, for an app's log; called from any thread, soon after it happened.
  public var log: (@Sendable (FeedEvent) -> Void)?

  private let apiKey: Secret?
  private let transport: any HTTPTransport

  /// A client of the server at a URL, which wants `apiKey` where it has any. What else it takes is
  /// described at the properties of the same names.
  public init(
    baseURL: URL, apiKey: String? = nil, transport: any HTTPTransport = URLSessionTransport(),
    timeout: Duration = .seconds(60), backoff: Backoff = Backoff(),
    clock: any Clock<Duration> = ContinuousClock(),
    makeDecoder: @escaping @Sendable () -> JSONDecoder = FeedClient.decoder,
    headers: @escaping @Sendable () async throws -> [String: String] = { [:] },
    log: (@Sendable (FeedEvent) -> Void)? = nil
  ) {
    self.baseURL = baseURL
    self.apiKey = apiKey.map(Secret.init)
    self.transport = transport
    self.timeout = timeout
    self.backoff = backoff
    self.clock = clock
    self.makeDecoder = makeDecoder
    self.headers = headers
    self.log = log
  }

  /// A feed of the server: source and path as in its URL, without `/v1/`.
  ///
  /// What is interpolated into the path stays one part: `"qiita/tags/\(tag)/items"` is right for
  /// the tag `CI/CD`. `limit` is how many items a slice holds, 1 to 100. `parameters` are what the
  /// source itself takes (`["state": "paid"]`). `fields` cuts each item to these paths (`user.id`),
  /// its identity is always kept.
  public func feed<Item>(
    _ path: FeedPath, of type: Item.Type = Item.self, limit: Int = 20, query: String? = nil,
    parameters: [String: String] = [:], fields: [String] = []
  ) -> Feed<Item> {
    Feed(
      client: self, path: path, limit: limit, query: query, parameters: parameters, fields: fields)
  }

  /// One item by itself: source and path as in its URL, without `/v1/`:
  /// `"qiita/items/\(id)"`.
  ///
  /// - Throws: `TsugiError`, `CancellationError`; the error's code is `item_not_found` where there
  ///   is none, `item_deleted` where there was one.
  public func item<Item: Decodable>(
    _ path: FeedPath, of type: Item.Type = Item.self
  ) async throws -> Item {
    let body = try await body(of: Target(path: try path.encoded()))
    return try decode(type, from: body)
  }

  /// Reads what the server wrote.
  ///
  /// - Throws: `.decoding`.
  func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
    do {
      return try makeDecoder().decode(type, from: body)
    } catch {
      throw TsugiError.decoding(DecodingFailure(error))
    }
  }

  /// A decoder as an app's own `Codable` types mostly want it: ISO 8601 dates, with or without
  /// fractions of a second.
  @Sendable public static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = Date(rfc3339: text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date")
      }
      return date
    }
    return decoder
  }

  /// Asks for a target and gives the body of a good reply.
  func body(of target: Target, method: String = "GET") async throws -> Data {
    let url = try target.url(below: baseURL)
    let reply: TransportReply
    let age = clock.stopwatch()
    do {
      reply = try await withDeadline {
        var request = try await self.request(url, accept: "application/json")
        request.method = method
        return try await transport.send(request)
      }
    } catch {
      log?(.requested(target, status: nil, bytes: 0, took: age()))
      throw TsugiError.translated(error)
    }
    log?(.requested(target, status: reply.status, bytes: reply.body.count, took: age()))
    guard (200..<300).contains(reply.status) else { throw TsugiError.status(StatusFailure(reply)) }
    return reply.body
  }

  /// Opens a reply that goes on for long; its body comes in parts.
  func stream(
    of target: Target, headers: [String: String]
  ) async throws -> TransportStream {
    let url = try target.url(below: baseURL)
    let stream: TransportStream
    let age = clock.stopwatch()
    do {
      stream = try await withDeadline {
        var request = try await self.request(url, accept: "text/event-stream")
        request.headers.merge(headers) { _, new in new }
        let stream = try await transport.stream(request)
        guard (200..<300).contains(stream.status) else {
          throw TsugiError.status(StatusFailure(await stream.reply()))
        }
        return stream
      }
    } catch {
      let failure = TsugiError.translated(error)
      let status = (failure as? TsugiError)?.status
      log?(.requested(target, status: status, bytes: 0, took: age()))
      throw failure
    }
    log?(.requested(target, status: stream.status, bytes: 0, took: age()))
    // A page that asks to log in sends no events, nor does anything else in between.
    let type = stream.headers["content-type"]?.lowercased() ?? "text/event-stream"
    guard stream.status == 204 || type.hasPrefix("text/event-stream") else {
      throw TsugiError.decoding(DecodingFailure(reason: "is \(type), not events"))
    }
    return stream
  }

  private func request(_ url: URL, accept: String) async throws -> TransportRequest {
    var fields = ["accept": accept]
    if let apiKey { fields["authorization"] = "Bearer \(apiKey.value)" }
    for (name, value) in try await headers() { fields[name.lowercased()] = value }
    for (name, value) in fields where value.unicodeScalars.contains(where: \.isControl) {
      // A transport would leave it out, and the server would refuse a request without a key.
      throw TsugiError.request("the header \(name) has a line break or another control character")
    }
    return TransportRequest(url: url, headers: fields)
  }

  /// Runs `body`, but no longer than `timeout`.
  private func withDeadline<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body() }
      group.addTask {
        try await sleep(for: timeout)
        throw TransportFailure(.timedOut, "no answer within \(timeout)")
      }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns how long ago it was made.
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}

/// A text that is not printed.
private struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
  let value: String

  var description: String { "…" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension Unicode.Scalar {
  /// Whether no header's value has it (RFC 9110, 5.5).
  fileprivate var isControl: Bool { value < 0x20 && value != 0x09 || value == 0x7F }
}
