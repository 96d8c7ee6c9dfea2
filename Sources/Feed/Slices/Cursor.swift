/// A position in a feed as text that a client keeps: opaque, URL-safe, at most 256 bytes.
///
/// Its bytes are a version, the feed's fingerprint, for observed feeds the name of the lineage,
/// the position and a checksum, in base64url (RFC 4648 §5) without padding. One of version 2 has a
/// ``Trail`` before the position's second part, led by its length. A value cursor never expires,
/// since its key is the item's own; an observed one ends with its ``Lineage``.
package enum Cursor {
  /// The longest cursor given or taken, in bytes.
  package static let bytesMax = 256
  private static let version: UInt8 = 1
  /// The version of a cursor with a trail.
  private static let trailVersion: UInt8 = 2

  /// Why a text is no cursor of this feed.
  package enum Failure: Error, Hashable, Sendable {
    /// It is not a cursor, or it was changed on the way.
    case invalid
    /// It was made for another feed.
    case mismatch
  }

  /// What a cursor stands for.
  package struct Reading: Hashable, Sendable {
    /// The position.
    package var position: Position
    /// The lineage it was told under; nil in a feed ordered by value.
    package var lineage: UInt64?
    /// What it remembers.
    package var trail = Trail()

    /// Where a request begins or ends that names it: above its position, or below.
    package func bound(isAbove: Bool) -> SliceRequest.Bound {
      let cut = isAbove ? Cut.above(position) : .below(position)
      return lineage.map { .observed(cut, lineage: $0, trail) } ?? .walked(cut, trail)
    }
  }

  /// The cursor of a position in a feed; `lineage` is of no matter in a feed ordered by value. Of a
  /// trail that is too long the oldest part is left away.
  package static func text(
    at position: Position, in feed: FeedID, lineage: UInt64, trail: Trail = Trail()
  ) -> String {
    let names = feed.pattern.order == .value ? 1 : 2
    let keyEnd = 1 + 8 * (names + 1)
    let room = bytesMax / 4 * 3 - keyEnd - 1 - position.tie.count - 4
    let kept = trail.isEmpty ? nil : trail.bytes(at: position.order, max: room)
    let tie = keyEnd + (kept.map { 1 + $0.count } ?? 0)
    let count = tie + position.tie.count + 4
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { bytes in
      func write(_ value: some FixedWidthInteger, at offset: Int) {
        bytes.storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
      }
      bytes[0] = kept == nil ? version : trailVersion
      write(fingerprint(of: feed), at: 1)
      if names == 2 { write(lineage, at: 9) }
      write(position.order, at: 1 + 8 * names)
      if let kept {
        bytes[keyEnd] = UInt8(kept.count)
        kept.withUnsafeBytes { bytes[(keyEnd + 1)...].copyBytes(from: $0) }
      }
      position.tie.withUnsafeBytes { bytes[tie...].copyBytes(from: $0) }
      let checksum = fingerprint(UnsafeRawBufferPointer(rebasing: bytes[..<(count - 4)]))
      write(UInt32(truncatingIfNeeded: checksum), at: count - 4)
      return Base64URL.text(UnsafeRawBufferPointer(bytes))
    }
  }

  /// What a cursor of this feed stands for.
  package static func reading(
    _ text: some StringProtocol, in feed: FeedID
  ) throws(Failure) -> Reading {
    guard text.utf8.count <= bytesMax, let bytes = Base64URL.bytes(Array(text.utf8)) else {
      throw .invalid
    }
    let isByValue = feed.pattern.order == .value
    let keyStart = isByValue ? 9 : 17
    let keyEnd = bytes.count - 4
    let hasTrail = bytes.first == trailVersion
    guard bytes.first == version || hasTrail, keyEnd >= 17 else { throw .invalid }
    let key = bytes.withUnsafeBytes { fingerprint(UnsafeRawBufferPointer(rebasing: $0[..<keyEnd])) }
    let checksum = UInt32(truncatingIfNeeded: key)
    guard integer(bytes[keyEnd...]) == UInt64(checksum) else { throw .invalid }
    guard integer(bytes[1..<9]) == fingerprint(of: feed) else { throw .mismatch }
    guard keyEnd >= keyStart + 8 else { throw .invalid }
    let order = Int64(bitPattern: integer(bytes[keyStart..<keyStart + 8]))
    let (trail, tie) = try split(bytes[(keyStart + 8)..<keyEnd], at: order, hasTrail: hasTrail)
    return Reading(
      position: Position(order: order, tie: Array(tie)),
      lineage: isByValue ? nil : integer(bytes[9..<17]), trail: trail)
  }

  /// The trail and the tie in the last part of a cursor's key.
  private static func split(
    _ bytes: ArraySlice<UInt8>, at order: Int64, hasTrail: Bool
  ) throws(Failure) -> (trail: Trail, tie: ArraySlice<UInt8>) {
    guard hasTrail else { return (Trail(), bytes) }
    guard let count = bytes.first, bytes.count > Int(count),
      let trail = Trail(bytes: bytes.dropFirst().prefix(Int(count)), at: order)
    else { throw .invalid }
    return (trail, bytes.dropFirst(1 + Int(count)))
  }

  private static func fingerprint(of feed: FeedID) -> UInt64 {
    var name = feed.name
    return name.withUTF8 { fingerprint(UnsafeRawBufferPointer($0)) }
  }

  /// FNV-1a, 64 bits: short, and the same on every machine and in every version.
  private static func fingerprint(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return value
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Base64 with the URL's alphabet and no padding (RFC 4648 §5), strict: one text for each value.
enum Base64URL {
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
      let letters = alphabet.utf8Start
      var count = 0
      func letter(_ bits: UInt32, _ place: UInt32) -> UInt8 {
        letters[Int(bits >> (18 - 6 * place) & 63)]
      }
      // Three bytes are four letters; what is left over is one or two bytes, so two or three.
      var start = 0
      while start + 3 <= bytes.count {
        let bits = bits(bytes[start], bytes[start + 1], bytes[start + 2])
        for place in 0..<4 { text[count + place] = letter(bits, UInt32(place)) }
        start += 3
        count += 4
      }
      guard start < bytes.count else { return count }
      let last = start + 1 < bytes.count ? bytes[start + 1] : 0
      for place in 0...(bytes.count - start) {
        text[count + place] = letter(bits(bytes[start], last, 0), UInt32(place))
      }
      return count + bytes.count - start + 1
    }
  }

  private static func bits(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt32 {
    UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
  }

  /// The bytes, or nil for another alphabet, an impossible length, or loose bits at the end.
  static func bytes(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
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

  private static func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
