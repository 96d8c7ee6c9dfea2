/// What can be asked of a feed besides its slices: `POST /v1/qiita/items:refresh`.
public enum FeedVerb: String, CaseIterable, Sendable {
  /// How the feed stands.
  case status
  /// Look at the top now.
  case refresh
  /// Fill a gap.
  case fill
  /// What changed after a number.
  case changes
  /// What changes, live.
  case events

  /// Whether it asks something of the upstream, and so takes `POST`; else it takes `GET`.
  public var isAction: Bool { self == .refresh || self == .fill }
}
