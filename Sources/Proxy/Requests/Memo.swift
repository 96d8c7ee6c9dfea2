/// What one loop worked out before: the same is asked for again and again, and working it out takes
/// longer than reading twenty items' places.
final class Memo<Key: Hashable, Value> {
  private let countMax: Int
  private var values: [Key: Value] = [:]

  /// How many are known.
  var count: Int { values.count }

  /// Nothing is known; at most `countMax` will be, and with one more it begins again.
  init(countMax: Int) {
    self.countMax = countMax
  }

  /// What is known by a key; nil where nothing is.
  subscript(key: Key) -> Value? { values[key] }

  /// Forgets what is known by a key.
  func forget(_ key: Key) { values[key] = nil }

  /// What is known by a key, worked out by `body` where it was not; throws what that throws.
  func value(
    by key: Key, _ body: () throws(Rejection) -> Value
  ) throws(Rejection) -> Value {
    if let value = values[key] { return value }
    let value = try body()
    if values.count >= countMax { values = [:] }
    values[key] = value
    return value
  }
}

/// Bytes by which something is known: the same only where each byte is, unlike texts, of which two
/// are equal where Unicode says so.
struct ByteKey: Hashable {
  private let bytes: [UInt8]

  /// A key of some bytes.
  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  // As a whole: one by one takes ten times as long.
  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
