/// What the store knows of an element's place, without its content.
package struct KnownElement: Hashable, Sendable {
  /// Its place in the feed.
  package var position: Position
  /// What names it.
  package var id: Identity
  /// `updated_at` in whole seconds since 1970, as last seen.
  package var updatedAt: Int64?
  /// How it stands there.
  package var state: State
  /// When the first proven window that lacked it was sent; nil while it is seen.
  package var missingSince: Timestamp?
  /// When the last answer was sent that spoke of this place: an earlier one changes nothing there.
  package var sentAt: Timestamp

  /// How an element stands at its position.
  package enum State: Int, Sendable {
    /// Part of the feed.
    case live = 0
    /// Part of the feed, met where its key does not belong: it proves and refutes nothing.
    case displaced = 1
    /// A tombstone: it left this place; the position stays known.
    case removed = 2
  }

  /// A known element from its parts.
  package init(
    position: Position, id: Identity, updatedAt: Int64?, state: State,
    missingSince: Timestamp? = nil, sentAt: Timestamp = Timestamp(milliseconds: 0)
  ) {
    self.position = position
    self.id = id
    self.updatedAt = updatedAt
    self.state = state
    self.missingSince = missingSince
    self.sentAt = sentAt
  }

  /// Makes it a tombstone: it has left this place, as an answer sent at `sentAt` said. One that
  /// says so of an item everywhere may be older than the last that spoke of this place.
  package mutating func leave(at sentAt: Timestamp) {
    (state, missingSince, self.sentAt) = (.removed, nil, max(self.sentAt, sentAt))
  }
}
