/// Reads numbers of a fixed width and single marks from the front of a short text.
package struct DigitReader {
  /// More than any date has; a longer text ends in bytes that no date has either.
  package static let bytesMax = 64

  private let bytes: [UInt8]
  private var offset = 0

  /// A reader at the first byte.
  package init(_ text: [UInt8]) {
    bytes = text.count <= DigitReader.bytesMax ? text : Array(text.prefix(DigitReader.bytesMax + 1))
  }

  /// Whether every byte was read, and the text was not too long.
  package var isAtEnd: Bool { offset == bytes.count && bytes.count <= DigitReader.bytesMax }

  /// The number that exactly `digits` decimal digits stand for.
  package mutating func number(digits: Int) -> Int64? {
    guard bytes.count - offset >= digits else { return nil }
    var value: Int64 = 0
    for byte in bytes[offset..<offset + digits] {
      guard FieldGrammar.isDigit(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    offset += digits
    return value
  }

  /// `HH:MM:SS`; the second may be 60.
  package mutating func timeOfDay() -> TimeOfDay? {
    guard let hour = number(digits: 2), hour < 24, skip(":"),
      let minute = number(digits: 2), minute < 60, skip(":"),
      let second = number(digits: 2), second <= 60
    else { return nil }
    return TimeOfDay(hour: hour, minute: minute, second: second)
  }

  /// Passes one byte that is any of `marks`; false, and nothing passed, when it is another.
  package mutating func skip(_ marks: StaticString) -> Bool {
    guard offset < bytes.count else { return false }
    let byte = bytes[offset]
    let isMark = marks.withUTF8Buffer { $0.contains(byte) }
    if isMark { offset += 1 }
    return isMark
  }

  /// Passes all of `text` in any letter case; false, and nothing passed, when it is another.
  package mutating func skipWord(_ text: String) -> Bool {
    let end = offset + text.utf8.count
    guard end <= bytes.count else { return false }
    let word = String(decoding: bytes[offset..<end], as: UTF8.self)
    guard word.lowercased() == text.lowercased() else { return false }
    offset = end
    return true
  }

  /// Passes decimal digits and returns how many there were.
  package mutating func skipDigits() -> Int {
    let begin = offset
    while offset < bytes.count, FieldGrammar.isDigit(bytes[offset]) { offset += 1 }
    return offset - begin
  }
}

/// A time of day; `second` is 60 in a leap second.
package struct TimeOfDay: Hashable, Sendable {
  /// 0 to 23.
  package let hour: Int64
  /// 0 to 59.
  package let minute: Int64
  /// 0 to 60.
  package let second: Int64
}
