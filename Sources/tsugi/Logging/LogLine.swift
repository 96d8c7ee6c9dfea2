import JSONBytes
import Logging

/// One JSON object on one line, member by member.
struct LogLine: ~Copyable {
  private var json = JSONWriter()
  private var isEmpty = true

  /// Adds a member. The caller sees to it that no name comes twice.
  mutating func append(_ name: String, _ value: Logger.Metadata.Value) {
    json.append(raw: isEmpty ? "{" : ",")
    isEmpty = false
    json.append(memberName: name)
    append(value)
  }

  /// The line with its end; nothing is added afterwards. Line ends in texts are escaped, so there
  /// is no other.
  consuming func finished() -> [UInt8] {
    json.append(raw: isEmpty ? "{}\n" : "}\n")
    return json.bytes
  }

  private mutating func append(_ value: Logger.Metadata.Value) {
    switch value {
    case .string(let text): json.append(text)
    case .stringConvertible(let number as any FixedWidthInteger):
      json.append(raw: Array(String(describing: number).utf8))
    case .stringConvertible(let other): json.append(other.description)
    case .array(let values):
      appendList(values, "[", "]") { line, value in line.append(value) }
    case .dictionary(let members):
      appendList(members.sorted { $0.key < $1.key }, "{", "}") { line, member in
        line.json.append(memberName: member.key)
        line.append(member.value)
      }
    }
  }

  private mutating func appendList<Element>(
    _ elements: [Element], _ opening: StaticString, _ closing: StaticString,
    _ body: (inout LogLine, Element) -> Void
  ) {
    json.append(raw: opening)
    for (index, element) in elements.enumerated() {
      if index > 0 { json.append(raw: ",") }
      body(&self, element)
    }
    json.append(raw: closing)
  }
}
