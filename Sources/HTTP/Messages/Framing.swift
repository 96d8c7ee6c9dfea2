import Bytes

/// What a head says about the rest of its message and its connection, judged before anything
/// looks at the method's meaning or the path (RFC 9112 §6, §9.3; RFC 9110 §7.2, §10.1.1).
struct Framing: Equatable {
  enum Body: Equatable {
    case none
    case length(Int)
    case chunked
  }

  var body: Body
  /// The client wants, or its version means, that the connection ends after the answer.
  var closes: Bool
  /// The client waits for `100 Continue` before it sends the body.
  var expectsContinue: Bool

  /// Judges the fields of a head of HTTP/1.`minorVersion`.
  init(_ fields: Fields, minorVersion: Int) throws(Refusal) {
    var hosts = 0
    var lengths: [ArraySlice<UInt8>] = []
    var codings: [ArraySlice<UInt8>] = []
    var options: [ArraySlice<UInt8>] = []
    var expectations: [ArraySlice<UInt8>] = []
    for span in fields.spans {
      let name = fields.name(span)
      let value = fields.valueBytes(span)
      // Distinguished by length first: most names are none of these.
      switch name.count {
      case 4 where Grammar.equalsIgnoringCase(name, "host"):
        hosts += 1
        guard Grammar.isAuthority(value) else { throw .badRequest("The Host field is not valid.") }
      case 6 where Grammar.equalsIgnoringCase(name, "expect"):
        expectations.append(value)
      case 10 where Grammar.equalsIgnoringCase(name, "connection"):
        options.append(value)
      case 14 where Grammar.equalsIgnoringCase(name, "content-length"):
        lengths.append(value)
      case 17 where Grammar.equalsIgnoringCase(name, "transfer-encoding"):
        codings.append(value)
      default:
        break
      }
    }
    guard hosts == 1 || (hosts == 0 && minorVersion == 0) else {
      throw .badRequest("A request has exactly one Host field.")
    }
    body = try Self.body(lengths: lengths, codings: codings, minorVersion: minorVersion)
    closes = Self.closes(options, minorVersion: minorVersion)
    expectsContinue = try Self.expectsContinue(expectations, minorVersion: minorVersion)
  }

  /// RFC 9112 §6.3: a message whose length could be read in two ways is refused.
  private static func body(
    lengths: [ArraySlice<UInt8>], codings: [ArraySlice<UInt8>], minorVersion: Int
  ) throws(Refusal) -> Body {
    if !codings.isEmpty {
      guard minorVersion > 0, lengths.isEmpty else {
        throw .badRequest("Transfer-Encoding stands with Content-Length or in HTTP/1.0.")
      }
      return try transferCoding(codings)
    }
    guard let length = lengths.first else { return .none }
    guard lengths.count == 1, let bytes = contentLength(length) else {
      throw .badRequest("A request has at most one Content-Length, a whole number.")
    }
    return bytes == 0 ? .none : .length(bytes)
  }

  /// The one coding we undo is a single `chunked`, at the end (RFC 9112 §6.1, §7).
  private static func transferCoding(_ values: [ArraySlice<UInt8>]) throws(Refusal) -> Body {
    let codings = values.flatMap(elements)
    guard let last = codings.last, codings.allSatisfy({ isCoding($0) }) else {
      throw .badRequest("The Transfer-Encoding field is not valid.")
    }
    let chunked = codings.filter { Grammar.equalsIgnoringCase($0, "chunked") }.count
    if chunked == 1 && codings.count == 1 { return .chunked }
    guard chunked == 0 || (chunked == 1 && Grammar.equalsIgnoringCase(last, "chunked")) else {
      throw .badRequest("The chunked transfer coding is not the last one.")
    }
    throw .codingUnknown
  }

  /// transfer-coding without parameters to `chunked`, which has none (RFC 9112 §7.1).
  private static func isCoding(_ element: ArraySlice<UInt8>) -> Bool {
    let token = element.prefix(while: FieldGrammar.isToken)
    guard !token.isEmpty else { return false }
    let parameters = element[token.endIndex...].drop(while: FieldGrammar.isBlank)
    if parameters.isEmpty { return token.count == element.count }
    return parameters.first == UInt8(ascii: ";") && !Grammar.equalsIgnoringCase(token, "chunked")
  }

  /// 1*DIGIT (RFC 9110 §8.6), up to 18 of them so that it cannot overflow.
  private static func contentLength(_ value: ArraySlice<UInt8>) -> Int? {
    guard !value.isEmpty, value.count <= 18, value.allSatisfy(FieldGrammar.isDigit) else {
      return nil
    }
    return value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func closes(_ values: [ArraySlice<UInt8>], minorVersion: Int) -> Bool {
    let options = values.flatMap(elements)
    if options.contains(where: { Grammar.equalsIgnoringCase($0, "close") }) { return true }
    return minorVersion == 0
      && !options.contains { Grammar.equalsIgnoringCase($0, "keep-alive") }
  }

  private static func expectsContinue(
    _ values: [ArraySlice<UInt8>], minorVersion: Int
  ) throws(Refusal) -> Bool {
    guard minorVersion > 0 else { return false }
    let expectations = values.flatMap(elements).filter { !$0.isEmpty }
    guard expectations.allSatisfy({ Grammar.equalsIgnoringCase($0, "100-continue") }) else {
      throw .expectationFailed
    }
    return !expectations.isEmpty
  }

  /// Splits a list at its commas and takes the blanks off each element (RFC 9110 §5.6.1).
  private static func elements(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      var element = $0.drop(while: FieldGrammar.isBlank)
      while let last = element.last, FieldGrammar.isBlank(last) { element = element.dropLast() }
      return element
    }
  }
}
