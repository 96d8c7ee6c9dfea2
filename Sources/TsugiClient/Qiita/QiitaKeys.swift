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
