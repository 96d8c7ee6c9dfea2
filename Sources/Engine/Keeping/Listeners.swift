import Feed

/// Who hears of a feed's changes. It belongs to one actor.
final class Listeners {
  private var told: [FeedID: [UInt64: @Sendable () -> Void]] = [:]
  private var lastTicket: UInt64 = 0

  /// How many feeds somebody listens to.
  var feedCount: Int { told.count }

  /// Whether anybody listens to a feed.
  func isEmpty(_ feed: FeedID) -> Bool { told[feed] == nil }

  /// Reports every change of a feed from now on. Returns the ticket to leave by.
  func add(to feed: FeedID, _ tell: @escaping @Sendable () -> Void) -> Listening {
    lastTicket += 1
    told[feed, default: [:]][lastTicket] = tell
    return Listening(feed: feed, ticket: lastTicket)
  }

  /// Stops reporting. Returns false where that was so already.
  func remove(_ listening: Listening) -> Bool {
    guard told[listening.feed]?.removeValue(forKey: listening.ticket) != nil else { return false }
    if told[listening.feed]?.isEmpty == true { told[listening.feed] = nil }
    return true
  }

  /// Reports that a feed has changed.
  func tell(_ feed: FeedID) {
    guard let told = told[feed] else { return }
    for tell in told.values { tell() }
  }

  /// Reports that every feed has changed.
  func tellAll() {
    for feed in told.keys { tell(feed) }
  }
}
