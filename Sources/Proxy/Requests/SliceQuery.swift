import Bytes
import Feed
import Wire

/// A feed's query parameters, read and judged. One object: it goes with whatever is done for a
/// request, and is kept for those that ask the same.
final class SliceQuery: Sendable {
  /// How many items a slice has by default.
  static let limitDefault = 20
  /// The most bytes of a search text.
  static let queryBytesMax = 512

  /// What the engine is asked, as far as the parameters say.
  let request: SliceRequest
  /// The bounds as the client wrote them, for links and for an empty slice's cursors.
  let start: Written?
  /// The far bound likewise.
  let end: Written?
  /// What each item is cut to; nil leaves it whole.
  let fields: FieldSelection?
  /// The URL of the feed's first slice, which those of all others begin with.
  let first: [UInt8]
  /// The path that URLs lead below; empty for none.
  private let base: String

  /// A bound as it was written.
  struct Written {
    let name: SliceParameter
    let value: String
  }

  /// Reads the parameters of a feed, all but `query`, which is part of the feed's name; `known` is
  /// what was read of `fields` before. URLs lead below the path `base`.
  init(
    _ items: QueryItems, feed: FeedID, waitDefault: Duration, known: FieldsMemo = FieldsMemo(),
    base: String = ""
  ) throws(Rejection) {
    var items = items
    var request = SliceRequest(
      feed: feed, limit: try SliceQuery.limit(items.take("limit")),
      wait: try SliceQuery.wait(items.take("wait")) ?? waitDefault)
    start = try SliceQuery.bound(.startAfter, .startAt, from: &items)
    end = try SliceQuery.bound(.endBefore, .endAt, from: &items)
    request.start = try start.map { bound throws(Rejection) in
      try SliceQuery.position(bound, in: feed)
    }
    request.end = try end.map { bound throws(Rejection) in
      try SliceQuery.position(bound, in: feed)
    }
    request.told = [start, end].compactMap { SliceQuery.told($0, in: feed) }.max()
    request.takesLast = try SliceQuery.flag("limitToLast", from: &items)
    fields = try items.take("fields").map { value throws(Rejection) in
      try known.selection(value, identityPaths: feed.pattern.identityPaths)
    }
    request.refreshes = try SliceQuery.flag("refresh", from: &items)
    try items.requireEmpty()
    if request.takesLast, end == nil {
      throw .parameter("limitToLast", "It needs endBefore or endAt.")
    }
    if request.refreshes, start != nil {
      throw .parameter("refresh", "It is for the top of the feed: leave the start position out.")
    }
    first = SliceQuery.first(of: request, fields, below: base)
    self.base = base
    self.request = request
  }

  /// The same parameters for the feed in the order in which it is served; nil where a bound is a
  /// place in the other order.
  convenience init?(_ query: SliceQuery, in feed: FeedID) {
    guard query.start == nil, query.end == nil else { return nil }
    var request = query.request
    request.feed = feed
    self.init(request, fields: query.fields, base: query.base)
  }

  private init(_ request: SliceRequest, fields: FieldSelection?, base: String) {
    (start, end) = (nil, nil)
    self.request = request
    self.fields = fields
    self.base = base
    first = SliceQuery.first(of: request, fields, below: base)
  }

  private static func first(
    of request: SliceRequest, _ fields: FieldSelection?, below base: String
  ) -> [UInt8] {
    let feed = request.feed
    return ByteText.bytes(capacity: 256) { url in
      url.append(base)
      url.append("/v1/")
      url.append(feed.source)
      url.append("/")
      url.append(feed.path)
      url.append("?limit=")
      url.append(request.limit)
      if let parameters = feed.parameters {
        url.append("&")
        url.append(parameters)
      }
      if let fields {
        url.append("&fields=")
        url.append(fields.text)
      }
    }
  }

  /// What the engine is asked by a request that says `Cache-Control: no-cache`, `only-if-cached`,
  /// or neither.
  func request(isNoCache: Bool, isOnlyIfCached: Bool) -> SliceRequest {
    var request = request
    if isNoCache, start == nil { request.refreshes = true }
    if isOnlyIfCached { request.wait = .zero }
    return request
  }

