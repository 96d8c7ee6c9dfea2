package import Bytes

extension RFC3339 {
  /// The text of an instant in UTC, whole seconds: `2026-11-21T00:00:00Z`.
  package static func text(_ instant: Timestamp) -> String { text(seconds: instant.seconds) }

  /// Gives the bytes of an instant's text to `body`.
  package static func withText(_ instant: Timestamp, _ body: (UnsafeRawBufferPointer) -> Void) {
    withText(seconds: instant.seconds, body)
  }
}
