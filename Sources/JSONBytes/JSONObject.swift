/// What a ``JSONWriter`` writes as a value.
package protocol JSONWritable {
  /// Appends it.
  func write(to json: inout JSONWriter)
}

/// An object to be written: its members in their order, nil as `null`.
///
/// ```swift
/// var object: JSONObject = ["id": "a", "rank": nil]  // {"id":"a","rank":null}
/// ```
package struct JSONObject: JSONWritable, ExpressibleByDictionaryLiteral {
  private var members: [(StaticString, (any JSONWritable)?)]

  /// An object of these members.
  package init(dictionaryLiteral members: (StaticString, (any JSONWritable)?)...) {
    self.members = members
  }

  /// The object with a member more at the end; the same where that is nil.
  package func with(_ name: StaticString, _ value: (any JSONWritable)?) -> JSONObject {
    var object = self
    if value != nil { object.members.append((name, value)) }
    return object
  }

  /// The object with another's members at its end.
  package static func + (left: JSONObject, right: JSONObject) -> JSONObject {
    var object = left
    object.members += right.members
    return object
  }

  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) {
    json.append(raw: "{")
    var isFirst = true
    for (name, value) in members {
      json.append(raw: isFirst ? "\"" : ",\"")
      isFirst = false
      json.append(raw: name)
      json.append(raw: "\":")
      if let value { value.write(to: &json) } else { json.append(raw: "null") }
    }
    json.append(raw: "}")
  }

  /// Its bytes as JSON.
  package func bytes(capacity: Int = 512) -> [UInt8] {
    JSONWriter.bytes(capacity: capacity) { write(to: &$0) }
  }
}

/// An object whose names are values: `{"qiita":{…}}`.
package struct JSONMap: JSONWritable {
  private let members: [(name: String, value: any JSONWritable)]

  /// A map of these members, in this order.
  package init(_ members: [(name: String, value: any JSONWritable)]) {
    self.members = members
  }

  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) {
    json.append(raw: "{")
    for (index, member) in members.enumerated() {
      if index > 0 { json.append(raw: ",") }
      json.append(memberName: member.name)
      member.value.write(to: &json)
    }
    json.append(raw: "}")
  }
}

extension String: JSONWritable {
  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) { json.append(self) }
}

extension Int: JSONWritable {
  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) { json.append(self) }
}

extension Int64: JSONWritable {
  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) { json.append(self) }
}

extension Bool: JSONWritable {
  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) { json.append(self) }
}

extension Array: JSONWritable where Element: JSONWritable {
  /// See ``JSONWritable``.
  package func write(to json: inout JSONWriter) {
    json.appendList(self) { $1.write(to: &$0) }
  }
}
