import Glibc
import HTTP

/// Text that is put together as bytes in memory of its own: an answer has a hundred parts, and
/// appending one to an array takes ten times as long as copying it.
struct ByteText: ~Copyable {
  // Its only owner's: allocated here and freed with it, or lent to it; written up to `count`.
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var isLent = false
  /// How many bytes were written so far.
  private(set) var count = 0

  /// An empty text with room for `capacity` bytes; it grows where that is too little.
  init(capacity: Int = 512) {
    self.capacity = max(capacity, 16)
    memory = ByteText.memory(self.capacity)
  }

  private init(lent start: UnsafeMutableRawPointer, capacity: Int) {
    memory = start
    self.capacity = capacity
    isLent = true
  }

  deinit {
    if !isLent { free(memory) }
  }

  /// What `write` writes, as an array that it writes into where `capacity` bytes suffice.
  static func bytes(capacity: Int, _ write: (inout ByteText) -> Void) -> [UInt8] {
    var larger: [UInt8]?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(capacity, 16)) { memory, count in
      guard let start = memory.baseAddress else { return }
      var text = ByteText(lent: start, capacity: memory.count)
      write(&text)
      if text.isLent { count = text.count } else { larger = text.bytes }
    }
    return larger ?? bytes
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

  /// Memory of so many bytes. As elsewhere in the language, there is no going on without.
  private static func memory(_ byteCount: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(byteCount) else { fatalError("out of memory") }
    return memory
  }

  /// Makes room for so many bytes more.
  private mutating func reserve(_ more: Int) {
    guard more > capacity - count else { return }
    capacity = max(2 * capacity, count + more)
    let larger = ByteText.memory(capacity)
    memcpy(larger, memory, count)
    if !isLent { free(memory) }
    (memory, isLent) = (larger, false)
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
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a whole number's decimal digits.
  mutating func append(_ number: Int64) {
    withDecimalDigits(of: number) { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a whole number's decimal digits.
  mutating func append(_ number: Int) {
    append(Int64(number))
  }
}
