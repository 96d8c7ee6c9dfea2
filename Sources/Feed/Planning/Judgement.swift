/// What an answer says of itself, held against itself and against what is known: an answer that
/// contradicts either proves nothing, and what is stored stands.
extension Page {
  /// The newest time that an element tells; nil without any.
  package var newest: Int64? { items.compactMap(\.item.key).max() }

  /// Why an answer cannot be what was asked for; nil where it may be.
  ///
  /// - Elements of which none can be used show nothing of the feed, so they are not its end.
  /// - A first page of full size with nothing on it is not the top of a feed that has more, as the
  ///   same answer says. A smaller one may be: its elements may be hidden from us.
  package func contradiction(to window: Window, order: FeedOrder, perPageMax: Int) -> FetchError? {
    // What comes whole is replaced by whatever comes; a total it does not reach is told as such.
    guard order != .whole else { return nil }
    let isUsable = { (slot: Slot) in order != .value || slot.item.key != nil }
    if count > 0, !items.contains(where: isUsable) {
      return .malformed(reason: "none of its \(count) elements can be used")
    }
    if let keyMax = window.keyMax, items.contains(where: { $0.item.key ?? keyMax > keyMax }) {
      return .malformed(reason: "it begins above the place that was asked for")
    }
    if let nextMark, nextMark.utf8.count > Window.markBytesMax {
      return .malformed(
        reason: "what names the next page has more than \(Window.markBytesMax) bytes")
    }
    let hasMore = hasNext || total ?? 0 > 0
    if count == 0, window.isTop, window.perPage >= perPageMax, hasMore {
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
  /// By how many ranks two claims of one end may differ, besides what the total tells of how the
  /// list has moved meanwhile.
  package static let driftMax = 2

  /// A claim that was not believed yet.
  private struct Claim: Hashable {
    var sentAt: Timestamp
    /// The rank it puts the end at.
    var end: Int
    /// The total that the same answer told.
    var total: Int?
  }
  private var claim: Claim?
  /// How many elements the total had beyond the end that was believed last: an upstream may count
  /// some that it shows to nobody.
  private var believedLacking = 0

  /// Nothing was claimed yet.
  package init() {}

  /// From when on a second answer can settle what one has claimed; nil where nothing is claimed.
  package var settlesAt: Timestamp? { claim.map { $0.sentAt + DoubtedEnd.settlingTime } }

  /// Whether the end that an answer claims is to be asked for once more, since the feed had or has
  /// more elements than it shows: by its total, or by the `known` elements proven below.
  package mutating func doubts(
    _ page: Page, to window: Window, sentAt: Timestamp, known: Int, timeline: Timeline
  ) -> Bool {
    let end = window.firstRank + page.count
    // Of an empty first page it is decided elsewhere: see ``EmptyLooks``.
    guard page.isLast(of: window), page.count > 0 || !window.isTop else {
      if let claim, end > claim.end { self.claim = nil }
      return false
    }
    let lacking = max(0, (page.total ?? timeline.total?.value ?? end) - end)
    guard known > 0 || lacking > 0 && lacking != believedLacking else {
      claim = nil
      return false
    }
    let last = claim
    claim = Claim(sentAt: sentAt, end: end, total: page.total)
    guard let last else { return true }
    // The end moves as the list does, at most as far and the same way. A total that comes or goes
    // says nothing of that.
    var moved = 0
    if let total = page.total, let before = last.total {
      moved = end < last.end ? before - total : total - before
    }
    guard abs(end - last.end) <= DoubtedEnd.driftMax + max(0, moved) else { return true }
    guard sentAt - last.sentAt >= DoubtedEnd.settlingTime else {
      claim = last
      return true
    }
    claim = nil
    believedLacking = lacking
    return false
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
    restsUntil =
      now + ExtensionAttempts.restMin.doubled(for: rests, upTo: ExtensionAttempts.restMax)
  }
}
