/// A loop's cache of parsed `fields` parameters.
struct FieldsMemo {
  /// How many are known at most, of 2 KB each at the most; one more and it begins again.
  static let countMax = 64

  private struct Key: Hashable {
    var value: ByteKey
    var identityPaths: [[String]]

    // Equality compares what it is read for.
    func hash(into hasher: inout Hasher) {
      value.hash(into: &hasher)
    }
  }

  private let known = Memo<Key, FieldSelection>(countMax: countMax)

  /// How many are known.
  var count: Int { known.count }

  /// What ``FieldSelection/init(_:identityPaths:)`` reads out of the same; throws what that throws.
  func selection(
    _ value: [UInt8], identityPaths: [[String]]
  ) throws(Rejection) -> FieldSelection {
    let key = Key(value: ByteKey(value), identityPaths: identityPaths)
    return try known.value(by: key) { () throws(Rejection) in
      try FieldSelection(value, identityPaths: identityPaths)
    }
  }
}
