/// What an answer says of itself, held against itself and against what is known: an answer that
/// contradicts either proves nothing, and what is stored stands.
extension Page {
  /// Why an answer cannot be what was asked for; nil where it may be.
  ///
  /// - Elements of which none can be used show nothing of the feed, so they are not its end.
  /// - A first page of full size with nothing on it is not the top of a feed that has more, as the
  ///   same answer says. A smaller one may be: its elements may be hidden from us.
  package func contradiction(to window: Window, order: FeedOrder, perPageMax: Int) -> FetchError? {
    // What comes whole is replaced by whatever comes; a total it does not reach is told as such.
    guard order != .whole else { return nil }
    let isUsable = { (slot: Slot) in order != .value || slot.item.createdAt != nil }
    if count > 0, !items.contains(where: isUsable) {
      return .malformed(reason: "none of its \(count) elements can be used")
    }
    let hasMore = hasNext || total ?? 0 > 0
    if count == 0, window.page == 1, window.perPage >= perPageMax, hasMore {
      return .malformed(reason: "nothing of a feed that has elements, as the same answer says")
    }
    return nil
  }
}

/// An end that a feed's answers claim against what is known: it is believed when a second answer
/// says the same.
package struct DoubtedEnd: Hashable, Sendable {
  /// The shortest time between the two, so that they are not of one moment's fault.
  package static let settlingTime = Duration.seconds(1)

  /// When the first of them was sent.
  private var claimedAt: Timestamp?

  /// Nothing was claimed yet.
  package init() {}

  /// Whether the end that an answer claims is to be asked for once more, since the feed had or has
  /// more elements than it shows: by its total, or by what was proven below.
  package mutating func doubts(
    _ page: Page, to window: Window, sentAt: Timestamp, below lowest: Int?, timeline: Timeline
  ) -> Bool {
    // Of an empty first page it is decided elsewhere: see ``EmptyLooks``.
    guard page.count < window.perPage, !page.hasNext, page.count > 0 || window.page > 1 else {
      claimedAt = nil
      return false
    }
    let total = page.total ?? timeline.total?.value ?? 0
    let isContradicted = total > window.endRank || lowest ?? 0 > 0
    guard isContradicted else {
      claimedAt = nil
      return false
    }
    guard let claimedAt else {
      self.claimedAt = sentAt
      return true
    }
    return sentAt - claimedAt < DoubtedEnd.settlingTime
  }
}

/// Answers in a row that brought nothing new of a feed: after some it rests, longer each time, so
/// that no list, and no single request, can spend an hour's calls on showing nothing.
package struct Barrenness: Hashable, Sendable {
  /// Answers in a row after which the feed rests.
  package static let answersMax = 6

  private var answers = 0
  private var rests = 0
  /// Until when nothing further down is asked for; looks at the top go on.
  package private(set) var restsUntil: Timestamp?

  /// None so far.
  package init() {}

  /// Notes an answer that brought an element, a proof or a count, or nothing of these.
  package mutating func note(isBarren: Bool, at now: Timestamp) {
    guard isBarren else {
      self = Barrenness()
      return
    }
    answers += 1
    guard answers >= Barrenness.answersMax else { return }
    answers = 0
    rests += 1
    restsUntil = now + min(Effort.restMin * (1 << min(rests - 1, 10)), Effort.restMax)
  }
}
