import JSONBytes

/// JSON as Rails writes it: no white space, Japanese as it is, `<`, `>`, `&` escaped.
enum RailsJSON {
  /// One value of a member.
  enum Value {
    case text(String)
    case number(Int)
    case flag(Bool)
    case null
    /// Bytes that are JSON already.
    case json([UInt8])
    /// Bytes that are escaped already and together are one text.
    case escaped([[UInt8]])
    case array([[UInt8]])
  }

  /// An object of these members, in this order.
  static func object(_ members: [(key: String, value: Value)]) -> [UInt8] {
    var json = JSONWriter(capacity: 2048, escapesMarkup: true)
    json.append(raw: "{")
    for (index, member) in members.enumerated() {
      if index > 0 { json.append(raw: ",") }
      json.append(memberName: member.key)
      append(member.value, to: &json)
    }
    json.append(raw: "}")
    return json.bytes
  }

  /// An array of elements that are JSON already.
  static func array(_ elements: [[UInt8]]) -> [UInt8] {
    var json = JSONWriter(capacity: elements.reduce(2) { $0 + $1.count + 1 })
    append(.array(elements), to: &json)
    return json.bytes
  }

  /// What stands between the quotes of a text.
  static func escaped(_ text: String) -> [UInt8] {
    var json = JSONWriter(capacity: text.utf8.count + 64, escapesMarkup: true)
    var text = text
    text.withUTF8 { json.append(escaped: $0) }
    return json.bytes
  }

  private static func append(_ value: Value, to json: inout JSONWriter) {
    switch value {
    case .text(let text): json.append(text)
    case .number(let number): json.append(number)
    case .flag(let flag): json.append(flag)
    case .null: json.append(raw: "null")
    case .json(let bytes): json.append(raw: bytes)
    case .escaped(let pieces):
      json.append(raw: "\"")
      for piece in pieces { json.append(raw: piece) }
      json.append(raw: "\"")
    case .array(let elements):
      json.append(raw: "[")
      for (index, element) in elements.enumerated() {
        if index > 0 { json.append(raw: ",") }
        json.append(raw: element)
      }
      json.append(raw: "]")
    }
  }
}
