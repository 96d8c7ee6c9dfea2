import Foundation

/// An object of Qiita's, read leniently: what is missing, null or of another type is nil.
///
/// A key is found as Qiita writes it and as a decoder with `.convertFromSnakeCase` has it.
struct QiitaObject {
  private let container: KeyedDecodingContainer<AnyKey>

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: AnyKey.self)
  }

  /// A text that must be there.
  ///
  /// - Throws: `DecodingError`.
  func text(_ key: String) throws -> String {
    try container.decode(String.self, forKey: AnyKey(stringValue: key))
  }

  /// A value; nil where there is none that can be read.
  subscript<Value: Decodable>(_ key: String) -> Value? {
    for name in [key, Self.camelCase(key)] {
      // A value that cannot be read is one that the item does without.
      let value = try? container.decodeIfPresent(Value.self, forKey: AnyKey(stringValue: name))
      if let value { return value }
    }
    return nil
  }

  /// A date, read as text: it is for people, no place is ever made of it.
  func date(_ key: String) -> Date? {
    (self[key] as String?).flatMap { Date(rfc3339: $0) }
  }

  /// A URL; nil where the text is none.
  func url(_ key: String) -> URL? {
    (self[key] as String?).flatMap { URL(string: $0) }
  }

  private static func camelCase(_ key: String) -> String {
    let words = key.split(separator: "_")
    return (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
      .joined()
  }
}

/// An object of Qiita's as it is written again: under Qiita's own keys, what is nil left out.
struct QiitaWriter {
  private var container: KeyedEncodingContainer<AnyKey>

  init(_ encoder: any Encoder) {
    container = encoder.container(keyedBy: AnyKey.self)
  }

  /// Writes a value.
  mutating func write(_ key: String, _ value: (some Encodable)?) throws {
    try container.encodeIfPresent(value, forKey: AnyKey(stringValue: key))
  }

  /// Writes a date, as text.
  mutating func write(_ key: String, _ date: Date?) throws {
    let isWhole = date.map { $0.timeIntervalSince1970.rounded() == $0.timeIntervalSince1970 }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: isWhole == false)
    try write(key, date?.formatted(style))
  }
}
