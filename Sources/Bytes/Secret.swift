/// A token or an API key. Printed, logged or dumped it shows no byte of itself; only who asks for
/// `text` gets it.
package struct Secret: Hashable, Sendable {
  /// How many characters a token has that is sent upstream.
  package static let tokenLength = 1...512
  /// What stands for a secret wherever one is printed; never a secret itself.
  package static let hidden = "<hidden>"

  /// The secret: visible ASCII, without spaces.
  package let text: String

  /// A secret of `length` bytes of visible ASCII (RFC 9110 §5.5 lets no other into a field for
  /// sure); nil for another text, and for `hidden`, which would be a key that everyone knows.
  package init?(_ text: String, length: ClosedRange<Int>) {
    guard length.contains(text.utf8.count), text != Secret.hidden,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.text = text
  }

  /// A secret of visible words with single spaces between them, as `ApiKey c0ffee` is; nil for
  /// another text, or one that is longer than a token.
  package init?(phrase text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard text != Secret.hidden, Secret.tokenLength.contains(text.utf8.count),
      words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } })
    else { return nil }
    self.text = text
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package var description: String { Self.hidden }
  package var debugDescription: String { Self.hidden }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
