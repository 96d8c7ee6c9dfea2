/// One loop's `fields` parameters that were read before.
struct KnownFields {
  /// How many are known at most, of 2 KB each at the most; one more and it begins anew.
  static let countMax = 64

  private struct Key: Hashable {
    var value: [UInt8]
    var identityPath: [String]

    // All bytes at once; what they are read for is told apart where they are the same.
    func hash(into hasher: inout Hasher) {
      value.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private let known = Known<Key, FieldSelection>(countMax: countMax)

  /// How many are known.
  var count: Int { known.count }

  /// What ``FieldSelection/init(_:identityPath:)`` reads out of the same; throws what that throws.
  func selection(
    _ value: [UInt8], identityPath: [String]
  ) throws(Rejection) -> FieldSelection {
    try known.value(by: Key(value: value, identityPath: identityPath)) { () throws(Rejection) in
      try FieldSelection(value, identityPath: identityPath)
    }
  }
}
