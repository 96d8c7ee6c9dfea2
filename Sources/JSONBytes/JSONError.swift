/// What is wrong with a JSON text. An offset counts bytes from the beginning of the slice given.
package enum JSONError: Error, Hashable, Sendable {
  /// The text ends before its value does.
  case truncated(offset: Int)
  /// A byte that cannot stand where it does.
  case unexpectedByte(offset: Int)
  /// A closing bracket that is not the one the opened container needs.
  case mismatchedBracket(offset: Int)
  /// More than `JSON.nestingMax` containers inside one another.
  case tooDeep(offset: Int)
  /// An array has more elements than are taken.
  case tooManyElements(limit: Int)
  /// Something other than white space follows the value.
  case trailingBytes(offset: Int)
  /// A byte sequence that is not UTF-8 (RFC 3629) inside a text.
  case invalidUTF8(offset: Int)
  /// A backslash followed by what is no escape, or half a surrogate pair.
  case invalidEscape(offset: Int)
  /// The value is not an array.
  case notAnArray
  /// The value is not an object.
  case notAnObject
  /// The value is not a text in quotes.
  case notAText
  /// The value is not a whole number that fits 64 bits with a sign.
  case notAWholeNumber
}
