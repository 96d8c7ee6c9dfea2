/// What `fields` leaves of an item, and its digest: the same for the same bytes, worked out once.
struct ProjectedContent: Hashable, Sendable {
  /// What is left.
  var bytes: [UInt8]
  /// The digest of the bytes.
  var digest: UInt64
}
