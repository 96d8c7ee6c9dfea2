import Bytes
import Feed
import HTTP

/// How replies may be kept and compared: the headers around a slice or an item.
struct ReplyPolicy {
  /// The source's rules.
  var policy: Policy
  /// Whether API keys are set, so that no shared cache may keep a reply.
  var isPrivate: Bool
  /// When the reply is made.
  var now: Timestamp

  /// `Cache-Control` and `Age`: a reply is fresh while its age is below `max-age`. `Cache-Status`:
  /// how it came about (RFC 9211), by so many upstream calls.
  func stamp(_ response: inout Response, _ freshness: Freshness, calls: Int, isRefresh: Bool) {
    let age = freshness.age(at: now)
    response.fields.append("Cache-Control") { text in
      if isPrivate { text.append("private, ") }
      guard !isRefresh else { return text.append("no-cache") }
      text.append("max-age=")
      text.append(policy.freshSeconds)
      text.append(", stale-while-revalidate=")
      text.append(policy.staleSeconds)
      text.append(", stale-if-error=")
      text.append(policy.staleSeconds)
    }
    response.fields.append("Age") { $0.append(age) }
    response.fields.append("Cache-Status") { text in
      if calls > 0 {
        text.append(isRefresh ? "Tsugi; fwd=request; stored" : "Tsugi; fwd=miss; stored")
      } else {
        text.append("Tsugi; hit; ttl=")
        text.append(policy.freshSeconds - age)
      }
    }
  }
}

extension Fields {
  /// Adds a line at the end whose value `write` writes, by default of some 100 bytes.
  fileprivate mutating func append(
    _ name: StaticString, about capacity: Int = 128, _ write: (inout ByteText) -> Void
  ) {
    ByteText.withBytes(capacity: capacity, write) { append(name, $0) }
  }
}

extension Response {
  /// An answer of JSON with its validators, or 304 where the client has it already. One that is
  /// shared comes whole: ``applyingPreconditions(of:)`` is asked for each client that gets it.
  ///
  /// 304 repeats what a 200 would have said of caching (RFC 9110 §15.4.5).
  init(
    json body: @autoclosure () -> [UInt8], entityTag: String, freshness: Freshness, calls: Int,
    isRefresh: Bool, isShared: Bool = false, for context: RequestContext, by reply: ReplyPolicy
  ) {
    guard !context.failsIfMatch else {
      self.init(Rejection.preconditionFailed, requestID: context.requestID)
      return
    }
    let isKnown = !isShared && context.matches(entityTag)
    self.init(status: isKnown ? 304 : 200, body: isKnown ? [] : body())
    if !isKnown { fields.append("Content-Type", "application/json") }
    fields.append("ETag", entityTag)
    reply.stamp(&self, freshness, calls: calls, isRefresh: isRefresh)
    fields.append("Vary", "Accept-Encoding")
  }

  /// The answer that carries a slice.
  init(
    _ slice: Slice, _ query: SliceQuery, isRefresh: Bool, isShared: Bool,
    for context: RequestContext, by reply: ReplyPolicy
  ) {
    let rendering = SliceRendering(slice: slice, query: query)
    self.init(
      json: rendering.body(at: reply.now), entityTag: rendering.entityTag(),
      freshness: slice.freshness,
      calls: slice.calls, isRefresh: isRefresh, isShared: isShared, for: context, by: reply)
    fields.append("Link", about: rendering.linksCapacity) { rendering.appendLinks(to: &$0) }
  }

  /// The answer that carries a single item, byte for byte. It comes whole, as one that is shared.
  init(_ item: ItemReading, for context: RequestContext, by reply: ReplyPolicy) {
    var digest = Digest()
    digest.add(item.bytes)
    self.init(
      json: item.bytes, entityTag: digest.entityTag, freshness: item.freshness, calls: item.calls,
      isRefresh: false, isShared: true, for: context, by: reply)
  }

  /// This answer, or what the request's preconditions make of it: 304 where the client has it; of
  /// one that has no validator, `If-Match` wants one that it can match, and `If-None-Match: *` none
  /// at all (RFC 9110 §13.2.2).
  func applyingPreconditions(of context: RequestContext) -> Response {
    let isRead = context.method == .get || context.method == .head
    guard context.ifMatch != nil || context.ifNoneMatch != nil, isRead, status == 200
    else { return self }
    if let tag = fields["ETag"] { return context.matches(tag) ? unchanged : self }
    if context.failsIfMatch { return Response(Rejection.preconditionFailed, for: context) }
    return context.matchesAnything ? unchanged : self
  }

  /// The 304 in its stead.
  var unchanged: Response {
    var unchanged = self
    unchanged.status = 304
    unchanged.body = []
    unchanged.fields.remove("Content-Type")
    unchanged.fields.remove("Content-Encoding")
    return unchanged
  }

  /// A short answer about the server itself.
  init(state: [UInt8]) {
    self.init(body: state)
    fields.append("Content-Type", "application/json")
    fields.append("Cache-Control", "no-store")
  }
}
