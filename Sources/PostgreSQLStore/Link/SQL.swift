/// One statement with its parameters, as text.
struct SQL {
  var text: String
  var parameters: [String?] = []

  /// A statement; `$1` is the first parameter.
  init(_ text: String, _ parameters: any SQLParameter...) {
    self.text = text
    self.parameters = parameters.map(\.sqlText)
  }
}

/// What can stand for a parameter.
protocol SQLParameter {
  /// Its text as PostgreSQL reads it; nil for NULL.
  var sqlText: String? { get }
  /// Its text as an element of an array, between quotes; nil for NULL.
  var sqlElement: String? { get }
}

extension SQLParameter {
  var sqlElement: String? { sqlText.map(SQLArray.escaped) }
}

extension Int64: SQLParameter {
  var sqlText: String? { String(self) }
}

extension Int: SQLParameter {
  var sqlText: String? { String(self) }
}

extension Bool: SQLParameter {
  var sqlText: String? { self ? "t" : "f" }
}

/// Text. A NUL, which PostgreSQL's texts cannot hold, ends it: no name of ours has one.
extension String: SQLParameter {
  var sqlText: String? { self }
}

/// `bytea`.
extension [UInt8]: SQLParameter {
  var sqlText: String? { "\\x" + hexadecimal }
  // Nothing in it has to be looked for: these may be megabytes.
  var sqlElement: String? { "\\\\x" + hexadecimal }

  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: 2 * count) { text in
      for (index, byte) in enumerated() {
        text[2 * index] = digits[Int(byte >> 4)]
        text[2 * index + 1] = digits[Int(byte & 15)]
      }
      return 2 * count
    }
  }
}

extension Optional: SQLParameter where Wrapped: SQLParameter {
  var sqlText: String? { self?.sqlText ?? nil }
  var sqlElement: String? { self?.sqlElement ?? nil }
}

/// An array, for `unnest`.
struct SQLArray: SQLParameter {
  let sqlText: String?

  init<Element: SQLParameter>(_ elements: [Element]) {
    let texts = elements.map { element -> String in
      guard let text = element.sqlElement else { return "NULL" }
      return "\"" + text + "\""
    }
    sqlText = "{" + texts.joined(separator: ",") + "}"
  }

  fileprivate static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    else { return text }
    var escaped = ""
    for character in text.unicodeScalars {
      if character == "\"" || character == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(character)
    }
    return escaped
  }
}
