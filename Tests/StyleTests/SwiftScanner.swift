/// Takes a Swift file apart into its code and its comments; what lies in strings is dropped.
///
/// Both parts keep every line's number: what belongs elsewhere is blank. It knows nested comments,
/// raw and multi-line strings and interpolation, which is enough to measure by. It does not know
/// regex literals.
struct SwiftScanner {
  private let bytes: [UInt8]
  private var index = 0
  /// The code, everything else blank. Of a string its quotes are left.
  private(set) var code: [UInt8]
  /// The comments with their slashes, everything else blank.
  private(set) var comments: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
    code = bytes.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
    comments = code
    scanCode(insideString: false)
  }

  /// Scans to the end, or inside a string to the parenthesis that closes an interpolation.
  private mutating func scanCode(insideString: Bool) {
    var depth = 0
    while index < bytes.count {
      if follows("//") {
        scanLineComment()
      } else if follows("/*") {
        scanBlockComment()
      } else if let hashes = hashesBeforeQuote() {
        scanString(hashes: hashes)
      } else {
        let byte = bytes[index]
        code[index] = byte
        index += 1
        if byte == UInt8(ascii: "(") { depth += 1 }
        if byte == UInt8(ascii: ")") { depth -= 1 }
        if insideString, depth < 0 { return }
      }
    }
  }

  private mutating func scanLineComment() {
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { keepComment(1) }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      if follows("/*") {
        depth += 1
        keepComment(2)
      } else if follows("*/") {
        depth -= 1
        keepComment(2)
      } else {
        keepComment(1)
      }
    } while depth > 0 && index < bytes.count
  }

  private mutating func keepComment(_ count: Int) {
    for _ in 0..<count {
      comments[index] = bytes[index]
      index += 1
    }
  }

  private mutating func scanString(hashes: Int) {
    index += hashes
    let pounds = String(repeating: "#", count: hashes)
    let isMultiline = follows("\"\"\"\n")
    let quotes = isMultiline ? "\"\"\"" : "\""
    keepQuotes(quotes.utf8.count)
    while index < bytes.count {
      if follows(quotes + pounds) {
        keepQuotes(quotes.utf8.count)
        index += hashes
        return
      }
      if follows("\\" + pounds + "(") {
        index += 2 + hashes
        scanCode(insideString: true)
      } else if follows("\\" + pounds) {
        index += 2 + hashes
      } else if !isMultiline, bytes[index] == UInt8(ascii: "\n") {
        return
      } else {
        index += 1
      }
    }
  }

  private mutating func keepQuotes(_ count: Int) {
    for _ in 0..<count {
      code[index] = UInt8(ascii: "\"")
      index += 1
    }
  }

  private func follows(_ text: String) -> Bool {
    bytes[min(index, bytes.count)...].starts(with: text.utf8)
  }

  /// How many `#` stand here before a quote; nil where no string begins.
  private func hashesBeforeQuote() -> Int? {
    var end = index
    while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
    return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
  }
}
