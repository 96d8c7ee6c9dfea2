public import Foundation

/// Why something asked of the server did not come. A cancelled task gets
/// `CancellationError`, as everywhere.
public enum TsugiError: Error, Hashable, Sendable {
  /// The request cannot be made: what is wrong with it. Asking again is of no use.
  case request(String)
  /// No answer came.
  case transport(TransportFailure)
  /// The server answered with an error.
  case status(StatusFailure)
  /// The answer cannot be read.
  case decoding(DecodingFailure)

  /// How long the server asks to wait before the next try.
  public var retryAfter: Duration? {
    if case .status(let failure) = self { failure.retryAfter } else { nil }
  }

  /// The status the server answered with.
  var status: Int? {
    if case .status(let failure) = self { failure.status } else { nil }
  }

  /// The server's code, where it is one of the contract known here.
  public var code: ProblemCode? {
    guard case .status(let failure) = self else { return nil }
    return failure.problem.flatMap { ProblemCode(rawValue: $0.code) }
  }

  /// Whether the same request may do better later.
  public var mayPass: Bool {
    switch self {
    case .request: false
    case .transport(let failure): failure.reason != .tooLarge
    case .decoding: true
    case .status(let failure): failure.status >= 500 || [408, 425, 429].contains(failure.status)
    }
  }

  /// Whether the place asked for is of a store that is no more.
  var meansLostPlace: Bool {
    switch code {
    case .cursorExpired, .cursorMismatch, .invalidCursor: true
    default: false
    }
  }

  /// What a transport threw, as an app gets it: a `TsugiError`, or `CancellationError`.
  static func translated(_ error: any Error) -> any Error {
    switch error {
    case is TsugiError, is CancellationError: error
    case let failure as TransportFailure where failure.reason == .cancelled: CancellationError()
    case let failure as TransportFailure: TsugiError.transport(failure)
    default: TsugiError.transport(TransportFailure(.other, String(describing: error)))
    }
  }
}

extension TsugiError: LocalizedError {
  /// What went wrong, in words for a log or an early version of an app: English, and no text that
  /// was asked for.
  public var errorDescription: String? {
    switch self {
    case .request(let reason): "The request cannot be made: \(reason)."
    case .transport(let failure): "No answer came: \(failure.detail)."
    case .status(let failure):
      "The server answered \(failure.status)\(failure.problem.map { ": \($0.title)" } ?? "")."
    case .decoding(let failure): "The answer cannot be read: \(failure)."
    }
  }
}

/// No answer came, and why.
public struct TransportFailure: Error, Hashable, Sendable {
  /// What happened, as far as an app would treat it differently.
  public enum Reason: Hashable, Sendable {
    /// The device has no network.
    case offline
    /// The server cannot be reached.
    case unreachable
    /// Nothing came for too long.
    case timedOut
    /// The connection broke.
    case interrupted
    /// No trust in the server's certificate, or none possible.
    case insecure
    /// The body of the reply has more bytes than are taken: `URLSessionTransport.bodyBytesMax`.
    case tooLarge
    /// The caller cancelled the request.
    case cancelled
    /// Anything else.
    case other
  }

  /// What happened.
  public var reason: Reason
  /// What happened, in words for a log.
  public var detail: String

  /// A failure from its parts.
  public init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }
}

/// The server answered with an error.
public struct StatusFailure: Hashable, Sendable {
  /// The HTTP status.
  public var status: Int
  /// What the server says of it; nil where something in between answered.
  public var problem: ProblemDetails?
  /// How long the server asks to wait before the next try.
  public var retryAfter: Duration?

  /// A failure from its parts.
  public init(status: Int, problem: ProblemDetails? = nil, retryAfter: Duration? = nil) {
    self.status = status
    self.problem = problem
    self.retryAfter = retryAfter
  }

  /// A failure out of a reply.
  init(_ reply: TransportReply) {
    status = reply.status
    // A body that is no problem document came from another server than ours.
    problem = try? JSONDecoder().decode(ProblemDetails.self, from: reply.body)
    retryAfter =
      RetryAfter.duration(in: reply)
      ?? problem?.retryAfterSeconds.map { RetryAfter.duration(seconds: Double($0)) }
  }
}

/// The answer cannot be read.
public struct DecodingFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where in the document, as keys and numbers; empty for the whole.
  public var path: String
  /// What is wrong there.
  public var reason: String

  /// A failure from its parts.
  public init(path: String = "", reason: String) {
    self.path = path
    self.reason = reason
  }

  /// What a decoder threw, without the values it met.
  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self.init(at: context.codingPath + [key], "is missing")
    case DecodingError.typeMismatch(let type, let context):
      self.init(at: context.codingPath, "is not \(type)")
    case DecodingError.valueNotFound(let type, let context):
      self.init(at: context.codingPath, "is null, not \(type)")
    case DecodingError.dataCorrupted(let context):
      self.init(at: context.codingPath, context.debugDescription)
    default:
      self.init(reason: String(describing: error))
    }
  }

  private init(at path: [any CodingKey], _ reason: String) {
    self.init(
      path: path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."),
      reason: reason)
  }

  /// Place and reason, for a log.
  public var description: String { path.isEmpty ? reason : "\(path) \(reason)" }
}

/// The header of the same name (RFC 9110 §10.2.3).
enum RetryAfter {
  /// How long to wait, as seconds or until a date; nil without a word of it.
  static func duration(in reply: TransportReply) -> Duration? {
    guard let value = reply.headers["retry-after"] else { return nil }
    if let seconds = Int(value.trimmingCharacters(in: .whitespaces)) {
      return duration(seconds: Double(seconds))
    }
    guard let until = date(value) else { return nil }
    // Measured by the server's own clock where it shows it: a phone's may be wrong.
    let now = reply.headers["date"].flatMap(date) ?? Date()
    return duration(seconds: until.timeIntervalSince(now))
  }

  /// A duration of whole seconds, 0 to 2³¹ − 1: no sum with it overflows.
  static func duration(seconds: Double) -> Duration {
    .seconds(min(max(0, seconds.rounded(.up)), Double(Int32.max)))
  }

  /// The forms a date can have: the one to send, and two that are still to be read (RFC 9110
  /// §5.6.7).
  private static let dateFormats = [
    "EEE, dd MMM yyyy HH:mm:ss zzz", "EEEE, dd-MMM-yy HH:mm:ss zzz", "EEE MMM d HH:mm:ss yyyy",
  ]

  private static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    for format in dateFormats {
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}
