/// Digests of contents of a copy, by the keys of their items: each look at a feed compares those of
/// a whole page with what is shared.
///
/// Whatever writes or deletes a content forgets its digest. One is kept only outside of a
/// transaction that writes: then it is of what is stored, though a later one may be rolled back.
final class ContentDigests {
  /// The most that are kept, 24 bytes each; one more, and all are forgotten.
  static let countMax = 1 << 16

  private var digests: [Int64: Int64] = [:]

  /// The digest of an item's content; nil where it is to be computed.
  subscript(key: Int64) -> Int64? { digests[key] }

  /// Keeps the digest of a content that was read outside of a transaction that writes.
  func keep(_ digest: Int64, of key: Int64) {
    if digests.count >= ContentDigests.countMax { digests = [:] }
    digests[key] = digest
  }

  /// Forgets the digest of a content that is written or deleted.
  func forget(_ key: Int64) { digests[key] = nil }
}
