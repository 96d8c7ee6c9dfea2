/// An answer's status line and fields, encoded once to be sent many times.
///
/// Content-Length is among them. What each answer has of its own, and Date, follow as it is sent.
package struct EncodedHead: Sendable {
  let bytes: [UInt8]

  /// Encodes the head of `response`; its fields hold no Date.
  package init(_ response: Response) {
    var encoder = ResponseEncoder()
    _ = encoder.appendStart(of: response)
    bytes = encoder.bytes
  }

  /// How many bytes it takes.
  package var count: Int { bytes.count }
}

/// Where a handler puts an answer that it had ready: the head first, then the fields that this
/// one answer has of its own. The loop adds Date, the empty line and the body.
package struct ReadyAnswer: ~Copyable {
  private let encoder: UnsafeMutablePointer<ResponseEncoder>

  init(_ encoder: UnsafeMutablePointer<ResponseEncoder>) {
    self.encoder = encoder
  }

  /// Adds the head; once, and first.
  package func begin(_ head: borrowing EncodedHead) {
    encoder.pointee.append(head.bytes)
  }

  /// Adds text and digits as they stand: whole field lines, each ending in CRLF.
  package func append(_ text: StaticString) {
    text.withUTF8Buffer { encoder.pointee.append($0) }
  }

  /// Adds bytes of a field's value, which hold no control characters.
  package func append(_ bytes: UnsafeRawBufferPointer) {
    encoder.pointee.append(bytes)
  }

  /// Adds a whole number's digits.
  package func append(_ number: Int64) {
    encoder.pointee.append(number)
  }
}
