import Bytes

/// An answer as a cache has it: what came, to what, and when.
///
/// The content is beside it: nothing here reads it.
package struct StoredAnswer: Hashable, Sendable {
  /// The final status, 200 to 999.
  package var status: Int
  /// The end-to-end fields, `Age` as it came among them.
  package var fields: FieldList
  /// Of the request, the fields that `Vary` names.
  package var asked: FieldList
  /// When the request was sent, in milliseconds since 1970.
  package var askedAt: Int64
  /// When the answer came, in milliseconds since 1970.
  package var respondedAt: Int64

  /// An answer from its parts; of the request's fields those are kept that select it.
  package init(
    status: Int, fields: FieldList, to request: FieldList, askedAt: Int64, respondedAt: Int64
  ) {
    self.status = status
    self.fields = fields
    asked = request.only(Variants.names(in: fields))
    // A clock that was set back in between makes nothing younger than it is.
    self.askedAt = min(askedAt, respondedAt)
    self.respondedAt = respondedAt
  }

  /// Seconds since 1970 when the upstream made it, by its `Date`, or by when it came where that is
  /// missing or none.
  private var date: Int64 {
    let now = respondedAt / 1_000
    return fields.single("date").flatMap { HTTPDate.parse($0, now: now) } ?? now
  }

  /// Seconds since 1970 of its `Last-Modified`; nil where that is missing or none.
  package var lastModified: Int64? {
    fields.single("last-modified").flatMap { HTTPDate.parse($0, now: respondedAt / 1_000) }
  }

  /// The date that `If-Modified-Since` is compared with (RFC 9111 §4.3.2).
  var modified: Int64 { lastModified ?? date }

  /// The fields of requests that `Vary` names, in lower case; `*` may be among them.
  package var variesBy: Set<String> { Variants.names(in: fields) }

  /// The first `ETag`; nil for none.
  package var entityTag: [UInt8]? { fields.values(of: "etag").first }

  /// How many seconds old it is at a time, in milliseconds since 1970; never less than 0
  /// (RFC 9111 §4.2.3). Of `Age` the first member counts, digits only, else it is 0 (§5.1).
  package func age(at now: Int64) -> Int64 {
    let told = fields.elements(of: "age").first.flatMap(FieldText.deltaSeconds) ?? 0
    let apparent = max(0, respondedAt / 1_000 - date)
    let corrected = told + (respondedAt - askedAt) / 1_000
    return max(apparent, corrected) + lapse(at: now) / 1_000
  }

  /// How long it has been here at a time, both in milliseconds. One that came in the future was
  /// noted by a clock that had slipped: by more than a minute, it counts as long past as it lies
  /// ahead, since nothing says when it came.
  func lapse(at now: Int64) -> Int64 {
    let lapse = now - respondedAt
    return lapse < -60_000 ? -lapse : max(0, lapse)
  }

  /// How many seconds it is fresh (RFC 9111 §4.2.1).
  ///
  /// `s-maxage` before `max-age` before `Expires`, of which one that is there and cannot be read is
  /// 0; else, where it has a `Last-Modified` and its status allows it, a tenth of the time since
  /// then, a day at most (§4.2.2).
  package func lifetime(by rules: CacheRules) -> Int64 {
    let (told, isTargeted, isOverruled) = rules.directives(of: fields)
    if isOverruled, let seconds = rules.freshSeconds { return seconds }
    for name in ["s-maxage", "max-age"] where told.has(name) { return told.seconds(name) ?? 0 }
    if !isTargeted, fields.has("expires") {
      let expires = fields.single("expires").flatMap(HTTPDate.fixdate)
      return expires.map { max(0, $0 - date) } ?? 0
    }
    guard let lastModified, StoredAnswer.heuristic.contains(status) || told.has("public") else {
      return 0
    }
    return min(max(0, date - lastModified) / 10, 86_400)
  }

  /// How many seconds it is fresh yet at a time, in milliseconds since 1970; negative past that.
  package func timeToLive(by rules: CacheRules, at now: Int64) -> Int64 {
    lifetime(by: rules) - age(at: now)
  }

  /// Statuses that may be kept by a rule of thumb (RFC 9110 §15.1).
  static let heuristic: Set = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// The fields with `Age` as it is at a time, in milliseconds since 1970 (RFC 9111 §4).
  package func fields(at now: Int64) -> FieldList {
    var fields = fields.without(["age"])
    fields.lines.append(FieldLine("Age", "\(age(at: now))"))
    return fields
  }

  /// The same, validated: what a 304 says replaces what is there, but for what belongs to the
  /// content (RFC 9111 §3.2).
  package func validated(by answer: StoredAnswer) -> StoredAnswer {
    let news = answer.fields.without(StoredAnswer.ofContent)
    let names = Set(news.lines.map { $0.name.lowercased() }).union(["age"])
    var merged = answer
    merged.status = status
    merged.fields = FieldList(fields.without(names).lines + news.lines)
    merged.asked = asked
    return merged
  }

  private static let ofContent: Set = [
    "content-encoding", "content-type", "content-range", "content-length", "content-md5",
  ]
}
