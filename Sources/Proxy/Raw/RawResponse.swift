import Feed
import Freshness
import HTTP
import Wire

extension Response {
  /// The reply to a raw request: conditions and ranges are met here, by what the answer says.
  ///
  /// While keys are set it is only the client's: `isPrivate`.
  init(
    _ reply: RawReply, to request: RawRequest, of raw: RawSource, for context: RequestContext,
    isPrivate: Bool, at now: Timestamp
  ) {
    switch reply {
    case .kept(let answer, let status):
      // A new response is sent as it came; a stored one says how old it is (RFC 9111 §4).
      let isNew = status.forward != nil && status.status != 304
      let fields = isNew ? answer.head.fields : answer.head.fields(at: now.milliseconds)
      self.init(answer, fields, request, of: raw)
      add(status, isPrivate: isPrivate)
    case .passed(let answer, let status):
      self.init(answer, answer.head.fields, request, of: raw)
      add(status, isPrivate: isPrivate)
    case .notKept:
      let rejection = Rejection(.upstreamTimeout, "Nothing that is kept answers this.")
      self.init(rejection, for: context)
      fields.append("Cache-Status", CacheStatus.forwarded(.request).text)
    case .failed(let error, let status):
      self.init(Rejection(error, of: .init(), at: now), for: context)
      fields.append("Cache-Status", status.text)
    }
  }

  /// An answer's part that is asked for, or 304 for who has it.
  private init(
    _ answer: RawAnswer, _ told: FieldList, _ request: RawRequest, of raw: RawSource
  ) {
    let size = answer.body.count
    var told = told
    self.init(status: Status(answer.head.status))
    if Preconditions.isUnchanged(answer.head, for: request.fields) {
      status = 304
      told = Preconditions.fieldsOfNotModified(told)
    } else if request.isHead {
      announcedBytes = size > 0 ? size : told.single("content-length").flatMap(Response.count)
    } else {
      switch ByteRange.wanted(of: answer.head, size: size, for: request.fields) {
      case .all: body = answer.body
      case .part(let part):
        status = 206
        body = Array(answer.body[part])
        told = told.without(["content-range"])
        let range = "bytes \(part.lowerBound)-\(part.upperBound)/\(size)"
        told.lines.append(FieldLine("Content-Range", range))
      case .none:
        status = 416
        told = told.without(["content-type", "content-encoding", "content-range", "etag"])
        told.lines.append(FieldLine("Content-Range", "bytes */\(size)"))
      }
    }
    fields = Fields(passing: told)
    // A 304 names no type: its policy takes the place of the one that the client has stored with
    // the content, so it is the same.
    if !raw.shows(status == 304 ? answer.head.fields : told) {
      fields.append("Content-Security-Policy", "sandbox; default-src 'none'")
    }
  }

  private static func count(_ text: [UInt8]) -> Int? {
    Int(String(decoding: text, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
  }

  private mutating func add(_ told: CacheStatus, isPrivate: Bool) {
    fields.append("Cache-Status", told.text)
    fields.append("Via", "1.1 tsugi")
    if isPrivate { fields.append("Cache-Control", "private") }
  }
}
