internal import Feed

/// Collects the body of one answer, up to a limit.
struct BodyBuffer: ~Copyable {
  private let limitBytes: Int
  private var receivedBytes = 0
  private var bytes: [UInt8] = []
  private var inflater: Inflater?

  /// How much larger than sent an inflated page may become before what is there has to be moved.
  private static let inflation = 12

  /// A buffer for a body whose `Content-Encoding` is `coding`; nil means none. `announcedBytes` is
  /// its `Content-Length`, for which it has room from the beginning: to move a page of 3 MB takes
  /// as long as to receive it.
  ///
  /// - Throws: `.malformed` for a coding that was not asked for.
  init(
    coding: String?, announcedBytes: Int = 0, limitBytes: Int
  ) throws(FetchError) {
    self.limitBytes = limitBytes
    switch coding?.lowercased() {
    case nil, "", "identity": inflater = nil
    case "gzip", "x-gzip": inflater = try Inflater()
    default: throw .malformed(reason: "content coding was not asked for")
    }
    let factor = inflater == nil ? 1 : BodyBuffer.inflation
    bytes.reserveCapacity(factor * min(max(announcedBytes, 0), limitBytes / factor))
  }

  /// Takes the next bytes as sent; gives how many more the body has by them.
  ///
  /// - Throws: `.tooLarge` when they, or what they inflate to, pass the limit; `.malformed` when
  ///   they are not gzip where that was announced.
  mutating func append(_ chunk: UnsafeRawBufferPointer) throws(FetchError) -> Int {
    let before = bytes.count
    receivedBytes += chunk.count
    guard receivedBytes <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
    if inflater != nil {
      try inflater?.inflate(chunk, into: &bytes, limitBytes: limitBytes)
    } else {
      bytes.append(contentsOf: chunk)
    }
    return bytes.count - before
  }

  /// The whole body, inflated.
  ///
  /// - Throws: `.cut` when its gzip stream did not end: libcurl takes such a body for whole.
  consuming func finish() throws(FetchError) -> [UInt8] {
    if inflater?.isAtEnd == false { throw .cut }
    return bytes
  }
}
