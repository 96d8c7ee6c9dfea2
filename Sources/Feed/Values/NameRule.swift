private import Bytes

/// What a variable of a feed's path, or one of its parameters, may be.
package enum NameRule: Hashable, Sendable {
  /// One of these.
  case oneOf([String])
  /// Some of these, with commas between, each once.
  case someOf([String])
  /// Letters, digits, `_`, `.` and `-`: what cannot end the text around it upstream.
  case plain

  /// Whether a decoded value may stand there.
  package func takes(_ value: [UInt8]) -> Bool {
    switch self {
    case .oneOf(let values): values.contains { value.elementsEqual($0.utf8) }
    case .someOf(let values):
      NameRule.areSome(of: values, value)
    case .plain:
      !value.isEmpty && value.allSatisfy { $0.isWord || ".-".utf8.contains($0) }
    }
  }

  /// Completes "must be …".
  package var expectation: String {
    switch self {
    case .oneOf(let values): "one of \(values.joined(separator: ", "))"
    case .someOf(let values):
      "some of \(values.joined(separator: ", ")) with commas between, each once"
    case .plain: "of letters, digits, _, . and -"
    }
  }

  private static func areSome(of values: [String], _ value: [UInt8]) -> Bool {
    let names = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    return Set(names).count == names.count && Set(names).isSubset(of: values)
  }
}
