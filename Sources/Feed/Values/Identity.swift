/// What names an element within its feed: `id`, or `user.id` for likes, as the bytes of its text.
///
/// Compared byte by byte: two spellings that Unicode calls equivalent are two identities.
package struct Identity: Hashable, Comparable, Sendable {
  /// The longest identity accepted, in bytes, so that a cursor stays within 256.
  package static let bytesMax = 128

  /// UTF-8; 1 to ``bytesMax`` bytes when it came through the port.
  package var bytes: [UInt8]
  /// Whether it stands in its item's JSON as a whole number, where that is known. It names the same
  /// either way: no feed has an element 7 and another "7".
  package var isNumber = false

  /// An identity from its UTF-8 bytes.
  package init(bytes: [UInt8], isNumber: Bool = false) {
    self.bytes = bytes
    self.isNumber = isNumber
  }

  /// An identity from its text.
  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The identity as text, for messages.
  package var text: String {
    String(decoding: bytes, as: UTF8.self)
  }

  package static func == (a: Identity, b: Identity) -> Bool {
    a.bytes == b.bytes
  }

  package func hash(into hasher: inout Hasher) {
    // Together: an array's own way hashes them one by one.
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  package static func < (a: Identity, b: Identity) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}
