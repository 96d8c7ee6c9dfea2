/// What one piece of evidence changes in one feed. What one answer brings is one merge or several,
/// written in one transaction or not at all.
package struct Merge: Hashable, Sendable {
  /// The feed.
  package var feed: FeedID
  /// When the answer's request was sent; content of a later request is never overwritten.
  package var sentAt: Timestamp
  /// The timeline afterwards, but for `sequence`, which the store counts on.
  package var timeline: Timeline
  /// Elements that were seen, in feed order.
  package var seen: [Seen] = []
  /// Places that lacked their element in a proven window for the first time.
  package var missing: [Position] = []
  /// Elements that a search did not show where they are known to stand: it proves nothing of them,
  /// and nothing of them is stored.
  package var unconfirmed: [Identity] = []
  /// Places whose element left the feed: each becomes a tombstone and takes a number.
  package var removed: [Position] = []

  /// A merge that changes nothing but the timeline.
  package init(feed: FeedID, sentAt: Timestamp, timeline: Timeline) {
    self.feed = feed
    self.sentAt = sentAt
    self.timeline = timeline
  }

  /// An element as seen, with what that means for its place.
  package struct Seen: Hashable, Sendable {
    /// Its place.
    package var position: Position
    /// The element; its missing mark, if any, is removed.
    package var item: PageItem
    /// ``KnownElement/State/live`` or ``KnownElement/State/displaced``.
    package var state: KnownElement.State
    /// Whether a sequence number is taken: it appeared, moved, or its `updated_at` changed.
    package var takesNumber: Bool

    /// A seen element from its parts.
    package init(
      position: Position, item: PageItem, state: KnownElement.State, takesNumber: Bool
    ) {
      self.position = position
      self.item = item
      self.state = state
      self.takesNumber = takesNumber
    }
  }
}
