import Bytes

#if DEBUG
  import Feed
  import Support

  private let valueFeed = FeedID(
    source: "qiita", pattern: FeedPattern("items", order: .value), parts: [Array("items".utf8)])
  private let observedFeed = FeedID(
    source: "qiita", pattern: FeedPattern("tags", order: .observed, content: "tags"),
    parts: [Array("tags".utf8)])

  /// A cursor that is taken is the only text of its position, and each position's text is taken.
  func cursorFault(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    for feed in [valueFeed, observedFeed] {
      if let reading = try? Cursor.reading(text, in: feed),
        Cursor.text(
          at: reading.position, in: feed, lineage: reading.lineage ?? 0, trail: reading.trail,
          told: reading.told)
          != text
      {
        return "two texts for \(reading)"
      }
      guard bytes.count >= 8, bytes.count <= 136 else { continue }
      let position = Position(
        order: Int64(bitPattern: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }),
        tie: Array(bytes[8...]))
      let cursor = Cursor.text(at: position, in: feed, lineage: 7)
      guard cursor.utf8.count <= Cursor.bytesMax else { return "a cursor of \(cursor.utf8.count)" }
      // So a place of an observed feed looks.
      let isOfAnotherOrder = position.tie.count == 8 && position.tie.first == 0
      guard !isOfAnotherOrder || feed.pattern.order != .value else { continue }
      guard let reading = try? Cursor.reading(cursor, in: feed), reading.position == position else {
        return "\(position) did not come back"
      }
      guard reading.lineage == (feed.pattern.order == .value ? nil : 7) else { return "a lineage" }
    }
    return nil
  }

  /// A timestamp that is read is written as the same instant.
  func timestampFault(_ bytes: [UInt8]) -> String? {
    guard let seconds = RFC3339.parseTimestamp(bytes) else { return nil }
    // A time zone may lead out of the years that have a text: 0001 to 9999.
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    let text = RFC3339.text(Timestamp(milliseconds: seconds * 1000))
    let again = RFC3339.parseTimestamp(Array(text.utf8))
    guard again == seconds else { return "\(seconds) became \(text)" }
    return nil
  }
#endif
