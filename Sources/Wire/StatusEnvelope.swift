/// How a feed stands: what `GET …:status` answers, and `POST …:refresh` with `calls`.
public struct StatusEnvelope: Decodable, Hashable, Sendable {
  /// The feed's name, as in `qiita/items?query=tag%3ASwift`.
  public var feed: String
  /// How it is ordered: `value`, `observed` or `whole`.
  public var order: String
  /// How many upstream calls a refresh waited for; 0 when the top had just been looked at.
  public var calls: Int?
  /// How many items are known, in all runs.
  public var items: Int
  /// The feed's size.
  public var total: TotalEnvelope?
  /// The number of the last change known.
  public var seq: String
  /// How old the top is; null until it was looked at.
  public var freshness: FreshnessEnvelope?
  /// Proven ranges without missing items, from the top down.
  public var runs: [RunEnvelope]
  /// What lies between the runs, from the top down.
  public var gaps: [OpenGapEnvelope]
  /// How many times two upstream answers are joined, by what the join rests on (`value`, `sight`,
  /// `whole`, `count`, `upstream`, `none`); nil from a server that does not count them.
  public var joins: [String: Int]?
  /// Places of which three answers agree that their item cannot be used; nil from a server that
  /// does not count them.
  public var unusable: Int?
  /// The source's upstream calls.
  public var budget: BudgetEnvelope
  /// What is being asked of the upstream for the feed now.
  public var flight: FlightEnvelope?
  /// The source's rules of freshness; nil from a server that does not tell.
  public var policy: PolicyEnvelope?
  /// The rank from which on the upstream shows nothing; nil where it has no such end.
  public var wall: Int?
  /// How many listen to the feed; nil from a server that does not tell.
  public var listeners: Int?
  /// Up to when all parts of a merged feed were looked at, RFC 3339; nil until then, and in any
  /// other feed.
  public var watermark: String?
  /// The parts of a merged feed; nil in any other.
  public var parts: [PartStatusEnvelope]?
}

/// How a part of a merged feed stands.
public struct PartStatusEnvelope: Decodable, Hashable, Sendable {
  /// Its name in the merged feed.
  public var part: String
  /// Its own feed's name, as in `qiita/items?query=tag%3ASwift`.
  public var feed: String
  /// Whether the merged feed is shown without it where it fails.
  public var optional: Bool
  /// Whether the merged feed's top waits for it now.
  public var counted: Bool
  /// Up to when it was looked at, RFC 3339; nil until then.
  public var settledTo: String?
  /// Down to when it is known without a gap, RFC 3339; nil where its end is.
  public var provenTo: String?
  /// How old its top is; nil until it was looked at.
  public var freshness: FreshnessEnvelope?
  /// How many gaps it has.
  public var gaps: Int
  /// Why nothing is below what is known; nil where something may be.
  public var endReason: String?
  /// Seconds after which its upstream may be asked again; nil where it may now.
  public var retryAfterSeconds: Int?
}

/// How long what is known may be served, in seconds.
public struct PolicyEnvelope: Decodable, Hashable, Sendable {
  /// How long a top is fresh.
  public var freshSeconds: Int
  /// After how long what lies further down is looked at again.
  public var recheckSeconds: Int
  /// After how long it is expired.
  public var staleSeconds: Int
}

/// What one upstream answer has proven of a run, or several together.
public struct ProofEnvelope: Decodable, Hashable, Sendable {
  /// How many items it had in the run.
  public var items: Int
  /// When the oldest of them was sent, RFC 3339.
  public var provenAt: String
}

/// A run: items proven adjacent.
public struct RunEnvelope: Decodable, Hashable, Sendable {
  /// How many items the answers had that proved it.
  public var items: Int
  /// When any of it was last seen upstream, RFC 3339.
  public var checkedAt: String
  /// The oldest upstream answer it rests on, RFC 3339.
  public var provenAt: String
  /// Whether the feed ends in it.
  public var reachesEnd: Bool
  /// About how many items of the feed stand above it; nil from a server that does not tell.
  public var rank: Int?
  /// The position of its first item, for `startAt`.
  public var startCursor: String?
  /// The position of its last item.
  public var endCursor: String?
  /// The answers it rests on, top first, 200 at most.
  public var proofs: [ProofEnvelope]?
}

/// A gap that is not filled yet.
public struct OpenGapEnvelope: Decodable, Hashable, Sendable {
  /// Names it, to fill it; the same as in a slice that ends at it.
  public var id: String
  /// About how many items lie in it.
  public var estimatedItems: Int
  /// Whether the upstream no longer shows it, so that it can never be filled.
  public var sunk: Bool
  /// About how many items of the feed stand above it; nil from a server that does not tell.
  public var rank: Int?
}

/// How many upstream calls a source has left.
public struct BudgetEnvelope: Decodable, Hashable, Sendable {
  /// Calls an hour; null until the upstream said so.
  public var limit: Int?
  /// Calls left until the reset.
  public var remaining: Int
  /// When they are as many as ever again, RFC 3339; null when they are.
  public var resetAt: String?
}

/// An upstream call in progress.
public struct FlightEnvelope: Decodable, Hashable, Sendable {
  /// What it is for: `reader`, `head`, `raw`, `gap`, `recheck` or `prefetch`.
  public var purpose: String
  /// The page asked for.
  public var page: Int
  /// How many items a page has.
  public var perPage: Int
}

/// How far a gap was filled: what `POST …:fill` answers.
public struct FillEnvelope: Decodable, Hashable, Sendable {
  /// Whether nothing is left of it.
  public var filled: Bool
  /// How many upstream calls were waited for.
  public var calls: Int
  /// What is left of it, by the name to go on with.
  public var gap: OpenGapEnvelope?
  /// The source's upstream calls.
  public var budget: BudgetEnvelope
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
