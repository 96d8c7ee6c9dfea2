internal import Feed

/// The body of one answer as it arrives, within its limit.
struct BodyBuffer: ~Copyable {
  private let limitBytes: Int
  private var receivedBytes = 0
  private var bytes: [UInt8] = []
  private var inflater: Inflater?

  /// A buffer for a body whose `Content-Encoding` is `coding`; nil means none.
  ///
  /// - Throws: `.malformed` for a coding that was not asked for.
  init(coding: String?, limitBytes: Int) throws(FetchError) {
    self.limitBytes = limitBytes
    switch coding?.lowercased() {
    case nil, "", "identity": inflater = nil
    case "gzip", "x-gzip": inflater = try Inflater()
    default: throw .malformed(reason: "content coding was not asked for")
    }
  }

  /// Takes the next bytes as sent.
  ///
  /// - Throws: `.tooLarge` when they, or what they inflate to, pass the limit; `.malformed` when
  ///   they are not gzip where that was announced.
  mutating func append(_ chunk: UnsafeRawBufferPointer) throws(FetchError) {
    receivedBytes += chunk.count
    guard receivedBytes <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
    if inflater != nil {
      try inflater?.inflate(chunk, into: &bytes, limitBytes: limitBytes)
    } else {
      bytes.append(contentsOf: chunk)
    }
  }

  /// The whole body, inflated.
  ///
  /// - Throws: `.cut` when its gzip stream did not end: libcurl takes such a body for whole.
  consuming func finish() throws(FetchError) -> [UInt8] {
    if inflater?.isAtEnd == false { throw .cut }
    return bytes
  }
}
