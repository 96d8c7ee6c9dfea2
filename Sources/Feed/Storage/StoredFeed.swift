/// A feed that the store has a row for.
package struct StoredFeed: Hashable, Sendable {
  /// Its name.
  package var name: String
  /// Its source's name.
  package var source: String
  /// How it is ordered.
  package var order: FeedOrder
  /// The fingerprint of its recipe; see ``FeedForm``.
  package var recipe: Int64?
  /// When it was last read, as last noted.
  package var readAt: Timestamp

  /// A stored feed from its parts.
  package init(name: String, source: String, order: FeedOrder = .value, readAt: Timestamp) {
    self.name = name
    self.order = order
    self.source = source
    self.readAt = readAt
  }
}

extension [StoredFeed] {
  /// These feeds with when they were last read, as far as `reads` knows better, by name: the store
  /// gets it now and then only.
  package func read(at reads: [String: Timestamp]) -> [StoredFeed] {
    map { feed in
      var feed = feed
      feed.readAt = Swift.max(feed.readAt, reads[feed.name] ?? feed.readAt)
      return feed
    }
  }
}

/// The lowest places of a feed, which eviction takes first.
package struct FeedTail: Hashable, Sendable {
  /// How the feed is ordered.
  package var order: FeedOrder
  /// What is proven of it.
  package var timeline: Timeline
  /// Its lowest places, the lowest first, tombstones included.
  package var places: [KnownElement]

  /// A foot from its parts.
  package init(order: FeedOrder, timeline: Timeline, places: [KnownElement]) {
    self.order = order
    self.timeline = timeline
    self.places = places
  }
}
