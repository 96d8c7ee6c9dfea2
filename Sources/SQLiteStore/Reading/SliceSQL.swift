import Feed

/// What a ``SliceReader`` asks of SQLite; named apart so that a benchmark can ask the same.
package enum SliceSQL {
  /// A slice from its top on. Parameters: the feed's name, the upper cut's order and tie, the
  /// lower cut's order and tie, the limit.
  package static let downward = "\(slice) ORDER BY element.ord DESC, element.tie DESC LIMIT ?6"
  /// A slice from its bottom on, with the same parameters.
  package static let upward = "\(slice) ORDER BY element.ord, element.tie LIMIT ?6"
  /// The place of a range's element by its offset from the top, with the offset for the limit.
  package static let nth = """
    SELECT ord, tie FROM element WHERE \(range) ORDER BY ord DESC, tie DESC LIMIT 1 OFFSET ?6
    """
  /// Whether a range has an element; all these parameters but the limit.
  package static let any = "SELECT 1 FROM element WHERE \(range) LIMIT 1"
  /// Where an identity stands or stood in a feed. Parameters: the feed's name, the realm, the
  /// identity.
  package static let places = """
    SELECT ord, tie, state, sequence FROM element INDEXED BY element_by_item
    WHERE item = (SELECT key FROM item WHERE realm = ?2 AND id = ?3) AND feed = \(feed)
      AND id = ?3
    """
  /// An item's content. Parameters: the realm, the identity.
  package static let content = """
    SELECT item.sent_at, content.bytes
    FROM item LEFT JOIN content ON content.item = item.key
    WHERE item.realm = ? AND item.id = ?
    """
  /// The cache of each reader's own: 8 MB hold the inner pages of all trees of ten million rows,
  /// and the leaves just read; 64 MB were no faster. The file is not mapped: that saves 4 of 22 µs
  /// at random cuts of a million rows, but a failing disk would end the process, not one call.
  package static let setup = "PRAGMA cache_size = \(-8 << 10)"

  private static let feed = "(SELECT key FROM feed WHERE name = ?1)"
  private static let removed = KnownElement.State.removed.rawValue
  private static let range = """
    element.feed = \(feed) AND (element.ord, element.tie) < (?2, ?3)
      AND (element.ord, element.tie) >= (?4, ?5) AND element.state <> \(removed)
    """
  // Cross: the elements lead, whatever the planner thinks of the sizes.
  private static let slice = """
    SELECT element.ord, element.tie, element.id, content.bytes
    FROM element CROSS JOIN content ON content.item = element.item
    WHERE \(range)
    """
}
