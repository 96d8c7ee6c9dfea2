import Bytes

/// Encodes responses as HTTP/1.1 messages into one buffer that its loop reuses.
struct ResponseEncoder {
  /// What the answer owes to its request and connection.
  struct Context {
    var isHead = false
    var minorVersion = 1
    var closes = false
  }

  /// Bodies up to this size are copied behind their head, larger ones are sent from where they
  /// lie: copying is cheaper than a second segment only while it is small.
  static let copiedBodyBytesMax = 4 * 1024

  /// The buffer keeps its memory up to this size.
  private static let keptBytesMax = 128 * 1024

  /// Encoded, not yet sent.
  private(set) var bytes: [UInt8] = []

  /// Adds an answer and gives its body back when that is to be sent from where it lies.
  mutating func append(
    _ response: Response, _ context: Context, dateLine: [UInt8]
  ) -> [UInt8] {
    appendHead(response, context, dateLine: dateLine)
    guard !context.isHead, !response.status.isBodiless else { return [] }
    guard response.body.count <= Self.copiedBodyBytesMax else { return response.body }
    bytes.append(contentsOf: response.body)
    return []
  }

  /// Adds bytes as they are.
  mutating func append(_ raw: some Collection<UInt8>) {
    bytes.append(contentsOf: raw)
  }

  /// Forgets what has been sent; keeps the memory unless a rare large answer made it big.
  mutating func reset() {
    guard !bytes.isEmpty else { return }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
  }

  /// Adds a whole number's digits.
  mutating func append(_ number: Int64) {
    withDecimalDigits(of: number) { bytes.append(contentsOf: $0) }
  }

  /// Adds the head of an answer whose body goes on.
  mutating func appendHead(
    ofStream response: Response, _ context: Context, dateLine: [UInt8]
  ) {
    appendStatusLine(response.status)
    let hasDate = appendFields(response.fields)
    if context.minorVersion > 0 { append("Transfer-Encoding: chunked\r\n".utf8) }
    appendEnd(context, dateLine: hasDate ? [] : dateLine)
  }

  private mutating func appendHead(
    _ response: Response, _ context: Context, dateLine: [UInt8]
  ) {
    appendStatusLine(response.status)
    let hasDate = appendLines(of: response, isHead: context.isHead)
    appendEnd(context, dateLine: hasDate ? [] : dateLine)
  }

  private mutating func appendEnd(_ context: Context, dateLine: [UInt8]) {
    append(dateLine)
    if context.closes {
      append("Connection: close\r\n".utf8)
    } else if context.minorVersion == 0 {
      append("Connection: keep-alive\r\n".utf8)
    }
    append("\r\n".utf8)
  }

  /// Adds an interim answer, whole.
  mutating func append(_ interim: InterimResponse) {
    append("HTTP/1.1 \(interim.code) \(interim.reason)\r\n".utf8)
    _ = appendFields(interim.fields)
    append("\r\n".utf8)
  }

  /// Adds the first line.
  mutating func appendStatusLine(_ status: Status) {
    if status.code == 200 {
      append("HTTP/1.1 200 OK\r\n".utf8)
    } else {
      append("HTTP/1.1 \(status.code) \(status.reason)\r\n".utf8)
    }
  }

  /// Adds the handler's fields and Content-Length; returns whether Date was there.
  mutating func appendLines(of response: Response, isHead: Bool = false) -> Bool {
    let hasDate = appendFields(response.fields)
    if !response.status.isBodiless {
      append("Content-Length: ".utf8)
      let announced = isHead ? response.announcedBytes : nil
      append(Int64(announced ?? response.body.count))
      append("\r\n".utf8)
    }
    return hasDate
  }

  /// Adds the handler's lines but those that belong to the server; returns whether one was Date.
  private mutating func appendFields(_ fields: Fields) -> Bool {
    let hasDate = fields.contains("Date")
    if let lines = fields.wireLines(withoutNamesOf: Self.ownNameLengths) {
      append(lines)
      return hasDate
    }
    for span in fields.spans {
      let name = fields.name(span)
      if Self.isOwn(name) { continue }
      if fields.isWireFormat {
        append(fields.wireLine(span))
        continue
      }
      append(name)
      append(": ".utf8)
      append(fields.valueBytes(span))
      append("\r\n".utf8)
    }
    return hasDate
  }

  /// How long the names are that ``isOwn(_:)`` looks at.
  private static let ownNameLengths = [10, 14, 17]

  private static func isOwn(_ name: ArraySlice<UInt8>) -> Bool {
    switch name.count {
    case 10:
      Grammar.equalsIgnoringCase(name, "connection")
        || Grammar.equalsIgnoringCase(name, "keep-alive")
    case 14: Grammar.equalsIgnoringCase(name, "content-length")
    case 17: Grammar.equalsIgnoringCase(name, "transfer-encoding")
    default: false
    }
  }
}
