/// Base64 with the URL's alphabet and no padding (RFC 4648 §5), strict: one text for each value.
package enum Base64URL {
  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  /// The text of some bytes.
  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
      let letters = alphabet.utf8Start
      var count = 0
      func letter(_ bits: UInt32, _ place: UInt32) -> UInt8 {
        letters[Int(bits >> (18 - 6 * place) & 63)]
      }
      // Three bytes are four letters; what is left over is one or two bytes, so two or three.
      var start = 0
      while start + 3 <= bytes.count {
        let bits = bits(bytes[start], bytes[start + 1], bytes[start + 2])
        for place in 0..<4 { text[count + place] = letter(bits, UInt32(place)) }
        start += 3
        count += 4
      }
      guard start < bytes.count else { return count }
      let last = start + 1 < bytes.count ? bytes[start + 1] : 0
      for place in 0...(bytes.count - start) {
        text[count + place] = letter(bits(bytes[start], last, 0), UInt32(place))
      }
      return count + bytes.count - start + 1
    }
  }

  /// The same bytes in the common alphabet, with padding (RFC 4648 §4).
  package static func padded(_ bytes: [UInt8]) -> String {
    let text = bytes.withUnsafeBytes { Base64URL.text($0) }
    let common = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
    return String(common) + String(repeating: "=", count: (4 - common.count % 4) % 4)
  }

  private static func bits(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt32 {
    UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
  }

  /// The bytes, or nil for another alphabet, an impossible length, or loose bits at the end.
  package static func bytes(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
      held = (held << 6 | UInt32(value)) & 0xffff
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    guard text.count % 4 != 1, held & (1 << UInt32(bits) - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
