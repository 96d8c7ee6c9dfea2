/// What one loop's targets ask for that came before and were good: what many apps show is asked for
/// by all of them with the same text, and reading that takes as long as the rest of a slice.
struct SliceQueryMemo {
  /// How many are known at most; one more and it begins again.
  static let countMax = 512
  /// The longest target that is kept, in bytes: with what is read out of one, some KB.
  static let targetBytesMax = 1024

  /// What a target asks for.
  final class Entry: Sendable {
    /// Of which source.
    let source: SourceBinding
    /// Which slice.
    let query: SliceQuery

    init(_ query: SliceQuery, of source: SourceBinding) {
      (self.query, self.source) = (query, source)
    }
  }

  private let known = Memo<ByteKey, Entry>(countMax: countMax)

  /// How many are known.
  var count: Int { known.count }

  /// What a target asks for; nil where it did not come before.
  subscript(target: [UInt8]) -> Entry? { known[ByteKey(target)] }

  /// Forgets what a target asks for.
  func forget(_ target: [UInt8]) { known.forget(ByteKey(target)) }

  /// What a target asks for that did not come before, as `read` reads it; throws what that throws.
  func entry(
    at target: [UInt8], _ read: () throws(Rejection) -> Entry
  ) throws(Rejection) -> Entry {
    guard target.count <= SliceQueryMemo.targetBytesMax else { return try read() }
    return try known.value(by: ByteKey(target), read)
  }
}
