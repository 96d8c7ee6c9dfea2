import Bytes

/// Reads a request head line by line (RFC 9112 §2 to §5), remembering how far it came.
///
/// It is given all bytes since the head began, every time more have come, and keeps positions
/// only. Each line is judged once, when its LF has been seen, and each bound is a rule about the
/// number of bytes before an LF; so the outcome does not depend on how the input was split.
struct HeadParser {
  enum Outcome: Equatable {
    case incomplete
    /// The head is whole and is this many bytes long, leading empty lines included.
    case complete(length: Int)
    case refused(Refusal)
  }

  /// The parts of the request line, as positions in the head's bytes.
  struct RequestLine: Equatable {
    var method: Range<Int>
    var target: Range<Int>
    var minorVersion: Int
  }

  /// Empty lines before the request line that are skipped (RFC 9112 §2.2); one more is 400.
  static let leadingLinesMax = 4

  private(set) var requestLine: RequestLine?
  /// Whether what has come of the request line names HEAD, be the rest of it as it may: then no
  /// answer has a body.
  private(set) var isHead = false
  private(set) var spans: [FieldSpan] = []
  private var headStart = 0
  private var lineStart = 0
  private var scanned = 0
  private var leadingLines = 0

  /// Whether a byte of the request line has been seen.
  var hasBegun: Bool { scanned > headStart }

  /// Whether no byte has been read, not even of an empty line.
  var isUntouched: Bool { scanned == 0 }

  /// Forgets everything but the memory of its list.
  mutating func reset() {
    requestLine = nil
    isHead = false
    spans.removeAll(keepingCapacity: true)
    headStart = 0
    lineStart = 0
    scanned = 0
    leadingLines = 0
  }

  /// Goes on with `bytes`, which begin where the head began, bounded by `limits`.
  mutating func parse(_ bytes: UnsafeRawBufferPointer, limits: Limits) -> Outcome {
    do throws(Refusal) {
      while let lineEnd = try nextLineEnd(in: bytes, limits) {
        let line = bytes[lineStart..<lineEnd]
        if requestLine == nil {
          try parseRequestLine(line)
        } else if line.isEmpty {
          return .complete(length: lineEnd + 2)
        } else {
          try parseField(line, limits)
        }
        lineStart = lineEnd + 2
      }
      return .incomplete
    } catch {
      return .refused(error)
    }
  }

  /// Finds where the line at `lineStart` ends, before its CRLF; nil when that has not come yet.
  private mutating func nextLineEnd(
    in bytes: UnsafeRawBufferPointer, _ limits: Limits
  ) throws(Refusal) -> Int? {
    guard lineStart < bytes.count else { return nil }
    let lineFeed = bytes.index(
      of: Grammar.lineFeed, in: max(scanned, lineStart)..<bytes.count)
    scanned = lineFeed.map { $0 + 1 } ?? bytes.count
    if requestLine == nil {
      isHead = bytes[lineStart...].starts(with: "HEAD ".utf8)
      try checkFirstByte(bytes[lineStart])
      guard scanned - lineStart <= limits.requestLineBytes + 2 else {
        throw .requestLineTooLong
      }
    }
    guard scanned - headStart <= limits.headBytes else { throw .headTooLarge }
    guard let lineFeed else { return nil }
    guard lineFeed > lineStart, bytes[lineFeed - 1] == Grammar.carriageReturn else {
      throw .badRequest("A line of the head does not end in CRLF.")
    }
    return lineFeed - 1
  }

  /// Refuses at the first byte what is no HTTP at all, such as a TLS hello.
  private func checkFirstByte(_ byte: UInt8) throws(Refusal) {
    guard FieldGrammar.isToken(byte) || byte == Grammar.carriageReturn else {
      throw .badRequest("The request line does not begin with a method.")
    }
  }

  private mutating func parseRequestLine(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) {
    if line.isEmpty {
      leadingLines += 1
      guard leadingLines <= Self.leadingLinesMax else {
        throw .badRequest("There are too many empty lines before the request line.")
      }
      headStart = line.endIndex + 2
      return
    }
    requestLine = try Self.requestLine(line)
  }

  /// method SP request-target SP HTTP-version (RFC 9112 §3), with exactly these two spaces.
  private static func requestLine(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(Refusal) -> RequestLine {
    let method = line.prefix(while: FieldGrammar.isToken)
    let rest = line[method.endIndex...].dropFirst()
    let targetEnd =
      rest.base.index(of: Grammar.space, in: rest.startIndex..<rest.endIndex) ?? rest.endIndex
    guard !method.isEmpty, rest.startIndex < targetEnd, targetEnd + 1 < line.endIndex,
      line[method.endIndex] == Grammar.space, Grammar.isTarget(line[rest.startIndex..<targetEnd])
    else { throw .badRequest("The request line is not a method, a target and a version.") }
    return RequestLine(
      method: method.startIndex..<method.endIndex, target: rest.startIndex..<targetEnd,
      minorVersion: try minorVersion(line[(targetEnd + 1)...]))
  }

  /// "HTTP/" DIGIT "." DIGIT (RFC 9112 §2.3); a later 1.x is read as 1.1.
  private static func minorVersion(
    _ version: Slice<UnsafeRawBufferPointer>
  ) throws(Refusal) -> Int {
    let digits = version.dropFirst(5)
    guard version.count == 8, version.starts(with: "HTTP/".utf8),
      let major = digits.first, FieldGrammar.isDigit(major), digits.dropFirst().first == 0x2E,
      let minor = digits.last, FieldGrammar.isDigit(minor)
    else { throw .badRequest("The request line does not end in an HTTP version.") }
    guard major == UInt8(ascii: "1") else { throw .versionNotSupported }
    return minor == UInt8(ascii: "0") ? 0 : 1
  }

  private mutating func parseField(
    _ line: Slice<UnsafeRawBufferPointer>, _ limits: Limits
  ) throws(Refusal) {
    guard spans.count < limits.fieldCount else { throw .tooManyFields }
    spans.append(try Self.field(line))
  }

  /// field-name ":" OWS field-value OWS (RFC 9112 §5), without line folding (§5.2).
  static func field(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) -> FieldSpan {
    let name = line.prefix(while: FieldGrammar.isToken)
    guard !name.isEmpty, name.endIndex < line.endIndex,
      line[name.endIndex] == UInt8(ascii: ":")
    else { throw .badRequest("A field line does not begin with a name and a colon.") }
    var value = line[name.endIndex...].dropFirst()
    guard Grammar.isFieldContent(value) else {
      throw .badRequest("A field value holds a control byte.")
    }
    while let last = value.last, FieldGrammar.isBlank(last) { value = value.dropLast() }
    while let first = value.first, FieldGrammar.isBlank(first) { value = value.dropFirst() }
    return FieldSpan(
      nameStart: UInt32(name.startIndex), nameEnd: UInt32(name.endIndex),
      valueStart: UInt32(value.startIndex), valueEnd: UInt32(value.endIndex))
  }
}
