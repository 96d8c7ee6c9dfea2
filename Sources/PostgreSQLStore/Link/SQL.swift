/// One statement with its parameters.
struct SQL {
  var text: String
  var parameters: [SQLValue?] = []

  /// A statement; `$1` is the first parameter.
  init(_ text: String, _ parameters: any SQLParameter...) {
    self.text = text
    self.parameters = parameters.map(\.sqlValue)
  }
}

/// A value in one of the two forms that the protocol has (PostgreSQL, 55.2.4).
enum SQLValue: Hashable {
  /// As PostgreSQL reads it in SQL, without quotes.
  case text(String)
  /// As its type's `receive` function reads it.
  case binary([UInt8])
}

/// What can stand for a parameter.
protocol SQLParameter {
  /// Its value; nil for NULL.
  var sqlValue: SQLValue? { get }
}

/// Bytes, as `bytea`.
extension [UInt8]: SQLParameter {
  var sqlValue: SQLValue? { .binary(self) }
}

extension Int64: SQLParameter {
  var sqlValue: SQLValue? { .text(String(self)) }
}

extension Int: SQLParameter {
  var sqlValue: SQLValue? { .text(String(self)) }
}

extension Bool: SQLParameter {
  var sqlValue: SQLValue? { .text(self ? "t" : "f") }
}

/// Text. A NUL, which PostgreSQL's texts cannot hold, ends it: no name of ours has one.
extension String: SQLParameter {
  var sqlValue: SQLValue? { .text(self) }
}

extension Optional: SQLParameter where Wrapped: SQLParameter {
  var sqlValue: SQLValue? { self?.sqlValue ?? nil }
}

/// An array, for `unnest`.
struct SQLArray: SQLParameter {
  let sqlValue: SQLValue?

  /// An array of what PostgreSQL reads as text.
  init<Element: SQLParameter>(_ elements: [Element]) {
    let texts = elements.map { element -> String in
      guard case .text(let text) = element.sqlValue else { return "NULL" }
      return "\"" + SQLArray.escaped(text) + "\""
    }
    sqlValue = .text("{" + texts.joined(separator: ",") + "}")
  }

  /// An array of `bytea`, as `array_recv` reads it: the bytes as they are, since these may be
  /// megabytes.
  init(_ elements: [[UInt8]]) {
    let byteaOID: Int32 = 17
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.reduce(20) { $0 + 4 + $1.count })
    func append(_ number: Int32) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    // Dimensions, whether there are NULLs, the type; of the one dimension its length and begin.
    for number in elements.isEmpty ? [0, 0, byteaOID] : [1, 0, byteaOID] { append(number) }
    if !elements.isEmpty {
      append(Int32(clamping: elements.count))
      append(1)
    }
    for element in elements {
      append(Int32(clamping: element.count))
      bytes.append(contentsOf: element)
    }
    sqlValue = .binary(bytes)
  }

  private static func escaped(_ text: String) -> String {
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
