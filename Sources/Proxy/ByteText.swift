import Glibc

/// Text that is put together as bytes in memory of its own: an answer has a hundred parts, and
/// appending one to an array takes ten times as long as copying it.
struct ByteText: ~Copyable {
  // Its only owner's: allocated here, freed with it, and written up to `count`.
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// How many bytes were written so far.
  private(set) var count = 0

  /// An empty text with room for `capacity` bytes; it grows where that is too little.
  init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    memory = ByteText.memory(self.capacity)
  }

  deinit {
    free(memory)
  }

  /// What was written so far.
  var bytes: [UInt8] {
    // All at once, which an array made of a buffer's bytes is not.
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      if let start = bytes.baseAddress { memcpy(start, memory, count) }
      initializedCount = count
    }
  }

  /// Gives what was written so far to `body`.
  func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    body(UnsafeBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
  }

  /// Memory of so many bytes, which begins with what `former` has. As elsewhere in the language,
  /// there is no going on without.
  private static func memory(
    _ byteCount: Int, after former: UnsafeMutableRawPointer? = nil
  ) -> UnsafeMutableRawPointer {
    guard let memory = realloc(former, byteCount) else { fatalError("out of memory") }
    return memory
  }

  /// Makes room for so many bytes more.
  private mutating func reserve(_ more: Int) {
    guard more > capacity - count else { return }
    capacity = max(2 * capacity, count + more)
    memory = ByteText.memory(capacity, after: memory)
  }

  /// Appends one byte.
  mutating func append(_ byte: UInt8) {
    reserve(1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends bytes as they are.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress { memcpy(memory + count, start, bytes.count) }
    count += bytes.count
  }

  /// Appends bytes as they are.
  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends a text's UTF-8.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a text's UTF-8.
  mutating func append(_ text: String) {
    let isAppended: Void? = text.utf8.withContiguousStorageIfAvailable {
      append(UnsafeRawBufferPointer($0))
    }
    if isAppended == nil { append(Array(text.utf8)) }
  }

  /// Appends a whole number's decimal digits.
  mutating func append(_ number: Int64) {
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var start = digits.count
      var rest = number.magnitude
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if number < 0 {
        start -= 1
        digits[start] = UInt8(ascii: "-")
      }
      append(UnsafeRawBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Appends a whole number's decimal digits.
  mutating func append(_ number: Int) {
    append(Int64(number))
  }
}
