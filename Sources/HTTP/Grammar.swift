/// The byte classes of RFC 9110 §5.6 and RFC 3986 §2 that the parsers share.
enum Grammar {
  static let space: UInt8 = 0x20
  static let tab: UInt8 = 0x09
  static let carriageReturn: UInt8 = 0x0D
  static let lineFeed: UInt8 = 0x0A

  /// tchar (RFC 9110 §5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // ! # $ % & ' * + - . ^ _ ` | ~
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// token (RFC 9110 §5.6.2).
  static func isToken(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { !$0.isEmpty && $0.allSatisfy { isToken($0) } }
  }

  /// What a field value may hold: visible bytes, space, tab, and bytes of 0x80 and above.
  static func isFieldContent(_ byte: UInt8) -> Bool {
    byte >= space ? byte != 0x7F : byte == tab
  }

  /// What a request target may hold. Wider than RFC 3986: browsers send `|` or `"` as they are,
  /// and curl sends UTF-8 as it is; a control, a space or a fragment is still refused.
  static func isTarget(_ byte: UInt8) -> Bool {
    byte > space && byte != 0x7F && byte != UInt8(ascii: "#")
  }

  /// reg-name (RFC 3986 §3.2.2), taking `%` without looking at the digits behind it.
  static func isHost(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    // ! $ % & ' ( ) * + , - . ; = _ ~
    case 0x21, 0x24...0x2E, 0x3B, 0x3D, 0x5F, 0x7E: true
    default: false
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func hexValue(_ byte: UInt8) -> Int? {
    if isDigit(byte) { return Int(byte &- 0x30) }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? Int(letter) + 10 : nil
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  static func equalsIgnoringCase(_ bytes: some Collection<UInt8>, _ text: String) -> Bool {
    let other = text.utf8
    guard bytes.count == other.count else { return false }
    return zip(bytes, other).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// uri-host [ ":" port ] (RFC 9110 §7.2): a name, an IPv4 address or a bracketed IPv6 address,
  /// never empty, without user information, the port up to 65535.
  static func isAuthority(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first else { return false }
    let host: any Collection<UInt8>
    var rest = bytes[...]
    if first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let inside = bytes[bytes.index(after: bytes.startIndex)..<end]
      guard inside.contains(UInt8(ascii: ":")), inside.allSatisfy(isAddressByte) else {
        return false
      }
      host = inside
      rest = bytes[bytes.index(after: end)...]
    } else {
      let name = bytes.prefix { $0 != UInt8(ascii: ":") }
      guard name.allSatisfy(isHost) else { return false }
      host = name
      rest = bytes[name.endIndex...]
    }
    guard !host.isEmpty else { return false }
    guard let colon = rest.first else { return true }
    return colon == UInt8(ascii: ":") && isPort(rest.dropFirst())
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    hexValue(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
  }

  private static func isPort(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count <= 5, bytes.allSatisfy(isDigit) else { return false }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65535
  }
}
