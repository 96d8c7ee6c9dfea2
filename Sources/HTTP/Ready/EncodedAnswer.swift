import Bytes
import Glibc

/// An answer encoded once to be sent many times: room, the field lines that are the same each time,
/// Content-Length among them, the empty line, and the body.
///
/// What each answer has of its own is put into the room each time, so that a small one lies in one
/// piece and is sent from there. A loop's own: not even its other answers use the room meanwhile.
package final class EncodedAnswer {
  /// What an answer has of its own at most, in bytes: status line, ``PerReplyFields``, Date.
  static let roomBytes = 512
  /// A body of more bytes than this is sent as a second piece, without a copy: a client that has
  /// not taken all of a response keeps it, a body shared with others or a copy of both.
  package static let joinedBodyBytesMax = 32 << 10

  /// The room, the lines, and the body where it is small.
  @exclusivity(unchecked) private(set) var bytes: [UInt8]
  /// The body where it is large and has no file.
  private(set) var body: [UInt8]
  private var file: BodyFile?
  private var wantsFile: Bool
  /// Where the body begins, or would.
  let headEnd: Int
  private let statusLine: [UInt8]
  private let hasDate: Bool

  /// Encodes `response`. A Date that it has stays; else each answer gets one.
  package init(_ response: Response) {
    var encoder = ResponseEncoder()
    encoder.appendStatusLine(response.status)
    statusLine = encoder.bytes
    encoder.reset()
    encoder.append(repeatElement(0, count: EncodedAnswer.roomBytes))
    hasDate = encoder.appendLines(of: response)
    encoder.append("\r\n".utf8)
    headEnd = encoder.bytes.count
    let isJoined = response.body.count <= EncodedAnswer.joinedBodyBytesMax
    if isJoined { encoder.append(response.body) }
    body = isJoined ? [] : response.body
    wantsFile = !isJoined
    bytes = encoder.bytes
  }

  /// How many bytes it takes, the room among them.
  package var byteCount: Int { bytes.count + (file?.byteCount ?? body.count) }

  /// The file that a large body is sent from, made when it is first sent; nil where it is small, or
  /// there is no file for it. None is asked for where descriptors are short.
  func bodyFile(areDescriptorsShort: Bool) -> BodyFile? {
    if wantsFile {
      wantsFile = false
      file = areDescriptorsShort ? nil : BodyFile(body)
      if file != nil { body = [] }
    }
    return file
  }

  /// Puts what one answer has of its own into the room; gives where in the bytes it begins.
  func begin(_ own: borrowing PerReplyFields, dateLine told: [UInt8]) -> Int {
    let dateLine = hasDate ? [] : told
    let start = EncodedAnswer.roomBytes - statusLine.count - own.count - dateLine.count
    precondition(start >= 0, "an answer's own lines fit into the room")
    statusLine.withUnsafeBytes { put($0, at: start) }
    own.withBytes { put($0, at: start + statusLine.count) }
    dateLine.withUnsafeBytes { put($0, at: EncodedAnswer.roomBytes - dateLine.count) }
    return start
  }

  private func put(_ part: UnsafeRawBufferPointer, at place: Int) {
    bytes.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[place...]).copyMemory(from: part)
    }
  }
}

/// A reply that a handler has cached for a plain request.
package struct CachedReply {
  let answer: EncodedAnswer
  let isHead: Bool

  /// An encoded answer, or where `isHead` says so its head alone.
  package init(_ answer: EncodedAnswer, isHead: Bool) {
    self.answer = answer
    self.isHead = isHead
  }
}

/// The header lines that differ from reply to reply: whole lines, each with CRLF.
package struct PerReplyFields: ~Copyable {
  /// The most bytes of them; more is our own mistake and traps.
  static let bytesMax = 384

  // Its only owner's: allocated here and freed with it; written up to `count`.
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesMax, alignment: 8)
  /// How many bytes they have.
  package private(set) var count = 0

  /// None.
  package init() {}

  deinit {
    memory.deallocate()
  }

  /// Forgets them.
  mutating func reset() {
    count = 0
  }

  /// Gives them to `body`.
  package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  /// Adds text as it stands.
  package mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds bytes as they stand.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= PerReplyFields.bytesMax - count, "an answer's own lines are short")
    guard let start = bytes.baseAddress, let place = memory.baseAddress else { return }
    memcpy(place + count, start, bytes.count)
    count += bytes.count
  }

  /// Adds a whole number's digits.
  package mutating func append(_ number: Int64) {
    withDecimalDigits(of: number) { append(UnsafeRawBufferPointer($0)) }
  }
}
