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

/// The number of a change, to ask for the changes since: `<epoch of the store>.<number>`.
public struct SequenceNumber: RawRepresentable, Hashable, Sendable, Codable {
  /// The text as the server wrote it.
  public let rawValue: String

  /// A number that was kept as text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Whether it was taken after another of the same store; false where they cannot be compared.
  func isAfter(_ other: SequenceNumber) -> Bool {
    guard let mine = parts, let its = other.parts, mine.epoch == its.epoch else { return false }
    return mine.number > its.number
  }

  /// Whether it is the same as another of the same store, or was taken before it.
  func isCovered(by other: SequenceNumber) -> Bool {
    self == other || other.isAfter(self)
  }

  private var parts: (epoch: Substring, number: Int64)? {
    guard let dot = rawValue.lastIndex(of: "."),
      let number = Int64(rawValue[rawValue.index(after: dot)...])
    else { return nil }
    return (rawValue[..<dot], number)
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
