/// Percent-encoding (RFC 3986 §2.1).
package enum PercentCoding {
  /// A path without a slash at its end, and with what is unreserved as it is: `/v1/item%73/` names
  /// what `/v1/items` does (RFC 3986 §6.2.2.2, RFC 9110 §4.2.3).
  package static func normalized(_ path: String) -> String {
    let path = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    var bytes: [UInt8] = []
    var rest = Array(path.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(value)
      guard byte == UInt8(ascii: "%"), digits.count == 2, isUnreserved(digits[0] << 4 | digits[1])
      else {
        bytes.append(byte)
        continue
      }
      rest = rest.dropFirst(2)
      bytes.append(digits[0] << 4 | digits[1])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes a text stands for; nil for an incomplete `%` or for bytes that are not UTF-8.
  package static func decoded(_ text: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    // Most hold nothing to decode, and are copied as a whole.
    let plain = text.withUnsafeBufferPointer { text -> [UInt8]? in
      // Looked at to the end: that compares many bytes in one step.
      let plus = plusIsSpace ? UInt8(ascii: "+") : UInt8(ascii: "%")
      var special: UInt8 = 0
      for byte in text {
        special |= byte & 0x80 | (byte == UInt8(ascii: "%") || byte == plus ? 1 : 0)
      }
      return special == 0 ? Array(text) : nil
    }
    if let plain { return plain }
    var bytes: [UInt8] = []
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(value), let low = iterator.next().flatMap(value)
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace:
        bytes.append(UInt8(ascii: " "))
      default:
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
  }

  /// As ``decoded(_:plusIsSpace:)`` for an array's part, whatever the bytes lie in.
  package static func decoded(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
    decoded(ArraySlice(text), plusIsSpace: plusIsSpace)
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// Percent-encodes every byte that is not unreserved (RFC 3986 §2.3): `CI/CD` is `CI%2FCD`.
@inlinable
public func percentEncoded(_ bytes: some Collection<UInt8>) -> String {
  // As a whole: a byte at a time through the protocol takes ten times as long.
  bytes.withContiguousStorageIfAvailable(encoded)
    ?? Array(bytes).withUnsafeBufferPointer(encoded)
}

@usableFromInline
func encoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
  var reserved = 0
  for byte in bytes where !isUnreserved(byte) { reserved += 1 }
  guard reserved > 0 else { return String(decoding: bytes, as: UTF8.self) }
  return String(unsafeUninitializedCapacity: bytes.count + 2 * reserved) { text in
    var count = 0
    for byte in bytes {
      if isUnreserved(byte) {
        text[count] = byte
        count += 1
      } else {
        text[count] = UInt8(ascii: "%")
        text[count + 1] = digit(byte >> 4)
        text[count + 2] = digit(byte & 15)
        count += 3
      }
    }
    return count
  }
}

/// Whether none of these bytes has to be percent-encoded (RFC 3986 §2.3).
@inlinable
public func isUnreserved(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  bytes.allSatisfy { isUnreserved($0) }
}

/// Whether a byte stands for itself in a path (RFC 3986 §2.3).
@inlinable
public func isUnreserved(_ byte: UInt8) -> Bool {
  // A bit for each: digits and - . below 0x40, letters and _ ~ below 0x80.
  let bits: UInt64 = byte < 0x40 ? 0x03ff_6000_0000_0000 : 0x47ff_fffe_87ff_fffe
  return byte < 0x80 && bits >> UInt64(byte & 0x3f) & 1 == 1
}

/// A hexadecimal digit, in upper case.
private func digit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
}
