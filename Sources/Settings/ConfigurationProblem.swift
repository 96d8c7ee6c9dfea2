import JSONBytes

extension Configuration {
  /// One thing wrong with a configuration, for its operator. It names places and rules, never a
  /// value: what is wrong may be a secret.
  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// Where: the path of a key (`server.port`, `server.apiKeys[1]`), an environment variable, a
    /// flag (`--port`), or `etc/config.json, line 3, column 7`.
    package let place: String
    /// What is wrong and what would be right, to be read after the place and a colon.
    package let message: String

    /// `server.port: must be a whole number from 0 to 65535`
    package var description: String { "\(place): \(message)" }
  }

  /// Everything wrong with a configuration: never empty. First what the file says, in its order,
  /// then the environment, the flags, and what does not go together.
  package struct Problems: Error, Hashable, CustomStringConvertible {
    /// One by one.
    package let all: [Problem]

    /// One line each.
    package var description: String { all.map(\.description).joined(separator: "\n") }
  }
}

extension Configuration.Problem {
  /// What is wrong with a file that is no JSON, by the line and column of the fault.
  init(_ error: JSONError, in json: [UInt8], named name: String?) {
    let (offset, message) =
      switch error {
      case .truncated(let offset): (offset, "the file ends before its JSON does")
      case .unexpectedByte(let offset): (offset, Self.words(for: json, from: offset))
      case .mismatchedBracket(let offset): (offset, "this bracket closes what is not open")
      case .tooDeep(let offset): (offset, "too many brackets inside one another")
      case .trailingBytes(let offset): (offset, "nothing may follow the end of the JSON")
      case .invalidUTF8(let offset): (offset, "these bytes are not UTF-8")
      case .invalidEscape(let offset): (offset, "this is no escape of JSON")
      case .notAnArray, .notAnObject, .notAText, .notAWholeNumber, .tooManyElements:
        (0, "this is not JSON")
      }
    let before = json.prefix(offset)
    let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // A character is counted by its first byte: the others of UTF-8 all begin with the bits 10.
    let column = (line.last ?? []).count { $0 & 0xC0 != 0x80 } + 1
    let place = "line \(max(line.count, 1)), column \(column)"
    self.init(place: name.map { "\($0), \(place)" } ?? place, message: message)
  }

  /// What people and editors put into JSON that has no place there.
  private static func words(for json: [UInt8], from offset: Int) -> String {
    let rest = json[offset...]
    let last = json[..<offset].last { !" \t\r\n".utf8.contains($0) }
    return if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      "a byte order mark; the file must be UTF-8 without one"
    } else if rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) || rest.first == 0x23 {
      "a comment; JSON has none"
    } else if last == UInt8(ascii: ","), rest.first == 0x7D || rest.first == 0x5D {
      "a trailing comma before this bracket; JSON has none"
    } else if rest.first == UInt8(ascii: "'") {
      "a single quote; texts stand in double quotes"
    } else {
      "this character cannot stand here in JSON"
    }
  }
}
