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
  private enum Name {
    /// A name that needs no escapes.
    case fixed(StaticString)
    case any(String)
  }

  private var members: [(Name, (any JSONWritable)?)]

  /// An object of these members.
  package init(dictionaryLiteral members: (StaticString, (any JSONWritable)?)...) {
    self.members = members.map { (.fixed($0), $1) }
  }

  /// An object whose names are values: `{"qiita":{…}}`.
  package init(_ members: [(name: String, value: any JSONWritable)]) {
    self.members = members.map { (.any($0.name), $0.value) }
  }

  /// The object with a member more at the end; the same where that is nil.
  package func with(_ name: StaticString, _ value: (any JSONWritable)?) -> JSONObject {
    var object = self
    if value != nil { object.members.append((.fixed(name), value)) }
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
      if !isFirst { json.append(raw: ",") }
      isFirst = false
      switch name {
      case .fixed(let name):
        json.append(raw: "\"")
        json.append(raw: name)
        json.append(raw: "\":")
      case .any(let name): json.append(memberName: name)
      }
      if let value { value.write(to: &json) } else { json.append(raw: "null") }
    }
    json.append(raw: "}")
  }

  /// Its bytes as JSON.
  package func bytes(capacity: Int = 512) -> [UInt8] {
    JSONWriter.bytes(capacity: capacity) { write(to: &$0) }
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
