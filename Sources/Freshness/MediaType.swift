import Bytes

/// The media type of an answer, by its `Content-Type` (RFC 9110 §8.3).
package enum MediaType {
  /// The one media type that an answer names, in lower case, without its parameters:
  /// `application/json`. Nil unless every browser reads the same.
  ///
  /// Of several lines or members a browser takes the last one that it can read (WHATWG MIME
  /// Sniffing §4.1), another cache the first: more than one line, or a comma, is nil. So is a
  /// comma within quotes, since browsers differ in where a quoted string ends. What breaks the
  /// grammar `type "/" subtype *( ";" [ name "=" value ] )` is nil, too.
  package static func sole(of fields: FieldList) -> String? {
    guard let value = fields.single("content-type"), !value.contains(UInt8(ascii: ",")) else {
      return nil
    }
    var rest = value[...]
    let type = token(&rest)
    guard !type.isEmpty, rest.popFirst() == UInt8(ascii: "/") else { return nil }
    let subtype = token(&rest)
    guard !subtype.isEmpty, areParameters(rest) else { return nil }
    return "\(String(decoding: type, as: UTF8.self))/\(String(decoding: subtype, as: UTF8.self))"
      .lowercased()
  }

  /// Takes a token off; empty where there is none.
  private static func token(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let token = rest.prefix(while: FieldGrammar.isToken)
    rest = rest[token.endIndex...]
    return token
  }

  /// Whether nothing but parameters comes to the end (RFC 9110 §5.6.6).
  private static func areParameters(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text.drop(while: FieldGrammar.isBlank)
    while let separator = rest.popFirst() {
      guard separator == UInt8(ascii: ";") else { return false }
      rest = rest.drop(while: FieldGrammar.isBlank)
      guard !token(&rest).isEmpty else { continue }
      guard rest.popFirst() == UInt8(ascii: "=") else { return false }
      if let quoted = FieldText.quoted(rest) {
        rest = quoted.rest
      } else if token(&rest).isEmpty {
        return false
      }
      rest = rest.drop(while: FieldGrammar.isBlank)
    }
    return true
  }
}