  /// `limit`, or its default.
  static func limit(
    _ value: [UInt8]?, unless standard: Int = limitDefault
  ) throws(Rejection) -> Int {
    guard let value else { return standard }
    let digits = value.drop { $0 == UInt8(ascii: "0") }
    guard value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      !digits.isEmpty
    else {
      throw Rejection(
        .invalidLimit, "limit is a whole number from 1 to 100; above 100 it is served as 100.",
        parameter: "limit")
    }
    return digits.count > 3
      ? SliceRequest.limitMax
      : min(
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }, SliceRequest.limitMax)
  }

  /// `wait` in milliseconds; nil when it was not sent.
  static func wait(_ value: [UInt8]?) throws(Rejection) -> Duration? {
    guard let value else { return nil }
    guard let milliseconds = Int(String(decoding: value, as: UTF8.self)),
      (0...SliceRequest.waitMax.inMilliseconds).contains(Int64(milliseconds)),
      value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw .parameter("wait", "wait is milliseconds, a whole number from 0 to 30000.") }
    return .milliseconds(milliseconds)
  }

  /// The flag that a parameter is; false where it is left out.
  static func flag(_ name: String, from items: inout QueryItems) throws(Rejection) -> Bool {
    switch items.take(name).map({ String(decoding: $0, as: UTF8.self) }) {
    case nil, "false": return false
    case "true": return true
    default: throw .parameter(name, "\(name) is true or false.")
    }
  }

  private static func bound(
    _ exclusive: SliceParameter, _ inclusive: SliceParameter, from items: inout QueryItems
  ) throws(Rejection) -> Written? {
    let exclusiveValue = items.take(exclusive.rawValue)
    let inclusiveValue = items.take(inclusive.rawValue)
    if exclusiveValue != nil, inclusiveValue != nil {
      throw .parameter(
        inclusive.rawValue, "\(exclusive.rawValue) and \(inclusive.rawValue) exclude each other.")
    }
    let name = exclusiveValue == nil ? inclusive : exclusive
    return (exclusiveValue ?? inclusiveValue).map {
      Written(name: name, value: String(decoding: $0, as: UTF8.self))
    }
  }

  /// The feed's last number by a bound's cursor.
  private static func told(_ bound: Written?, in feed: FeedID) -> Int64? {
    guard let bound, Cursor.isNumbered(bound.value) else { return nil }
    return (try? Cursor.reading(bound.value, in: feed))?.told
  }

  /// A position is a cursor, `id:<identity>`, or in a value feed `at:<RFC 3339 time>`.
  private static func position(
    _ bound: Written, in feed: FeedID
  ) throws(Rejection) -> SliceRequest.Bound {
    let name = bound.name
    // The range begins above an element to include it, and ends below it to include it.
    let isAbove = name == .startAt || name == .endBefore
    if bound.value.hasPrefix("id:") {
      let id = Identity(bytes: Array(bound.value.utf8.dropFirst(3)))
      guard (1...Identity.bytesMax).contains(id.bytes.count) else {
        throw .parameter(name.rawValue, "An identity is 1 to \(Identity.bytesMax) bytes.")
      }
      return .element(id, isAbove: isAbove)
    }
    if bound.value.hasPrefix("at:") {
      guard feed.pattern.order == .value else {
        throw .parameter(name.rawValue, "This feed is not ordered by time.")
      }
      guard !bound.value.utf8.contains(UInt8(ascii: ".")),
        let second = RFC3339.parseTimestamp(Array(bound.value.utf8.dropFirst(3)))
      else {
        throw .parameter(name.rawValue, "at: takes an RFC 3339 time in whole seconds.")
      }
      guard let keys = feed.pattern.unit.keys(in: second) else {
        throw .parameter(name.rawValue, "This feed is not ordered by time.")
      }
      return .cut(isAbove ? .above(key: keys.upperBound) : .below(key: keys.lowerBound))
    }
    do throws(Cursor.Failure) {
      return try Cursor.reading(bound.value, in: feed).bound(isAbove: isAbove)
    } catch {
      throw rejection(of: error, name.rawValue)
    }
  }

  private static func rejection(of failure: Cursor.Failure, _ name: String) -> Rejection {
    switch failure {
    case .invalid:
      Rejection(.invalidCursor, "The value is not a cursor of this server.", parameter: name)
    case .mismatch:
      Rejection(.cursorMismatch, "The cursor was made for another feed.", parameter: name)
    case .expired: .positionExpired(name)
    }
  }
}
