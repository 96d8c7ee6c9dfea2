#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The network as an app has it.
///
/// Nothing is cached on the way: how old a slice is, the slice says itself. A redirect is followed
/// within the origin only, as an API key goes with it; another is the reply, of status 301 or so.
public struct URLSessionTransport: HTTPTransport {
  /// The most parts of a long reply that wait to be read; one more ends the reply with an error.
  static let unreadPartsMax = 1_024
  /// The most bytes that are waited for before they are a part.
  static let partBytesMax = 1 << 16

  /// The most bytes of a reply's body, decompressed, unless an app says otherwise: 64 MB.
  public static let bodyBytesMax = 64 << 20

  private let session: URLSession
  #if canImport(FoundationNetworking)
    private let replies: ReplySession
  #else
    private let bodyBytesMax: Int
  #endif

  /// A transport over a session of its own, of this configuration.
  ///
  /// - Parameters:
  ///   - configuration: nil for one without cookies and caches.
  ///   - bodyBytesMax: the most bytes of a reply's body; a larger one fails as
  ///     `TransportFailure.Reason.tooLarge`.
  public init(
    configuration: URLSessionConfiguration? = nil, bodyBytesMax: Int = Self.bodyBytesMax
  ) {
    let configuration = configuration ?? Self.ephemeral()
    self.init(session: URLSession(configuration: configuration), bodyBytesMax: bodyBytesMax)
  }

  /// A transport over a session that the app has already; on Linux, over one like it.
  public init(session: URLSession, bodyBytesMax: Int = Self.bodyBytesMax) {
    self.session = session
    #if canImport(FoundationNetworking)
      replies = ReplySession(
        configuration: session.configuration, bodyBytesMax: bodyBytesMax)
    #else
      self.bodyBytesMax = bodyBytesMax
    #endif
  }

  private static func ephemeral() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpCookieStorage = nil
    return configuration
  }

  /// Sends a request and gives the whole reply.
  ///
  /// - Throws: `TransportFailure`, of reason `tooLarge` where the body passes the limit.
  public func send(_ request: TransportRequest) async throws -> TransportReply {
    do {
      #if canImport(FoundationNetworking)
        let (body, response) = try await replies.reply(to: URLRequest(request))
      #else
        let (bytes, response) = try await session.bytes(
          for: URLRequest(request), delegate: RedirectGuard())
        var body = Data()
        for try await byte in bytes {
          guard body.count < bodyBytesMax else {
            throw TransportFailure(bodyBytesMax: bodyBytesMax)
          }
          body.append(byte)
        }
      #endif
      let head = try Self.head(of: response)
      return TransportReply(status: head.status, headers: head.headers, body: body)
    } catch {
      throw TransportFailure(session: error)
    }
  }

  /// Sends a request and gives the reply as soon as its head is there.
  ///
  /// - Throws: `TransportFailure`, as its body does.
  public func stream(_ request: TransportRequest) async throws -> TransportStream {
    #if canImport(FoundationNetworking)
      return try await StreamDelegate.stream(
        URLRequest(request), configuration: session.configuration)
    #else
      do {
        let (bytes, response) = try await session.bytes(
          for: URLRequest(request), delegate: RedirectGuard())
        let head = try Self.head(of: response)
        return TransportStream(
          status: head.status, headers: head.headers, body: Self.lines(of: bytes))
      } catch {
        throw TransportFailure(session: error)
      }
    #endif
  }

  #if !canImport(FoundationNetworking)
    /// The body line by line: nothing of an event is of use before its line is whole.
    private static func lines(
      of bytes: URLSession.AsyncBytes
    ) -> AsyncThrowingStream<Data, any Error> {
      let (body, parts) = Self.makeParts()
      let reading = Task {
        do {
          var line = Data()
          for try await byte in bytes {
            line.append(byte)
            let isWhole = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            guard isWhole || line.count == Self.partBytesMax else { continue }
            Self.hand(line, to: parts)
            line = Data()
          }
          Self.hand(line, to: parts)
          parts.finish()
        } catch {
          parts.finish(throwing: TransportFailure(session: error))
        }
      }
      parts.onTermination = { _ in reading.cancel() }
      return body
    }
  #endif

  /// A body in parts, so many of which may wait.
  static func makeParts() -> (
    body: AsyncThrowingStream<Data, any Error>,
    parts: AsyncThrowingStream<Data, any Error>.Continuation
  ) {
    let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream(
      bufferingPolicy: .bufferingOldest(unreadPartsMax))
    return (body, parts)
  }

  /// Hands a part over. A part that finds no room is lost, so the reply ends with it.
  static func hand(
    _ part: Data, to parts: AsyncThrowingStream<Data, any Error>.Continuation
  ) {
    guard case .dropped = parts.yield(part) else { return }
    parts.finish(throwing: TransportFailure(.interrupted, "\(unreadPartsMax) parts are unread"))
  }

  /// Status and header fields of a response.
  static func head(of response: URLResponse) throws -> (status: Int, headers: [String: String]) {
    guard let response = response as? HTTPURLResponse else {
      throw TransportFailure(.other, "the reply is not HTTP")
    }
    var headers: [String: String] = [:]
    for case (let name as String, let value as String) in response.allHeaderFields {
      headers[name.lowercased()] = value
    }
    return (response.statusCode, headers)
  }
}

/// Follows redirects within the origin of a request, and no others (RFC 9110 §15.4).
final class RedirectGuard: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(Self.follows(request.url, from: response.url) ? request : nil)
  }

  /// Whether both are of one scheme, host and port.
  static func follows(_ target: URL?, from source: URL?) -> Bool {
    guard let target = target.flatMap(origin), let source = source.flatMap(origin) else {
      return false
    }
    return target == source
  }

  private static func origin(_ url: URL) -> [String]? {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else {
      return nil
    }
    let ports = ["http": 80, "https": 443]
    return [scheme, host, String(url.port ?? ports[scheme] ?? 0)]
  }
}

extension URLRequest {
  /// A request for a session.
  init(_ request: TransportRequest) {
    self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
    // Set, and not given to the initializer: elsewhere than at Apple's that one is not heard.
    httpMethod = request.method
    timeoutInterval = Double(request.idleTimeout.components.seconds)
    for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
  }
}

extension TransportFailure {
  /// A body of more bytes than are taken.
  init(bodyBytesMax: Int) {
    self.init(.tooLarge, "the body has more than \(bodyBytesMax) bytes")
  }

  /// What a session threw.
  init(session error: any Error) {
    switch error {
    case let failure as TransportFailure: self = failure
    case is CancellationError: self.init(.cancelled, "cancelled")
    case let error as URLError: self.init(Self.reason(of: error.code), error.localizedDescription)
    default: self.init(.other, String(describing: error))
    }
  }

  private static func reason(of code: URLError.Code) -> Reason {
    #if canImport(FoundationNetworking)
      // All that can be known there of a connection that broke.
      if code == .unknown || code == .badServerResponse { return .interrupted }
    #endif
    return switch code {
    case .cancelled: .cancelled
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: .offline
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed: .unreachable
    case .timedOut: .timedOut
    case .networkConnectionLost: .interrupted
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
      .appTransportSecurityRequiresSecureConnection:
      .insecure
    default: .other
    }
  }
}
