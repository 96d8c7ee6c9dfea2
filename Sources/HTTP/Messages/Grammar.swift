import Bytes
import Glibc

/// The byte classes of RFC 9110 §5.6 and RFC 3986 §2 that the parsers share.
enum Grammar {
  static let space: UInt8 = 0x20
  static let tab: UInt8 = 0x09
  static let carriageReturn: UInt8 = 0x0D
  static let lineFeed: UInt8 = 0x0A

  /// token (RFC 9110 §5.6.2).
  static func isToken(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { !$0.isEmpty && $0.allSatisfy { FieldGrammar.isToken($0) } }
  }

  /// What a field value may hold: visible bytes, space, tab, and bytes of 0x80 and above.
  static func isFieldContent(_ byte: UInt8) -> Bool {
    byte >= space ? byte != 0x7F : byte == tab
  }

  /// Whether every byte is what a field value may hold.
  static func isFieldContent(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    // Tabs are rare.
    !UnsafeRawBufferPointer(rebasing: bytes).bindMemory(to: UInt8.self)
      .holds(below: space, or: 0x7F, 0x7F) || bytes.allSatisfy { isFieldContent($0) }
  }

  /// What a request target may hold. Wider than RFC 3986: browsers send `|` or `"` as they are,
  /// and curl sends UTF-8 as it is; a control, a space or a fragment is still refused.
  static func isTarget(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    !UnsafeRawBufferPointer(rebasing: bytes).bindMemory(to: UInt8.self)
      .holds(below: space + 1, or: 0x7F, UInt8(ascii: "#"))
  }

  /// reg-name (RFC 3986 §3.2.2) but for its percent-encoding.
  static func isHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // ! $ & ' ( ) * + , - . ; = _ ~
    case 0x21, 0x24, 0x26...0x2E, 0x3B, 0x3D, 0x5F, 0x7E: true
    default: false
    }
  }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  static func hexValue(_ byte: UInt8) -> Int? {
    if FieldGrammar.isDigit(byte) { return Int(byte &- 0x30) }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? Int(letter) + 10 : nil
  }

  /// An ASCII letter in lower case; any other byte as it is. As in `ASCII`, but compiled
  /// into the parser: called across targets for each byte of a name it takes 2 % of a slice.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  static func equalsIgnoringCase(_ bytes: some Collection<UInt8>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    var other = text.utf8Start
    for byte in bytes {
      guard lowercased(byte) == lowercased(other.pointee) else { return false }
      other += 1
    }
    return true
  }

  /// uri-host [ ":" port ] (RFC 9110 §7.2): a name, an IPv4 address or an address in brackets,
  /// never empty, without user information, the port up to 65535.
  static func isAuthority(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first else { return false }
    var rest = bytes[...]
    if first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
        isAddress(bytes[bytes.index(after: bytes.startIndex)..<end])
      else { return false }
      rest = bytes[bytes.index(after: end)...]
    } else {
      let name = bytes.prefix { $0 != UInt8(ascii: ":") }
      guard !name.isEmpty, isName(name) else { return false }
      rest = bytes[name.endIndex...]
    }
    guard let colon = rest.first else { return true }
    return colon == UInt8(ascii: ":") && isPort(rest.dropFirst())
  }

  /// reg-name (RFC 3986 §3.2.2).
  private static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    var digitsDue = 0
    for byte in bytes {
      if digitsDue > 0 {
        guard hexValue(byte) != nil else { return false }
        digitsDue -= 1
      } else if byte == UInt8(ascii: "%") {
        digitsDue = 2
      } else {
        guard isHost(byte) else { return false }
      }
    }
    return digitsDue == 0
  }

  /// IPv6address or IPvFuture (RFC 3986 §3.2.2), without the brackets.
  private static func isAddress(_ bytes: some Collection<UInt8>) -> Bool {
    if let first = bytes.first, first | 0x20 == UInt8(ascii: "v") {
      let version = bytes.dropFirst().prefix { hexValue($0) != nil }
      let rest = bytes[version.endIndex...]
      return !version.isEmpty && rest.first == UInt8(ascii: ".") && rest.count > 1
        && rest.allSatisfy { isHost($0) || $0 == UInt8(ascii: ":") }
    }
    let letters = [UInt8(ascii: ":"), UInt8(ascii: ".")]
    guard bytes.count < Int(INET6_ADDRSTRLEN),
      bytes.allSatisfy({ hexValue($0) != nil || letters.contains($0) })
    else { return false }
    var address = in6_addr()
    return inet_pton(AF_INET6, String(decoding: bytes, as: UTF8.self), &address) == 1
  }

  private static func isPort(_ bytes: some Collection<UInt8>) -> Bool {
    let digits = bytes.drop { $0 == UInt8(ascii: "0") }
    guard digits.count <= 5, digits.allSatisfy(FieldGrammar.isDigit) else { return false }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65535
  }
}

extension UnsafeRawBufferPointer {
  /// Where a byte comes first within a range; nil where it does not.
  func index(of byte: UInt8, in range: Range<Int>) -> Int? {
    guard let base = baseAddress else { return nil }
    return memchr(base + range.lowerBound, Int32(byte), range.count)
      .map { UnsafeRawPointer($0) - base }
  }
}
