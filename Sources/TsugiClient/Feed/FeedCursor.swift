public import Foundation

/// A place in a feed: opaque, from a slice; it stays good when its item is deleted.
public struct FeedCursor: RawRepresentable, Hashable, Sendable, Codable {
  /// The text as the server wrote it, to be kept and sent back unchanged.
  public let rawValue: String

  /// A cursor that was kept as text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// The number of a change, to ask for the changes since: `<epoch of the store>.<number>`; of a
/// merged feed `<epoch>~` and a number of each part.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable, Codable {
  /// The text as the server wrote it.
  public let rawValue: String

  /// A number that was kept as text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Whether it was taken after another of the same store, in any part of a merged feed; false
  /// where they cannot be compared.
  func isAfter(_ other: SequenceNumber) -> Bool {
    compared(with: other)?.contains { $0 > $1 } ?? false
  }

  /// Whether it is the same as another of the same store, or was taken before it, in every part of
  /// a merged feed.
  func isCovered(by other: SequenceNumber) -> Bool {
    self == other || compared(with: other)?.allSatisfy { $0 <= $1 } ?? false
  }

  /// The numbers of both, part by part; nil where they are of other stores or parts.
  private func compared(with other: SequenceNumber) -> Zip2Sequence<[Int64], [Int64]>? {
    guard let mine = parts, let its = other.parts, mine.names == its.names,
      mine.numbers.count == its.numbers.count
    else { return nil }
    return zip(mine.numbers, its.numbers)
  }

  /// What two must have in common to be compared, and the numbers.
  private var parts: (names: [UInt8], numbers: [Int64])? {
    guard let mark = rawValue.lastIndex(where: { $0 == "." || $0 == "~" }) else { return nil }
    let (epoch, rest) = (rawValue[..<mark], rawValue[rawValue.index(after: mark)...])
    if rawValue[mark] == "." {
      return Int64(rest).map { (names: Array(epoch.utf8), numbers: [$0]) }
    }
    // The names' fingerprint, the watermark, each number at seven bits a byte, a checksum.
    let padding = String(repeating: "=", count: (4 - rest.utf8.count % 4) % 4)
    let text = rest.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard let bytes = Data(base64Encoded: String(text)).map({ Array($0) }), bytes.count >= 16 else {
      return nil
    }
    var numbers = [Int64(bitPattern: bytes[4..<12].reduce(0) { $0 << 8 | UInt64($1) })]
    var (number, shift) = (0 as UInt64, 0 as UInt64)
    for byte in bytes[12..<(bytes.count - 4)] {
      number |= UInt64(byte & 0x7f) << shift
      shift += 7
      guard byte < 0x80 else { continue }
      numbers.append(Int64(truncatingIfNeeded: number))
      (number, shift) = (0, 0)
    }
    return (Array(epoch.utf8) + bytes[..<4], numbers)
  }
}

/// A place that a range can begin or end at.
public struct FeedPosition: Hashable, Sendable {
  /// The value of the parameter.
  public let text: String

  /// The place of a cursor.
  public static func cursor(_ cursor: FeedCursor) -> FeedPosition {
    FeedPosition(text: cursor.rawValue)
  }

  /// The place of an element that is or was stored, by its identity.
  public static func element(id: String) -> FeedPosition {
    FeedPosition(text: "id:\(id)")
  }

  /// A time, in a feed ordered by value: the whole second that it is in.
  public static func time(_ date: Date) -> FeedPosition {
    let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    return FeedPosition(text: "at:\(second.formatted(.iso8601))")
  }

  /// A time as RFC 3339 in whole seconds, `2026-11-21T00:00:00Z`.
  @available(*, deprecated, message: "use time(_: Date)")
  public static func time(_ rfc3339: String) -> FeedPosition {
    FeedPosition(text: "at:\(rfc3339)")
  }
}
