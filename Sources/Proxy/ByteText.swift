/// Text that is put together as bytes, which for an answer's parts takes half of what it takes as
/// `String`.
struct ByteText {
  /// What was written so far.
  private(set) var bytes: [UInt8] = []

  /// An empty text with room for `capacity` bytes; it grows where that is too little.
  init(capacity: Int = 512) {
    bytes.reserveCapacity(capacity)
  }

  /// Appends one byte.
  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Appends bytes as they are.
  mutating func append(_ bytes: some Sequence<UInt8>) {
    self.bytes.append(contentsOf: bytes)
  }

  /// Appends a text's UTF-8.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends a text's UTF-8.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Appends a whole number's decimal digits.
  mutating func append(_ number: some BinaryInteger) {
    append(String(number))
  }
}
