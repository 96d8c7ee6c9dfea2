public import Foundation

/// What carries requests to the server and replies back.
///
/// `URLSessionTransport` is the one for apps; tests take `ScriptedTransport` of
/// `TsugiClientTesting`. An implementation stops when its task is cancelled. It throws a
/// `TransportFailure` where it knows the reason; any other error counts as one without.
public protocol HTTPTransport: Sendable {
  /// Sends a request and gives the whole reply, of whatever status.
  func send(_ request: TransportRequest) async throws -> TransportReply

  /// Sends a request and gives the reply as soon as its head is there; the body comes in parts.
  func stream(_ request: TransportRequest) async throws -> TransportStream
}

/// A request without a body.
public struct TransportRequest: Hashable, Sendable {
  /// `GET`, or `POST` for what is to be done.
  public var method = "GET"
  /// Where it goes, with all parameters.
  public var url: URL
  /// Its header fields, by names in lower case.
  public var headers: [String: String]
  /// How long it may be silent before it fails.
  public var idleTimeout = Duration.seconds(45)

  /// A request from its parts.
  public init(url: URL, headers: [String: String] = [:]) {
    self.url = url
    self.headers = headers
  }
}

/// A whole reply.
public struct TransportReply: Hashable, Sendable {
  /// The HTTP status.
  public var status: Int
  /// Its header fields, by names in lower case.
  public var headers: [String: String]
  /// Its body, decompressed.
  public var body: Data

  /// A reply from its parts; names of headers may be in any case.
  public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
    self.status = status
    self.headers = Dictionary(
      headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { _, last in last })
    self.body = body
  }
}

/// A reply whose body goes on for long.
public struct TransportStream: Sendable {
  /// The most bytes that are read of an error's body.
  static let errorBytesMax = 1 << 16

  /// The HTTP status.
  public var status: Int
  /// Its header fields, by names in lower case.
  public var headers: [String: String]
  /// Its body, in parts as they come.
  public var body: AsyncThrowingStream<Data, any Error>

  /// A reply from its parts; names of headers may be in any case.
  public init(
    status: Int, headers: [String: String] = [:], body: AsyncThrowingStream<Data, any Error>
  ) {
    let head = TransportReply(status: status, headers: headers)
    self.status = status
    self.headers = head.headers
    self.body = body
  }

  /// The reply as a whole, as far as its body came and is not longer than an error's may be.
  func reply() async -> TransportReply {
    var bytes = Data()
    do {
      for try await part in body {
        bytes += part.prefix(Self.errorBytesMax - bytes.count)
        if bytes.count == Self.errorBytesMax { break }
      }
    } catch {
      // The status says what happened; a body cut short only says less of it.
      return TransportReply(status: status, headers: headers)
    }
    return TransportReply(status: status, headers: headers, body: bytes)
  }
}
