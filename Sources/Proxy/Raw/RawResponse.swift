import Feed
import Freshness
import HTTP
import RawCache
import Wire

extension Response {
  /// The reply to a raw request: conditions and ranges are met here, by what the answer says.
  ///
  /// While keys are set it is nobody's but the client's: `isPrivate`.
  init(
    _ reply: RawReply, to request: RawRequest, of raw: RawSource, for context: RequestContext,
    isPrivate: Bool, at now: Timestamp
  ) {
    switch reply {
    case .kept(let answer, let status):
      // What has just come is told as it came; what lay here says how long (RFC 9111 §4).
      let isNew = status.forward != nil && status.status != 304
      let fields = isNew ? answer.head.fields : answer.head.fields(at: now.milliseconds)
      self.init(answer, fields, request)
      add(status, raw, isPrivate: isPrivate)
    case .passed(let answer, let status):
      self.init(answer, answer.head.fields, request)
      add(status, raw, isPrivate: isPrivate)
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
  private init(_ answer: RawAnswer, _ told: FieldList, _ request: RawRequest) {
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
    fields = Fields(told.without(Response.ownNames))
  }

  private static func count(_ text: [UInt8]) -> Int? {
    Int(String(decoding: text, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Fields of an upstream that are not passed on: those that speak for the whole of an origin,
  /// which is not the upstream's here, and those that are said here.
  private static let ownNames: Set = [
    "access-control-allow-credentials", "access-control-allow-headers",
    "access-control-allow-methods", "access-control-allow-origin", "access-control-expose-headers",
    "access-control-max-age", "alt-svc", "clear-site-data", "service-worker-allowed",
    "strict-transport-security", "x-content-type-options", "x-request-id",
  ]

  private mutating func add(_ told: CacheStatus, _ raw: RawSource, isPrivate: Bool) {
    fields.append("Cache-Status", told.text)
    fields.append("Via", "1.1 tsugi")
    if isPrivate { fields.append("Cache-Control", "private") }
    if status != 304, !raw.shows(fields["Content-Type"]) {
      fields.append("Content-Security-Policy", "sandbox; default-src 'none'")
    }
  }
}

extension Fields {
  /// An upstream's lines, in order and as often as they came.
  init(_ list: FieldList) {
    self.init()
    for line in list.lines { append(named: line.name, bytes: line.value) }
  }
}
