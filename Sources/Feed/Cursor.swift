/// A position in a feed as text that a client keeps: opaque, URL-safe, at most 256 bytes.
///
/// Its bytes are a version, the feed's fingerprint, the store's epoch for observed feeds, the
/// position and a checksum, in base64url (RFC 4648 §5) without padding. A value cursor never
/// expires, since its key is the item's own; an observed one ends with its store's epoch.
package enum Cursor {
  /// The longest cursor given or taken, in bytes.
  package static let bytesMax = 256
  private static let version: UInt8 = 1

  /// Why a text is no cursor of this feed.
  package enum Failure: Error, Hashable, Sendable {
    /// It is not a cursor, or it was changed on the way.
    case invalid
    /// It was made for another feed.
    case mismatch
    /// It was made in another epoch of the store.
    case expired
  }

  /// The cursor of a position in a feed.
  package static func text(at position: Position, in feed: FeedID, epoch: String) -> String {
    var bytes = [version]
    append(fingerprint(Array(feed.name.utf8)), to: &bytes)
    if feed.pattern.order == .observed {
      append(fingerprint(Array(epoch.utf8)), to: &bytes)
    }
    append(UInt64(bitPattern: position.order), to: &bytes)
    bytes += position.tie
    append(UInt32(truncatingIfNeeded: fingerprint(bytes)), to: &bytes)
    return Base64URL.text(bytes)
  }

  /// The position a cursor of this feed stands for.
  package static func position(
    of text: some StringProtocol, in feed: FeedID, epoch: String
  ) throws(Failure) -> Position {
    guard text.utf8.count <= bytesMax, let bytes = Base64URL.bytes(Array(text.utf8)) else {
      throw .invalid
    }
    let isObserved = feed.pattern.order == .observed
    let keyStart = isObserved ? 17 : 9
    let keyEnd = bytes.count - 4
    guard bytes.first == version, keyEnd >= 17 else { throw .invalid }
    let checksum = UInt32(truncatingIfNeeded: fingerprint(Array(bytes[..<keyEnd])))
    guard integer(bytes[keyEnd...]) == UInt64(checksum) else { throw .invalid }
    guard integer(bytes[1..<9]) == fingerprint(Array(feed.name.utf8)) else { throw .mismatch }
    guard keyEnd >= keyStart + 8 else { throw .invalid }
    if isObserved, integer(bytes[9..<17]) != fingerprint(Array(epoch.utf8)) { throw .expired }
    return Position(
      order: Int64(bitPattern: integer(bytes[keyStart..<keyStart + 8])),
      tie: Array(bytes[(keyStart + 8)..<keyEnd]))
  }

  /// FNV-1a, 64 bits: short, and the same on every machine and in every version.
  private static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Base64 with the URL's alphabet and no padding (RFC 4648 §5), strict: one text for each value.
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(held >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(held << UInt32(6 - bits) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes, or nil for another alphabet, an impossible length, or loose bits at the end.
  static func bytes(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for character in text {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      held = (held << 6 | UInt32(value)) & 0xffff
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    guard text.count % 4 != 1, held & (1 << UInt32(bits) - 1) == 0 else { return nil }
    return bytes
  }
}
