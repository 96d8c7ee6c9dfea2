import Bytes

/// A position in a feed as text that a client keeps: opaque, URL-safe, at most 256 bytes.
///
/// Its bytes are a version, the feed's fingerprint, for observed feeds the name of the lineage, the
/// position and a checksum, in base64url (RFC 4648 §5) without padding. One of version 2 has a
/// ``Trail`` before the position's second part, led by its length. One of version 3, which is given
/// out where several servers share a store, has the feed's last number before that, seven bits a
/// byte, the lowest first, all but the last with the eighth bit set; its trail may be empty. One of
/// version 4 is of a merged feed and has ``PartTrails`` in the place of the trail. A value cursor
/// never expires, since its key is the item's own, unless the feed is given another order; an
/// observed one ends with its ``Lineage``.
package enum Cursor {
  /// The longest cursor given or taken, in bytes.
  package static let bytesMax = 256
  private static let version: UInt8 = 1
  /// The version of a cursor with a trail.
  private static let trailVersion: UInt8 = 2
  /// The version of a cursor with the feed's last number.
  private static let numberedVersion: UInt8 = 3
  /// The version of a cursor that remembers parts.
  private static let partsVersion: UInt8 = 4
  /// The most bytes that a number takes.
  private static let numberBytesMax = 9

  /// Why a text is no cursor of this feed.
  package enum Failure: Error, Hashable, Sendable {
    /// It is not a cursor, or it was changed on the way.
    case invalid
    /// It was made for another feed.
    case mismatch
    /// It was made while the feed had another order.
    case expired
  }

  /// What a cursor stands for.
  package struct Reading: Hashable, Sendable {
    /// The position.
    package var position: Position
    /// The lineage under which it was given out; nil in a feed ordered by value.
    package var lineage: UInt64?
    /// What it remembers.
    package var trail = Trail()
    /// The feed's last number when it was given out; nil where the store is not shared.
    package var told: Int64?

    /// Where a request begins or ends that names it: above its position, or below.
    package func bound(isAbove: Bool) -> SliceRequest.Bound {
      let cut = isAbove ? Cut.above(position) : .below(position)
      return lineage.map { .observed(cut, lineage: $0, trail) } ?? .walked(cut, trail)
    }
  }

  /// The cursor of a position in a feed; `lineage` is of no matter in a feed ordered by value. Of a
  /// trail that is too long the oldest part is left away. Where several servers share the
  /// store, it ends with the feed's last number.
  package static func text(
    at position: Position, in feed: FeedID, lineage: UInt64, trail: Trail = Trail(),
    told: Int64? = nil
  ) -> String {
    let names = feed.pattern.order == .value ? 1 : 2
    let number = told.map { Varint.bytes(of: UInt64(max(0, $0))) } ?? []
    let numberStart = 1 + 8 * (names + 1)
    let keyEnd = numberStart + number.count
    let room = bytesMax / 4 * 3 - keyEnd - 1 - position.tie.count - 4
    let bare: [UInt8]? = told == nil ? nil : []
    let parts = trail.isEmpty ? nil : trail.parts
    let kept =
      trail.isEmpty
      ? bare
      : parts?.bytes(of: trail, at: position.order, max: room)
        ?? trail.bytes(at: position.order, max: room)
    let tie = keyEnd + (kept.map { 1 + $0.count } ?? 0)
    let count = tie + position.tie.count + 4
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { bytes in
      func write(_ value: some FixedWidthInteger, at offset: Int) {
        bytes.storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
      }
      bytes[0] =
        told != nil
        ? numberedVersion
        : kept == nil ? version : parts == nil ? trailVersion : partsVersion
      write(fingerprint(of: feed), at: 1)
      if names == 2 { write(lineage, at: 9) }
      write(position.order, at: 1 + 8 * names)
      number.withUnsafeBytes { bytes[numberStart...].copyBytes(from: $0) }
      if let kept {
        bytes[keyEnd] = UInt8(kept.count)
        kept.withUnsafeBytes { bytes[(keyEnd + 1)...].copyBytes(from: $0) }
      }
      position.tie.withUnsafeBytes { bytes[tie...].copyBytes(from: $0) }
      let checksum = Fingerprint.value(of: UnsafeRawBufferPointer(rebasing: bytes[..<(count - 4)]))
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
    let isNumbered = bytes.first == numberedVersion
    let hasParts = bytes.first == partsVersion
    let hasTrail = bytes.first == trailVersion || isNumbered || hasParts
    guard bytes.first == version || hasTrail, keyEnd >= 17 else { throw .invalid }
    let key = bytes.withUnsafeBytes {
      Fingerprint.value(of: UnsafeRawBufferPointer(rebasing: $0[..<keyEnd]))
    }
    let checksum = UInt32(truncatingIfNeeded: key)
    guard integer(bytes[keyEnd...]) == UInt64(checksum) else { throw .invalid }
    guard integer(bytes[1..<9]) == fingerprint(of: feed) else { throw .mismatch }
    guard keyEnd >= keyStart + 8 else { throw .expired }
    let order = Int64(bitPattern: integer(bytes[keyStart..<keyStart + 8]))
    var rest = bytes[(keyStart + 8)..<keyEnd]
    let told = isNumbered ? Varint.take(from: &rest, bytesMax: numberBytesMax) : nil
    guard !isNumbered || told != nil else { throw .invalid }
    let isBare = isNumbered && rest.first == 0
    if isBare { rest.removeFirst() }
    let (trail, tie) = try split(rest, at: order, hasTrail: hasTrail && !isBare, hasParts)
    // No identity is the place of an observed feed.
    guard !isByValue || tie.count != 8 || tie.first != 0 else { throw .expired }
    return Reading(
      position: Position(order: order, tie: Array(tie)),
      lineage: isByValue ? nil : integer(bytes[9..<17]), trail: trail, told: told)
  }

  /// Whether a text begins as a cursor with a number does.
  package static func isNumbered(_ text: some StringProtocol) -> Bool {
    let first = Base64URL.bytes(Array(text.utf8.prefix(2)) + Array("AA".utf8))?.first
    return first == numberedVersion
  }

  /// The trail and the tie in the last part of a cursor's key.
  private static func split(
    _ bytes: ArraySlice<UInt8>, at order: Int64, hasTrail: Bool, _ hasParts: Bool
  ) throws(Failure) -> (trail: Trail, tie: ArraySlice<UInt8>) {
    guard hasTrail else { return (Trail(), bytes) }
    guard let count = bytes.first, bytes.count > Int(count) else { throw .invalid }
    let kept = bytes.dropFirst().prefix(Int(count))
    let read = hasParts ? PartTrails.trail(bytes: kept, at: order) : Trail(bytes: kept, at: order)
    guard let trail = read else { throw .invalid }
    return (trail, bytes.dropFirst(1 + Int(count)))
  }

  /// Stands for the feed, in a merged one whichever of its parts were chosen.
  private static func fingerprint(of feed: FeedID) -> UInt64 {
    var name = feed.pattern.isMerged ? "\(feed.source)/\(feed.path)" : feed.name
    return name.withUTF8 { Fingerprint.value(of: UnsafeRawBufferPointer($0)) }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
