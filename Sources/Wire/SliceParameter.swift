/// The names of a feed's query parameters.
public enum SliceParameter: String, CaseIterable, Sendable {
  /// 1 to 100 items, 20 by default; above 100 it is 100.
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
