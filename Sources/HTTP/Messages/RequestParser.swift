/// Turns a connection's bytes into requests: pure, incremental, and blind to how they were split.
///
/// Its owner keeps the bytes it has not used up and gives them again, first, with what came
/// since. After a refusal the input has no known meaning any more and the connection must end.
struct RequestParser {
  enum Outcome {
    case incomplete
    case request(Request)
    case refused(Refusal)
  }

  private enum Part {
    case head
    case length(Int)
    case chunked(ChunkedBody)
  }

  private var head = HeadParser()
  /// What ``plainHead(in:at:limits:peer:)`` found, until it is passed over or parsed.
  private var found: HeadParser.Outcome?
  private var part = Part.head
  private var request: Request?

  /// The last request's connection ends after its answer; decided when its head is whole.
  private(set) var closes = false
  /// `100 Continue` is due; the sender of it resets this.
  var owesContinue = false

  /// Whether nothing of a next request has come, empty lines aside.
  var isBetweenRequests: Bool {
    if case .head = part { !head.hasBegun } else { false }
  }

  /// Whether no byte has been read since the last request ended.
  var isUntouched: Bool {
    if case .head = part { head.isUntouched } else { false }
  }

  /// Whether a head is whole and its body is not.
  var isInBody: Bool { request != nil }

  /// Whether what has come of the request asks for an answer without a body, a refusal too.
  var isHead: Bool { head.isHead || request?.method == .head }

  /// Bytes it holds of a request that is not whole.
  var heldBytes: Int { fields.byteCount + (request?.body.capacity ?? 0) }

  /// The field lines of the request that is being read, once its head is whole.
  private(set) var fields = Fields()

  /// The plain head at `position`, where the next request is one; nil where it is not, or not
  /// whole. It is valid while `bytes` are; then it is passed over, or parsed like any other.
  mutating func plainHead(
    in bytes: UnsafeRawBufferPointer, at position: Int, limits: Limits, peer: Peer
  ) -> PlainHead? {
    guard case .head = part else { return nil }
    let window = UnsafeRawBufferPointer(rebasing: bytes[position...])
    let outcome = head.parse(window, limits: limits)
    found = outcome
    guard case .complete(let length) = outcome else { return nil }
    return PlainHead(UnsafeRawBufferPointer(rebasing: window[..<length]), head, peer: peer)
  }

  /// Passes over the plain head that was found at `position`: it needs no request.
  mutating func passHead(from position: inout Int) {
    guard case .complete(let length) = found.take() else { return }
    head.reset()
    position += length
  }

  /// Goes on reading at `position`, which moves behind what is used up.
  mutating func parse(
    _ bytes: UnsafeRawBufferPointer, from position: inout Int, limits: Limits, peer: Peer
  ) -> Outcome {
    do throws(Refusal) {
      if case .head = part {
        let window = UnsafeRawBufferPointer(rebasing: bytes[position...])
        switch found.take() ?? head.parse(window, limits: limits) {
        case .incomplete: return .incomplete
        case .refused(let refusal): throw refusal
        case .complete(let length):
          let bytes = UnsafeRawBufferPointer(rebasing: window[..<length])
          try judgeHead(bytes, limits, peer)
          head.reset()
          position += length
        }
      }
      return try readBody(bytes, &position, limits)
    } catch {
      return .refused(error)
    }
  }

  /// Judges the framing first, then what the request line means.
  private mutating func judgeHead(
    _ bytes: UnsafeRawBufferPointer, _ limits: Limits, _ peer: Peer
  ) throws(Refusal) {
    guard let line = head.requestLine else {
      preconditionFailure("a whole head has its first line")
    }
    // As bytes in memory of their type they are copied as a whole.
    fields = Fields(bytes: Array(bytes.bindMemory(to: UInt8.self)), spans: head.spans)
    let framing = try Framing(fields, minorVersion: line.minorVersion)
    guard let method = Method(token: bytes[line.method]) else { throw .methodUnknown }
    let target = try Target(bytes[line.target], method: method)
    request = Request(
      method: method, path: target.path, query: target.query,
      authority: target.authority, fields: fields, peer: peer,
      minorVersion: line.minorVersion)
    closes = framing.closes
    try expect(framing, method, limits)
  }

  private mutating func expect(
    _ framing: Framing, _ method: Method, _ limits: Limits
  ) throws(Refusal) {
    switch framing.body {
    case .none:
      part = .length(0)
      return
    case .chunked:
      part = .chunked(ChunkedBody(bytesMax: limits.bodyBytesMax(of: method)))
    case .length(let length):
      guard length <= limits.bodyBytesMax(of: method) else { throw .bodyTooLarge }
      part = .length(length)
    }
    owesContinue = framing.expectsContinue
  }

  private mutating func readBody(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int, _ limits: Limits
  ) throws(Refusal) -> Outcome {
    switch part {
    case .head:
      return .incomplete
    case .length(let left):
      let piece = bytes[position...].prefix(left)
      append(piece, limits)
      position = piece.endIndex
      part = .length(left - piece.count)
      if piece.count < left { return .incomplete }
    case .chunked(var body):
      let isWhole = try body.read(bytes, from: &position, limits: limits) { append($0, limits) }
      part = .chunked(body)
      if !isWhole { return .incomplete }
    }
    return finish()
  }

  private mutating func append(_ piece: Slice<UnsafeRawBufferPointer>, _ limits: Limits) {
    guard let method = request?.method, limits.keepsBody(of: method) else { return }
    request?.body.append(contentsOf: piece)
  }

  private mutating func finish() -> Outcome {
    guard let whole = request.take() else { return .incomplete }
    fields = Fields()
    part = .head
    owesContinue = false
    return .request(whole)
  }
}
