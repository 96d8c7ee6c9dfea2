import Bytes

/// One header field line, as it came (RFC 9110 §5.5).
package struct FieldLine: Hashable, Sendable {
  /// A token, in the letter case it came in.
  package var name: String
  /// The value's bytes, blanks around it left out; any octet but CR, LF and NUL.
  package var value: [UInt8]

  /// A line from its parts.
  package init(_ name: String, _ value: some Collection<UInt8>) {
    self.name = name
    self.value = Array(value)
  }

  /// A line whose value is a text.
  package init(_ name: String, _ value: String) {
    self.init(name, value.utf8)
  }

  /// Whether bytes can be a field's name (RFC 9110 §5.1).
  package static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(FieldGrammar.isToken)
  }

  /// Whether it is of this name, letter case aside; `name` is in lower case.
  func isNamed(_ name: String) -> Bool {
    self.name.utf8.count == name.utf8.count
      && self.name.utf8.elementsEqual(name.utf8) { own, other in
        own == other || (UInt8(ascii: "A")...UInt8(ascii: "Z") ~= own && own | 0x20 == other)
      }
  }
}

/// The header fields of a message, in order and as often as they came (RFC 9110 §5.3).
package struct FieldList: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// The lines.
  package var lines: [FieldLine]

  /// A list of these lines.
  package init(_ lines: [FieldLine] = []) {
    self.lines = lines
  }

  /// See ``init(_:)``.
  package init(arrayLiteral lines: FieldLine...) {
    self.lines = lines
  }

  /// The values of all lines of a name, which is in lower case.
  package func values(of name: String) -> [[UInt8]] {
    lines.filter { $0.isNamed(name) }.map(\.value)
  }

  /// Whether there is a line of a name, which is in lower case.
  package func has(_ name: String) -> Bool {
    lines.contains { $0.isNamed(name) }
  }

  /// The lines of a name as one, which says the same where the field is a list; nil for none.
  package func combined(_ name: String) -> [UInt8]? {
    let values = values(of: name)
    return values.isEmpty ? nil : Array(values.joined(separator: ", ".utf8))
  }

  /// The value of a field that may come once; nil where it comes never, or more often.
  package func single(_ name: String) -> [UInt8]? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }

  /// The elements of a field that is a list, blanks and empty ones left out (RFC 9110 §5.6.1).
  package func elements(of name: String) -> [[UInt8]] {
    combined(name).map(FieldText.elements) ?? []
  }

  /// The elements in lower case.
  package func words(of name: String) -> Set<String> {
    Set(elements(of: name).map { String(decoding: $0, as: UTF8.self).lowercased() })
  }

  /// The list without the lines of some names, which are in lower case.
  package func without(_ names: Set<String>) -> FieldList {
    FieldList(lines.filter { !names.contains($0.name.lowercased()) })
  }

  /// The lines of some names, which are in lower case.
  package func only(_ names: Set<String>) -> FieldList {
    FieldList(lines.filter { names.contains($0.name.lowercased()) })
  }

  /// What is meant for the message's final recipient: without the fields of one connection,
  /// and those that `Connection` names (RFC 9110 §7.6.1).
  package var endToEnd: FieldList {
    without(FieldList.hopByHop.union(words(of: "connection")))
  }

  /// The lines as they are stored: name, colon, value, line feed. A value has no line feed.
  package var stored: [UInt8] {
    var bytes: [UInt8] = []
    for line in lines {
      bytes.append(contentsOf: line.name.utf8)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: line.value)
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  /// The list that was ``stored``; what is no line is left out.
  package init(stored bytes: [UInt8]) {
    lines = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      return FieldLine(String(decoding: line[..<colon], as: UTF8.self), line[(colon + 1)...])
    }
  }

  private static let hopByHop: Set = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]
}
