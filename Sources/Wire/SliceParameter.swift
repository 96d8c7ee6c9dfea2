/// The names of a feed's query parameters.
public enum SliceParameter: String, CaseIterable, Sendable {
  /// 1 to 100 items, 20 unless told; above 100 it is 100.
  case limit
  /// The range begins right after this position.
  case startAfter
  /// The range begins with this position.
  case startAt
  /// The range ends right before this position.
  case endBefore
  /// The range ends with this position.
  case endAt
  /// Of a range larger than `limit` keep the end; needs `endBefore` or `endAt`.
  case limitToLast
  /// The source's own search text, at most 512 bytes.
  case query
  /// What each item is cut to: `id,title,user.name`.
  case fields
  /// Look at the top upstream before answering.
  case refresh
  /// Milliseconds to wait for the upstream, 0 to 30,000.
  case wait
}

/// A slice as JSON: what `GET /v1/{source}/{path}` answers.
public struct SliceEnvelope<Item: Decodable & Sendable>: Decodable, Sendable {
  /// The items, in feed order.
  public var items: [Item]
  /// The limit that was served.
  public var limit: Int
  /// Whether there is more between this slice and the end of the asked range.
  public var hasMore: Bool
  /// Whether `previous` would show something.
  public var hasPrevious: Bool
  /// The position of the first item; in an empty slice the asked bound.
  public var startCursor: String?
  /// The position of the last item; in an empty slice the asked bound.
  public var endCursor: String?
  /// The URL that goes on below, relative to the server.
  public var next: String?
  /// The URL that goes on above, relative to the server.
  public var previous: String?
  /// Why there is no more: `range`, `end` or `upstreamLimit`.
  public var endReason: String?
  /// The gap it ends at.
  public var gap: GapEnvelope?
  /// The number of the last change known, to ask for changes since.
  public var seq: String
  /// The feed's size.
  public var total: TotalEnvelope?
  /// What the weakest join inside of it rests on: `value`, `sight`, `whole`, `count`, `upstream`
  /// or `none`; nil from a server that does not tell.
  public var proof: String?
  /// How many elements the upstream showed in its range and that cannot be used; nil for none.
  public var omitted: Int?
  /// How old it is.
  public var freshness: FreshnessEnvelope
}

/// A gap below a slice.
public struct GapEnvelope: Codable, Hashable, Sendable {
  /// Names it, to fill it.
  public var id: String
  /// The URL that goes on below it.
  public var skip: String
  /// About how many items lie in it; nil from a server that does not tell.
  public var estimatedItems: Int?
  /// Whether it can never be filled; nil from a server that does not tell.
  public var sunk: Bool?
}

/// A feed's total, as the upstream counts it.
public struct TotalEnvelope: Codable, Hashable, Sendable {
  /// Elements, not capped by what can be reached.
  public var value: Int
  /// When it was asked, RFC 3339.
  public var asOf: String
}

/// A slice's freshness.
public struct FreshnessEnvelope: Codable, Hashable, Sendable {
  /// `fresh`, `stale` or `expired`.
  public var state: String
  /// When it was last seen upstream, RFC 3339.
  public var checkedAt: String
  /// The oldest upstream answer it rests on, RFC 3339.
  public var provenAt: String
}
