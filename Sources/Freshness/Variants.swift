/// Which request an answer is for, beside its target (RFC 9111 §4.1).
package enum Variants {
  /// The fields that `Vary` names, in lower case; `*` may be among them.
  static func names(in fields: FieldList) -> Set<String> {
    fields.words(of: "vary")
  }

  /// Whether nothing but the very request selects an answer.
  static func isEndless(_ fields: FieldList) -> Bool { names(in: fields).contains("*") }

  /// Whether an answer is one to a request with these fields.
  package static func selects(_ answer: StoredAnswer, _ request: FieldList) -> Bool {
    let names = names(in: answer.fields)
    return !names.contains("*")
      && names.allSatisfy { normal($0, of: answer.asked) == normal($0, of: request) }
  }

  /// The text that distinguishes the variants of a target: what the request says of the fields
  /// that `Vary` names.
  package static func key(of answer: StoredAnswer) -> [UInt8] {
    var key: [UInt8] = []
    for name in names(in: answer.fields).sorted() {
      key += Array("\(name):".utf8)
      if let value = normal(name, of: answer.asked) { key += Array("=".utf8) + value }
      key.append(UInt8(ascii: "\n"))
    }
    return key
  }

  /// A field's value, its lines made one and blanks around commas left out; nil for none.
  private static func normal(_ name: String, of fields: FieldList) -> [UInt8]? {
    let values = fields.values(of: name)
    guard !values.isEmpty else { return nil }
    let text = values.joined(separator: ",".utf8)
    let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    return Array(
      parts.map { FieldText.trimmed(Array($0)[...]) }.joined(separator: ",".utf8))
  }
}
