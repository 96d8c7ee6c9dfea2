private import Bytes

/// What a variable of a feed's path, or one of its parameters, may be.
package enum NameRule: Hashable, Sendable {
  /// One of these.
  case oneOf([String])
  /// Letters, digits, `_`, `.` and `-`: what cannot end the text around it upstream.
  case plain

  /// Whether a decoded value may stand there.
  package func takes(_ value: [UInt8]) -> Bool {
    switch self {
    case .oneOf(let values): values.contains { value.elementsEqual($0.utf8) }
    case .plain:
      !value.isEmpty && value.allSatisfy { $0.isWord || ".-".utf8.contains($0) }
    }
  }

  /// Completes "must be …".
  package var expectation: String {
    switch self {
    case .oneOf(let values): "one of \(values.joined(separator: ", "))"
    case .plain: "of letters, digits, _, . and -"
    }
  }
}
