/// A source's secret. It is written into the `Authorization` field and nowhere else: printed,
/// logged or dumped it shows no byte of itself.
package struct AccessToken: Sendable {
  /// The longest token taken, in bytes.
  package static let bytesMax = 512

  private let text: String

  /// A token, or nil when it is empty, too long, or holds what cannot stand in a header field:
  /// anything but visible ASCII.
  package init?(_ text: String) {
    guard (1...AccessToken.bytesMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.text = text
  }

  /// The header line that carries it.
  var authorizationLine: String { "Authorization: Bearer \(text)" }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<hidden>" }
  package var debugDescription: String { "<hidden>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
