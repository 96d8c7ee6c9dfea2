/// What comes before an answer and ends nothing: 102, or 103 with fields that the answer is likely
/// to have (RFC 9110 §15.2, RFC 8297).
package struct InterimResponse: Sendable {
  /// The most that are sent before one answer.
  static let countMax = 8

  /// 102 to 199.
  package let code: Int
  /// Its fields; those of a body or a connection are left out.
  package let fields: Fields

  /// An interim answer; nil for a code that says something of the connection, 100 and 101, or is
  /// none.
  package init?(code: Int, fields: Fields) {
    guard (102..<200).contains(code) else { return nil }
    (self.code, self.fields) = (code, fields)
  }

  /// The words that follow the code.
  var reason: String {
    switch code {
    case 102: "Processing"
    case 103: "Early Hints"
    default: ""
    }
  }
}
