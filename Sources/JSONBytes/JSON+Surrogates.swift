/// Halves of surrogate pairs that stand alone: `"\ud83d"`, as a text that was cut leaves them.
extension JSON {
  /// Puts U+FFFD in the place of each lone surrogate among the `\u` escapes of valid JSON. No byte
  /// moves: `"a\ud83d"` becomes `"a\ufffd"`.
  package static func replaceLoneSurrogates(in json: inout [UInt8]) {
    var at = 0
    while let escape = json[at...].firstIndex(of: UInt8(ascii: "\\")) {
      at = min(escape + 2, json.count)
      guard let first = unit(at: escape, in: json) else { continue }
      at = escape + 6
      guard 0xD800..<0xE000 ~= first else { continue }
      if first < 0xDC00, let second = unit(at: at, in: json), 0xDC00..<0xE000 ~= second {
        at += 6
      } else {
        json.replaceSubrange(escape + 2..<escape + 6, with: "fffd".utf8)
      }
    }
  }

  /// The value of `\uXXXX` at a place; nil where no such escape stands there.
  private static func unit(at place: Int, in json: [UInt8]) -> UInt32? {
    guard place + 6 <= json.count, json[place] == UInt8(ascii: "\\"),
      json[place + 1] == UInt8(ascii: "u")
    else { return nil }
    var value: UInt32 = 0
    for byte in json[place + 2..<place + 6] {
      guard let digit = Unescaper.digit(byte) else { return nil }
      value = value << 4 | digit
    }
    return value
  }
}
