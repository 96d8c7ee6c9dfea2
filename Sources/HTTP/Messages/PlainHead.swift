/// The head of a plain request, read where it lies: GET or HEAD of HTTP/1.1 without a body. A less
/// plain head takes the full parser.
///
/// It points into the loop's input and is valid only while the call lasts that was given it.
package struct PlainHead {
  /// A field whose value an answer may depend on.
  package enum Field: UInt8 {
    case host
    case authorization
    case acceptEncoding
    case ifNoneMatch
    case requestID
    case origin
    case forwardedFor
  }

  /// Whether the method is HEAD.
  package let isHead: Bool
  /// Whether it is the last one of its connection (RFC 9112 §9.6).
  package private(set) var closes = false
  /// Whether it says of what it has, or wants, more than there is a place for here: a part, another
  /// time, cookies.
  package private(set) var asksMore = false
  /// The client's address.
  package let peer: Peer
  /// The target as it was sent: begins with `/`.
  package let target: UnsafeRawBufferPointer
  /// The whole head as it was sent, with the empty line at its end.
  package let bytes: UnsafeRawBufferPointer
  private var host: FieldSpan?
  private var authorization: FieldSpan?
  private var acceptEncoding: FieldSpan?
  private var ifNoneMatch: FieldSpan?
  private var requestID: FieldSpan?
  private var origin: FieldSpan?
  private var forwardedFor: FieldSpan?

  /// Reads a whole head; nil when it is not plain. A plain head passes every test of ``Framing``
  /// and ``Target`` but the one for UTF-8, which a handler that finds the target known has made.
  init?(_ bytes: UnsafeRawBufferPointer, _ head: HeadParser, peer: Peer) {
    guard let line = head.requestLine, line.minorVersion == 1,
      bytes[line.target.lowerBound] == UInt8(ascii: "/")
    else { return nil }
    let method = UnsafeRawBufferPointer(rebasing: bytes[line.method])
    isHead = head.isHead
    guard isHead || method.elementsEqual("GET".utf8) else { return nil }
    self.peer = peer
    self.bytes = bytes
    target = UnsafeRawBufferPointer(rebasing: bytes[line.target])
    for span in head.spans {
      guard judge(span) else { return nil }
    }
    guard let host = self[.host], Grammar.isAuthority(host) else { return nil }
  }

  /// The value of a field; nil when it was not sent.
  package subscript(_ field: Field) -> UnsafeRawBufferPointer? {
    let span =
      switch field {
      case .host: host
      case .authorization: authorization
      case .acceptEncoding: acceptEncoding
      case .ifNoneMatch: ifNoneMatch
      case .requestID: requestID
      case .origin: origin
      case .forwardedFor: forwardedFor
      }
    return span.map { part($0.valueStart, $0.valueEnd) }
  }

  private func part(_ start: UInt32, _ end: UInt32) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<Int(end)])
  }

  /// Judges a field; false when it makes the request less plain. Names are distinguished by length
  /// first: most are none of these.
  private mutating func judge(_ span: FieldSpan) -> Bool {
    let name = part(span.nameStart, span.nameEnd)
    switch name.count {
    case 4 where Grammar.equalsIgnoringCase(name, "host"):
      return PlainHead.store(span, &host)
    case 6 where Grammar.equalsIgnoringCase(name, "origin"):
      return PlainHead.store(span, &origin)
    case 5:
      if Grammar.equalsIgnoringCase(name, "range") { asksMore = true }
      return true
    case 6:
      let saysMore =
        Grammar.equalsIgnoringCase(name, "pragma") || Grammar.equalsIgnoringCase(name, "cookie")
      if saysMore { asksMore = true }
      return !Grammar.equalsIgnoringCase(name, "expect")
    case 8:
      if Grammar.equalsIgnoringCase(name, "if-range") { asksMore = true }
      return !Grammar.equalsIgnoringCase(name, "if-match")
    case 10 where Grammar.equalsIgnoringCase(name, "connection"):
      let option = part(span.valueStart, span.valueEnd)
      if Grammar.equalsIgnoringCase(option, "close") {
        closes = true
        return true
      }
      return Grammar.equalsIgnoringCase(option, "keep-alive")
    case 12 where Grammar.equalsIgnoringCase(name, "x-request-id"):
      return PlainHead.store(span, &requestID)
    case 13 where Grammar.equalsIgnoringCase(name, "authorization"):
      return PlainHead.store(span, &authorization)
    case 13 where Grammar.equalsIgnoringCase(name, "if-none-match"):
      return PlainHead.store(span, &ifNoneMatch)
    case 13: return !Grammar.equalsIgnoringCase(name, "cache-control")
    case 14: return !Grammar.equalsIgnoringCase(name, "content-length")
    case 15 where Grammar.equalsIgnoringCase(name, "accept-encoding"):
      return PlainHead.store(span, &acceptEncoding)
    case 15 where Grammar.equalsIgnoringCase(name, "x-forwarded-for"):
      return PlainHead.store(span, &forwardedFor)
    case 17:
      if Grammar.equalsIgnoringCase(name, "if-modified-since") { asksMore = true }
      return !Grammar.equalsIgnoringCase(name, "transfer-encoding")
    default: return true
    }
  }

  /// A field that comes twice is not plain.
  private static func store(_ span: FieldSpan, _ place: inout FieldSpan?) -> Bool {
    defer { place = span }
    return place == nil
  }
}
