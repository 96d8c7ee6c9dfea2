/// The most recently used values by key, limited in bytes.
///
/// A used value moves to the young generation. When the young one holds half of the bytes, it
/// becomes the old one, and the former old one is dropped. So what is used often stays, and no
/// order has to be kept.
package struct TwoGenerations<Key: Hashable, Value> {
  /// The most bytes of a generation.
  @usableFromInline package let generationBytesMax: Int
  /// What was used last.
  @usableFromInline package var young: [Key: (value: Value, bytes: Int)] = [:]
  /// What was used before that.
  @usableFromInline package var old: [Key: (value: Value, bytes: Int)] = [:]
  /// The bytes of the young generation.
  @usableFromInline package var youngBytes = 0
  /// The bytes of the old generation.
  @usableFromInline package var oldBytes = 0
  /// How many generations have become old.
  @usableFromInline package var number = 0

  /// An empty cache.
  package init(bytesMax: Int) {
    generationBytesMax = bytesMax / 2
  }

  /// How many bytes it holds.
  package var bytes: Int { youngBytes + oldBytes }

  /// The keys of all values.
  package var keys: [Key] { Array(young.keys) + Array(old.keys) }

  /// Whether there is a value for a key; that is no use of it.
  package func contains(_ key: Key) -> Bool { young[key] != nil || old[key] != nil }

  /// The value for a key, which is used by that; nil if there is none.
  @inlinable
  package mutating func use(_ key: Key) -> Value? {
    if let entry = young[key] { return entry.value }
    guard let entry = takeOld(key) else { return nil }
    insert(entry.value, key, bytes: entry.bytes)
    return entry.value
  }

  /// Keeps a value of so many bytes in place of the one for its key. One that is larger than half
  /// of the cache is not kept.
  @inlinable
  package mutating func keep(_ value: Value, _ key: Key, bytes: Int) {
    drop(key)
    if bytes <= generationBytesMax { insert(value, key, bytes: bytes) }
  }

  /// Drops the value for a key.
  @inlinable
  package mutating func drop(_ key: Key) {
    if let entry = young.removeValue(forKey: key) { youngBytes -= entry.bytes }
    _ = takeOld(key)
  }

  /// Inserts a value whose key has none.
  @inlinable
  package mutating func insert(_ value: Value, _ key: Key, bytes: Int) {
    if youngBytes + bytes > generationBytesMax {
      (old, oldBytes) = (young, youngBytes)
      (young, youngBytes) = ([:], 0)
      number += 1
    }
    young[key] = (value, bytes)
    youngBytes += bytes
  }

  /// Takes a value out of the old generation.
  @inlinable
  package mutating func takeOld(_ key: Key) -> (value: Value, bytes: Int)? {
    guard let entry = old.removeValue(forKey: key) else { return nil }
    oldBytes -= entry.bytes
    return entry
  }
}
