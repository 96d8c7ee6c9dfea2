internal import Feed

/// Collects the body of one answer, up to a limit.
///
/// The first bytes show whether a body is gzip, where a coding is announced: servers announce
/// it of plain text, and announce what is no coding (`none`, `utf-8`).
struct BodyBuffer: ~Copyable {
  private let limitBytes: Int
  private let announcedBytes: Int
  private let coding: Coding
  private var receivedBytes = 0
  private var bytes: [UInt8] = []
  /// What came before two bytes were there to tell the coding by.
  private var head: [UInt8] = []
  private var isPlain: Bool
  private var inflater: Inflater?

  /// What a `Content-Encoding` announces.
  private enum Coding {
    case plain, gzip, other
  }

  /// How much larger than sent an inflated page may become before what is there has to be moved.
  private static let inflation = 12

  /// A buffer for a body whose `Content-Encoding` is `coding`; nil means none. `announcedBytes` is
  /// its `Content-Length`, for which it has room from the beginning: to move a page of 3 MB takes
  /// as long as to receive it.
  init(coding: String?, announcedBytes: Int = 0, limitBytes: Int) {
    self.limitBytes = limitBytes
    self.announcedBytes = max(announcedBytes, 0)
    let words = (coding ?? "").lowercased().split { ", \t".utf8.contains($0.utf8.first ?? 0) }
      .filter { $0 != "identity" }
    self.coding = words.isEmpty ? .plain : words.contains { $0.hasSuffix("gzip") } ? .gzip : .other
    isPlain = words.isEmpty
    if isPlain { reserve(inflation: 1) }
  }

  /// Takes the next bytes as sent; gives how many more the body has by them.
  ///
  /// - Throws: `.tooLarge` when they, or what they inflate to, pass the limit; `.malformed` when
  ///   they are neither gzip nor text where a coding was announced.
  mutating func append(_ chunk: UnsafeRawBufferPointer) throws(FetchError) -> Int {
    let before = bytes.count
    receivedBytes += chunk.count
    guard receivedBytes <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
    if isPlain {
      bytes.append(contentsOf: chunk)
    } else if inflater != nil {
      try inflater?.inflate(chunk, into: &bytes, limitBytes: limitBytes)
    } else {
      head.append(contentsOf: chunk)
      if head.count >= Inflater.magic.count { try begin() }
    }
    return bytes.count - before
  }

  /// The whole body, inflated.
  ///
  /// - Throws: `.cut` when its gzip stream did not end: libcurl takes such a body for whole.
  consuming func finish() throws(FetchError) -> [UInt8] {
    if inflater?.isAtEnd == false { throw .cut }
    if isPlain || inflater != nil { return bytes }
    guard let first = head.first, BodyBuffer.beginsText(first) else { throw .cut }
    return head
  }

  /// Decides by the first bytes what the body is, and takes them.
  private mutating func begin() throws(FetchError) {
    let isText = head.first.map(BodyBuffer.beginsText) ?? false
    if head.starts(with: Inflater.magic) || coding == .gzip && !isText {
      reserve(inflation: BodyBuffer.inflation)
      inflater = try Inflater()
      try head.withUnsafeBufferPointer { (head) throws(FetchError) in
        try inflater?.inflate(UnsafeRawBufferPointer(head), into: &bytes, limitBytes: limitBytes)
      }
    } else if isText {
      isPlain = true
      reserve(inflation: 1)
      bytes.append(contentsOf: head)
    } else {
      throw .malformed(reason: "content coding was not asked for")
    }
    head = []
  }

  private mutating func reserve(inflation factor: Int) {
    bytes.reserveCapacity(factor * min(announcedBytes, limitBytes / factor))
  }

  /// Whether JSON in UTF-8 may begin with a byte: white space, a byte order mark, a value.
  private static func beginsText(_ byte: UInt8) -> Bool {
    " \t\r\n{[\"-0123456789tfn".utf8.contains(byte) || byte == ByteOrderMark.bytes[0]
  }
}

/// The byte order mark of UTF-8, which JSON may not begin with, and which a reader may ignore
/// (RFC 8259 §8.1).
enum ByteOrderMark {
  /// Its bytes.
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// A text without the mark before it.
  static func removed(from text: [UInt8]) -> [UInt8] {
    text.starts(with: bytes) ? Array(text.dropFirst(bytes.count)) : text
  }
}
