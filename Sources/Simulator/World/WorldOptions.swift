/// How a made world begins. Equal options make equal worlds.
package struct WorldOptions: Sendable {
  /// What everything random comes from.
  package var seed: UInt64
  /// How many items there are at the beginning.
  package var itemCount: Int
  /// How likely an item has the same second as the one before it, 0 to 1.
  package var tieProbability: Double
  /// About how many bytes `rendered_body` and `body` have together; nil for sizes as at Qiita,
  /// where 20 items are 0.4 to 0.6 MB and one in fifty passes 100 KB.
  package var bodyBytes: Int?
  /// The second of the newest item, since 1970; a server on the system's clock gives the present
  /// one.
  package var topSeconds: Int64
  /// The mean distance of two items that do not share a second; at Qiita about three minutes.
  package var gapSeconds: Int
  /// Whether items of one second stand in another order in every answer. Otherwise they are
  /// ordered by id, descending.
  package var shufflesTies: Bool
  /// How long it takes until a search knows of what came and what went.
  package var searchLagSeconds: Int64

  /// A world of `itemCount` items.
  package init(
    seed: UInt64 = 1, itemCount: Int = 1_000, tieProbability: Double = 0, bodyBytes: Int? = nil,
    topSeconds: Int64 = 1_765_261_485, gapSeconds: Int = 180, shufflesTies: Bool = false,
    searchLagSeconds: Int64 = 0
  ) {
    self.seed = seed
    self.itemCount = itemCount
    self.tieProbability = tieProbability
    self.bodyBytes = bodyBytes
    self.topSeconds = topSeconds
    self.gapSeconds = gapSeconds
    self.shufflesTies = shufflesTies
    self.searchLagSeconds = searchLagSeconds
  }
}
