import Wire

/// A slice as JSON: what `GET /v1/{source}/{path}` answers.
struct SliceEnvelope: Decodable, Sendable {
  /// The limit that was served.
  var limit: Int
  /// Whether there is more between this slice and the end of the asked range.
  var hasMore: Bool
  /// Whether `previous` would show something.
  var hasPrevious: Bool
  /// The position of the first item; in an empty slice the asked bound.
  var startCursor: String?
  /// The position of the last item; in an empty slice the asked bound.
  var endCursor: String?
  /// The URL that goes on below, relative to the server.
  var next: String?
  /// The URL that goes on above, relative to the server.
  var previous: String?
  /// Why there is no more: `range`, `end` or `upstreamLimit`.
  var endReason: String?
  /// The gap it ends at.
  var gap: GapEnvelope?
  /// The number of the last change known, to ask for changes since.
  var seq: String
  /// The feed's size.
  var total: TotalEnvelope?
  /// What the weakest join inside of it rests on: `value`, `sight`, `whole`, `count`, `upstream`
  /// or `none`; nil from a server that does not tell.
  var proof: String?
  /// How many elements the upstream showed in its range and that cannot be used; nil for none.
  var omitted: Int?
  /// How old it is.
  var freshness: FreshnessEnvelope
}

/// A gap below a slice.
struct GapEnvelope: Decodable, Sendable {
  /// Names it, to fill it.
  var id: String
  /// The URL that goes on below it.
  var skip: String
  /// About how many items lie in it; nil from a server that does not tell.
  var estimatedItems: Int?
  /// Whether it can never be filled; nil from a server that does not tell.
  var sunk: Bool?
}
