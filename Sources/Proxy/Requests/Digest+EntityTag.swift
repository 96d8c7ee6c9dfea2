import Bytes

extension Digest {
  /// The digest as a weak entity tag (RFC 9110 §8.8.3).
  var entityTag: String { base36(value, between: "W/\"", and: "\"") }
}
