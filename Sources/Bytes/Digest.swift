/// A 64-bit digest, sixteen bytes at a time, for entity tags and for what is looked up: quick, and
/// no protection against somebody who wants two items to look alike.
public struct Digest {
  @usableFromInline static let factor: UInt64 = 0xd6e8_feb8_6659_fd93
  @usableFromInline var state: UInt64

  /// Of nothing yet. Of another seed all are others.
  package init(seed: UInt64 = 0x9e37_79b9_7f4a_7c15) {
    state = seed
  }

  /// What was taken in so far, as one number.
  package var value: UInt64 { state }

  /// The digest of some bytes.
  package static func value(of bytes: [UInt8]) -> UInt64 {
    var digest = Digest()
    digest.add(bytes)
    return digest.value
  }

  /// Takes in a number.
  @inlinable
  public mutating func add(_ number: UInt64) {
    state = Digest.mixed(state, number)
  }

  /// Takes in some bytes, and how many they are.
  @inlinable
  public mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0) }
  }

  /// Takes in a text's bytes, and how many they are.
  @inlinable
  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Takes in some bytes, and how many they are.
  public mutating func add(_ buffer: UnsafeRawBufferPointer) {
    var state = Digest.mixed(self.state, UInt64(buffer.count))
    var offset = 0
    while offset + 16 <= buffer.count {
      let first = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let second = buffer.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
      state = Digest.mixed(state ^ first, second)
      offset += 16
    }
    if offset + 8 <= buffer.count {
      let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      state = Digest.mixed(state, word)
      offset += 8
    }
    if offset < buffer.count {
      var rest: UInt64 = 0
      for index in offset..<buffer.count { rest = rest << 8 | UInt64(buffer[index]) }
      state = Digest.mixed(state, rest)
    }
    self.state = state
  }

  /// One of both: their product folded, and the state beside it, should the product be 0.
  @inlinable
  static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    let product = state.multipliedFullWidth(by: word ^ factor)
    return product.high ^ product.low ^ (state << 23 | state >> 41)
  }
}
