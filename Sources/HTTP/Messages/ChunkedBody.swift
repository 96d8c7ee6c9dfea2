import Bytes

/// Reads a body in the chunked transfer coding (RFC 9112 §7.1), one piece of framing at a time.
///
/// Data goes to `take` as it comes. A size line, the CRLF behind data, and a trailer line are
/// looked at only when whole, so what comes out does not depend on how the input was split. A
/// chunk that would make the body too large is refused by its size line, before its data.
struct ChunkedBody {
  private enum Expecting: Equatable {
    case size
    case data(Int)
    case dataEnd
    case trailer
  }

  /// Hexadecimal digits of a chunk size, leading zeros aside: more could not be counted in an Int.
  private static let sizeDigitsMax = 15

  private var expecting = Expecting.size
  /// Bytes that the body may still have.
  private var bytesLeft: Int
  private var trailerBytes = 0
  private var trailerFields = 0

  /// A body that has not begun, of at most `bytesMax` bytes without its framing.
  init(bytesMax: Int) {
    bytesLeft = bytesMax
  }

  /// Reads on from `position`, which it moves; true when the body and its trailer have ended.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, from position: inout Int, limits: Limits,
    take: (Slice<UnsafeRawBufferPointer>) -> Void
  ) throws(Refusal) -> Bool {
    while true {
      switch expecting {
      case .data(let left):
        let piece = bytes[position...].prefix(left)
        take(piece)
        position = piece.endIndex
        guard piece.count == left else {
          expecting = .data(left - piece.count)
          return false
        }
        expecting = .dataEnd
      case .dataEnd:
        guard let end = try Self.lineEnd(bytes, position, bytesMax: 0) else { return false }
        position = end + 2
        expecting = .size
      case .size:
        guard let end = try Self.lineEnd(bytes, position, bytesMax: limits.chunkLineBytes)
        else { return false }
        let size = try Self.size(bytes[position..<end])
        position = end + 2
        guard size <= bytesLeft else { throw .bodyTooLarge }
        bytesLeft -= size
        expecting = size == 0 ? .trailer : .data(size)
      case .trailer:
        guard let isLast = try readTrailerLine(bytes, &position, limits) else { return false }
        if isLast { return true }
      }
    }
  }

  /// Checks a trailer line and drops it; true for the empty line, nil when it is not whole.
  private mutating func readTrailerLine(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int, _ limits: Limits
  ) throws(Refusal) -> Bool? {
    let left = limits.trailerBytes - trailerBytes
    guard let end = try Self.lineEnd(bytes, position, bytesMax: left, tooLong: .headTooLarge)
    else { return nil }
    let line = bytes[position..<end]
    position = end + 2
    if line.isEmpty { return true }
    trailerFields += 1
    trailerBytes += min(line.count + 2, left)
    guard trailerFields <= limits.fieldCount else { throw .tooManyFields }
    _ = try HeadParser.field(line)
    return false
  }

  /// Where the line at `start` ends, before its CRLF; nil when it may still become a good one.
  ///
  /// The first byte that cannot belong to a good line decides, wherever the input was split.
  private static func lineEnd(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, bytesMax: Int,
    tooLong: Refusal = .badRequest("A line of the chunked body does not end in time.")
  ) throws(Refusal) -> Int? {
    let window = bytes[start...].prefix(bytesMax + 1)
    if let lineFeed = window.firstIndex(of: Grammar.lineFeed) {
      guard lineFeed > start, bytes[lineFeed - 1] == Grammar.carriageReturn else {
        throw .badRequest("A line of the chunked body does not end in CRLF.")
      }
      return lineFeed - 1
    }
    guard let last = window.last, window.count > bytesMax else { return nil }
    guard last == Grammar.carriageReturn else { throw tooLong }
    guard window.endIndex < bytes.count else { return nil }
    guard bytes[window.endIndex] == Grammar.lineFeed else { throw tooLong }
    return window.endIndex - 1
  }

  /// chunk-size [ chunk-ext ]: 1*HEXDIG and what may stand behind it.
  private static func size(_ line: Slice<UnsafeRawBufferPointer>) throws(Refusal) -> Int {
    let digits = line.prefix { Grammar.hexValue($0) != nil }
    guard !digits.isEmpty, areExtensions(line[digits.endIndex...]) else {
      throw .badRequest("A chunk size is not a hexadecimal number.")
    }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    // Judged before anything is multiplied: "8000000000000000" is a peer's way to overflow.
    guard significant.count <= sizeDigitsMax else {
      throw .badRequest("A chunk size is too large.")
    }
    return significant.reduce(0) { $0 * 16 + (Grammar.hexValue($1) ?? 0) }
  }

  /// *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ) (RFC 9112 §7.1.1).
  private static func areExtensions(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    var rest = text
    while !rest.isEmpty {
      rest = rest.drop(while: FieldGrammar.isBlank)
      guard rest.first == UInt8(ascii: ";") else { return false }
      rest = rest.dropFirst().drop(while: FieldGrammar.isBlank)
      let name = rest.prefix(while: FieldGrammar.isToken)
      guard !name.isEmpty else { return false }
      rest = rest[name.endIndex...]
      let value = rest.drop(while: FieldGrammar.isBlank)
      guard value.first == UInt8(ascii: "=") else { continue }
      guard let end = valueEnd(value.dropFirst().drop(while: FieldGrammar.isBlank)) else {
        return false
      }
      rest = rest[end...]
    }
    return true
  }

  /// Where a token or a quoted-string at the beginning ends; nil when there is neither.
  private static func valueEnd(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard text.first == UInt8(ascii: "\"") else {
      let token = text.prefix(while: FieldGrammar.isToken)
      return token.isEmpty ? nil : token.endIndex
    }
    var rest = text.dropFirst()
    while let byte = rest.first {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: "\"") { return rest.startIndex }
      guard Grammar.isFieldContent(byte) else { return nil }
      guard byte == UInt8(ascii: "\\") else { continue }
      guard let escaped = rest.first, Grammar.isFieldContent(escaped) else { return nil }
      rest = rest.dropFirst()
    }
    return nil
  }
}
