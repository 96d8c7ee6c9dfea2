/// FNV-1a of 64 bits: short, and the same on every machine and in every version, so it may be
/// stored. It is no protection against somebody who wants two texts to look alike.
package enum Fingerprint {
  /// The fingerprint of some bytes: of none `cbf29ce484222325`.
  package static func value(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return value
  }

  /// The fingerprint of a text, as a whole number that any store can keep.
  package static func value(of text: String) -> Int64 {
    Int64(bitPattern: Array(text.utf8).withUnsafeBytes { value(of: $0) })
  }
}
