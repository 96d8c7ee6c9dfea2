/// The byte classes that header fields share (RFC 9110 §5.6).
public enum FieldGrammar {
  /// Whether it may stand in a token: tchar (RFC 9110 §5.6.2).
  @inlinable
  public static func isToken(_ byte: UInt8) -> Bool {
    // A bit for each: digits and ! # $ % & ' * + - . below 0x40, letters and ^ _ ` | ~ below 0x80.
    let bits: UInt64 = byte < 0x40 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
    return byte < 0x80 && bits >> UInt64(byte & 0x3f) & 1 == 1
  }

  /// Whether it is a decimal digit.
  @inlinable
  public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Whether it is a space or a tab.
  @inlinable
  public static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
