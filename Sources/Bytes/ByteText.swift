import Glibc

/// Text that is put together as bytes in memory of its own: an answer has a hundred parts, and
/// appending one to an array takes ten times as long as copying it.
///
/// What other targets inline of it is `public`: of what is `package` the compiler inlines nothing,
/// `@inlinable` or not.
public struct ByteText: ~Copyable {
  // Its only owner's: allocated here and freed with it, or lent to it; written up to `count`.
  @usableFromInline var memory: UnsafeMutableRawPointer
  @usableFromInline var capacity: Int
  @usableFromInline var isLent = false
  /// How many bytes were written so far.
  @usableFromInline var count = 0

  /// An empty text with room for `capacity` bytes; it grows where that is too little.
  package init(capacity: Int = 512) {
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
  package static func bytes(capacity: Int, _ write: (inout ByteText) -> Void) -> [UInt8] {
    var larger: [UInt8]?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(capacity, 16)) { memory, count in
      guard let start = memory.baseAddress else { return }
      var text = ByteText(lent: start, capacity: memory.count)
      write(&text)
      if text.isLent { count = text.count } else { larger = text.bytes }
    }
    return larger ?? bytes
  }

  /// Gives what `write` writes to `body`, out of the stack where `capacity` bytes suffice.
  package static func withBytes(
    capacity: Int, _ write: (inout ByteText) -> Void,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: max(capacity, 16), alignment: 16) { memory in
      guard let start = memory.baseAddress else { return }
      var text = ByteText(lent: start, capacity: memory.count)
      write(&text)
      text.withBytes(body)
    }
  }

  /// The bytes written so far.
  package var bytes: [UInt8] {
    // One copy of all bytes, which an array made of a buffer's bytes is not.
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      if let start = bytes.baseAddress { memcpy(start, memory, count) }
      initializedCount = count
    }
  }

  /// Gives what was written so far to `body`.
  package func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    body(UnsafeBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
  }

  /// Allocates so many bytes. A failed allocation traps, as in the standard library.
  @usableFromInline
  static func memory(_ byteCount: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(byteCount) else { fatalError("out of memory") }
    return memory
  }

  /// Makes room for so many bytes more.
  @inlinable
  mutating func reserve(_ more: Int) {
    guard more > capacity - count else { return }
    grow(more)
  }

  @usableFromInline
  mutating func grow(_ more: Int) {
    capacity = max(2 * capacity, count + more)
    let larger = ByteText.memory(capacity)
    memcpy(larger, memory, count)
    if !isLent { free(memory) }
    (memory, isLent) = (larger, false)
  }

  /// Appends one byte.
  @inlinable
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends bytes as they are.
  @inlinable
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress {
      (memory + count).copyMemory(from: start, byteCount: bytes.count)
    }
    count += bytes.count
  }

  /// Appends bytes as they are.
  @inlinable
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Appends a text's UTF-8.
  @inlinable
  public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a name in quotes, between a comma and a colon.
  @inlinable
  public mutating func append(member name: StaticString) {
    let nameCount = name.utf8CodeUnitCount
    reserve(nameCount + 4)
    let start = memory + count
    start.storeBytes(of: UInt8(ascii: ","), as: UInt8.self)
    start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: 1, as: UInt8.self)
    (start + 2).copyMemory(from: name.utf8Start, byteCount: nameCount)
    start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: nameCount + 2, as: UInt8.self)
    start.storeBytes(of: UInt8(ascii: ":"), toByteOffset: nameCount + 3, as: UInt8.self)
    count += nameCount + 4
  }

  /// Appends a text's UTF-8.
  @inlinable
  public mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a text with every byte percent-encoded that is not unreserved (RFC 3986 §2.3): most of
  /// what stands in links, as cursors do, is its own encoding.
  @inlinable
  public mutating func append(percentEncoding text: String) {
    var text = text
    text.withUTF8 { bytes in
      if isUnreserved(bytes) {
        append(UnsafeRawBufferPointer(bytes))
      } else {
        append(percentEncoded(bytes))
      }
    }
  }

  /// Appends a whole number's decimal digits.
  @inlinable
  public mutating func append(_ number: Int64) {
    withDecimalDigits(of: number) { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends a whole number's decimal digits.
  @inlinable
  public mutating func append(_ number: Int) {
    append(Int64(number))
  }
}
