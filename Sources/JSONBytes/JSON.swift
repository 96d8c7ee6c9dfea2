/// JSON read by its bytes: an array split into its elements, a member found, a text or a whole
/// number read, one element validated.
///
/// This target never decodes a document and never writes one: the bytes that came in are the
/// bytes that go out. Dates, items and feeds are not known here. Read next: `Scanner` (how a value
/// is skipped), `Validator` (the whole grammar of RFC 8259), `JSONError` (what can be wrong).
///
/// Every function takes an `ArraySlice`, and the ranges it returns are in that slice's own
/// indices, so `page[range]` can be handed to the next function without copying:
///
///     for range in try JSON.elements(of: page[...]) {
///       guard let id = try JSON.member("id", of: page[range]) else { continue }
///       let text = try JSON.text(page[id])
///     }
package enum JSON {
  /// The containers that may be open inside one another in a valid text; one more is `.tooDeep`.
  ///
  /// Foundation reads 512, and an item is handed on inside of a few more: what is taken here, every
  /// client can read.
  package static let nestingMax = 500

  /// The byte ranges of an array's elements, in order, without the white space around them.
  ///
  /// Commas and brackets are checked and every text must be closed; what an element holds beyond
  /// that is left to `validate`, so that one bad element never costs the others.
  ///
  /// A range takes 16 bytes, where an element may be two: `countMax` bounds what an array of zeros
  /// can make of itself.
  ///
  /// `passing` is called with the byte count of each element after it was passed.
  ///
  /// - Throws: `.notAnArray`, `.truncated`, `.unexpectedByte`, `.mismatchedBracket`,
  ///   `.tooManyElements` as soon as the limit is passed, or `.trailingBytes` when something
  ///   follows the array.
  package static func elements(
    of array: ArraySlice<UInt8>, countMax: Int = .max, passing: (Int) -> Void = { _ in }
  ) throws(JSONError) -> [Range<Int>] {
    try scan(array) { (scanner) throws(JSONError) in
      try scanner.elements(from: array.startIndex, countMax: countMax, passing: passing)
    }
  }

  /// The byte ranges of an array's elements; see `elements(of:countMax:)` for slices.
  package static func elements(
    of array: [UInt8], countMax: Int = .max, passing: (Int) -> Void = { _ in }
  ) throws(JSONError) -> [Range<Int>] {
    try elements(of: array[...], countMax: countMax, passing: passing)
  }

  /// The range of the value that an object has under `key`; nil when it has none.
  ///
  /// A key that stands twice counts where it stands last, as in JavaScript, Python and Swift.
  ///
  /// - Throws: `.notAnObject`, or what `elements` throws for a broken structure.
  package static func member(
    _ key: String, of object: ArraySlice<UInt8>
  ) throws(JSONError) -> Range<Int>? {
    try members([key], of: object)[0]
  }

  /// The ranges of the values under several keys, which differ, in the order of `keys`, found in
  /// one pass.
  ///
  /// - Throws: as `member`.
  package static func members(
    _ keys: [String], of object: ArraySlice<UInt8>
  ) throws(JSONError) -> [Range<Int>?] {
    let wanted = keys.map { Array($0.utf8) }
    return try scan(object) { (scanner) throws(JSONError) in
      try scanner.members(wanted, from: object.startIndex)
    }
  }

  /// The ranges of all members of an object, in their order: each key in its quotes, and its value.
  ///
  /// - Throws: `.notAnObject`, or what `elements` throws for a broken structure.
  package static func members(
    of object: ArraySlice<UInt8>
  ) throws(JSONError) -> [(key: Range<Int>, value: Range<Int>)] {
    try scan(object) { (scanner) throws(JSONError) in
      try scanner.members(from: object.startIndex)
    }
  }

  /// The range of the value at the end of a path of keys (`["user", "id"]`); nil when a key is
  /// missing or a value on the way is not an object.
  ///
  /// - Throws: as `member`, for the outermost object.
  package static func member(
    at path: [String], of object: ArraySlice<UInt8>
  ) throws(JSONError) -> Range<Int>? {
    var range = object.startIndex..<object.endIndex
    for (depth, key) in path.enumerated() {
      if depth > 0, object[range].first != UInt8(ascii: "{") { return nil }
      guard let inner = try member(key, of: object[range]) else { return nil }
      range = inner
    }
    return range
  }

  /// A path of keys as text: dotted (`user.id`), or a JSON Pointer (RFC 6901) where a key has a dot
  /// in it (`/@odata.id`).
  package static func text(ofPath keys: [String]) -> String {
    let isDotted = keys.allSatisfy { !$0.contains(".") } && keys.first?.hasPrefix("/") != true
    guard !isDotted else { return keys.joined(separator: ".") }
    return keys.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }

  /// Checks that the bytes are exactly one JSON value: the whole grammar of RFC 8259, valid UTF-8,
  /// no lone surrogate among the `\u` escapes (RFC 7493 §2.1: most decoders refuse them).
  ///
  /// White space may stand around the value. One pass, no memory taken.
  ///
  /// - Throws: any case of `JSONError` that speaks of the text, with the offset of the first fault.
  package static func validate(_ text: ArraySlice<UInt8>) throws(JSONError) {
    try scan(text) { (scanner) throws(JSONError) in
      var validator = Validator(scanner)
      try validator.validateDocument()
    }
  }

  /// Checks a text as ``validate(_:)`` does, but takes lone surrogates among the `\u` escapes.
  /// Returns whether there are any.
  ///
  /// - Throws: as `validate`.
  package static func findsLoneSurrogates(_ text: ArraySlice<UInt8>) throws(JSONError) -> Bool {
    try scan(text) { (scanner) throws(JSONError) in
      scanner.takesLoneSurrogates = true
      var validator = Validator(scanner)
      try validator.validateDocument()
      return validator.hasLoneSurrogates
    }
  }

  /// Checks an object as ``findsLoneSurrogates(_:)`` does, and gives the ranges of the values under
  /// several keys, whose UTF-8 these are and which differ, all in one pass.
  ///
  /// - Throws: `.notAnObject`, or as `validate`.
  package static func checkedMembers(
    _ keys: [[UInt8]], of object: ArraySlice<UInt8>
  ) throws(JSONError) -> (members: [Range<Int>?], hasLoneSurrogates: Bool) {
    try scan(object) { (scanner) throws(JSONError) in
      scanner.takesLoneSurrogates = true
      var validator = Validator(scanner)
      let members = try validator.validateObject(keys, from: object.startIndex)
      return (members, validator.hasLoneSurrogates)
    }
  }

  /// Whether `validate` finds no fault.
  package static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    do {
      try validate(text)
      return true
    } catch {
      return false
    }
  }

  private static func scan<Result>(
    _ bytes: ArraySlice<UInt8>, _ body: (inout Scanner) throws(JSONError) -> Result
  ) throws(JSONError) -> Result {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
      var scanner = Scanner(UnsafeRawBufferPointer(buffer))
      return try body(&scanner)
    }
  }
}
