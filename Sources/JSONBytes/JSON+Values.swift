/// Single values read out of their bytes.
extension JSON {
  /// The UTF-8 bytes that a JSON text (in its quotes) means, escapes resolved.
  ///
  /// Bytes that are not escaped are passed on as they are: whether they are UTF-8 is for
  /// `validate` to say.
  ///
  /// - Throws: `.notAText`, `.unexpectedByte` for a quote inside, `.invalidEscape`.
  package static func text(_ value: ArraySlice<UInt8>) throws(JSONError) -> [UInt8] {
    guard value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"")
    else { throw .notAText }
    let inner = value.dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else {
      if let quote = inner.firstIndex(of: UInt8(ascii: "\"")) {
        throw .unexpectedByte(offset: quote - value.startIndex)
      }
      return Array(inner)
    }
    return try Unescaper.bytes(of: inner)
  }

  /// Whether a value is a whole number of any length: without fraction, exponent and leading zero.
  package static func isWholeNumber(_ value: ArraySlice<UInt8>) -> Bool {
    let digits = value.first == UInt8(ascii: "-") ? value.dropFirst() : value
    guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else {
      return false
    }
    return digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  /// The whole number that a JSON number without fraction and exponent stands for.
  ///
  /// - Throws: `.notAWholeNumber` for anything else, also for `1.0`, `1e3`, `01`, `+1` and what
  ///   does not fit an `Int64`.
  package static func wholeNumber(_ value: ArraySlice<UInt8>) throws(JSONError) -> Int64 {
    guard isWholeNumber(value), let number = Int64(String(decoding: value, as: UTF8.self)) else {
      throw .notAWholeNumber
    }
    return number
  }
}
