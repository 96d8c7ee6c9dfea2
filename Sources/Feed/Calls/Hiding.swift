/// Whether an upstream hides elements that it counts, so that pages come shorter than they were
/// asked for though more follows.
///
/// One short page shows nothing: the last one is short too, and may name a next page whatever
/// follows. Two show it: a short one that does not say that it is the last, and one that has
/// elements further down.
struct Hiding: Sendable {
  /// For how many answers each thing is remembered.
  private static let answersMax = 64
  /// How many short pages in a row that are as large as any show the upstream's size.
  private static let alikeMax = 8

  /// A page that was shorter than it was asked for.
  private struct Short {
    var window: Window
    /// How many elements it had, and those that can be used.
    var count: Int
    var ids: [Identity]
  }
  /// The end of a page that had elements.
  private struct Bottom {
    var window: Window
    var last: Identity
  }

  /// The most elements that an answer had lately.
  private(set) var largest = 0
  private var largestAnswers = 0
  /// The last short page on which more was said to follow.
  private var short: Short?
  private var shortAnswers = 0
  /// The page furthest down.
  private var furthest: Bottom?
  private var furthestAnswers = 0
  /// How many short pages in a row were as large as any.
  private var alike = 0
  /// For how many answers elements are taken to be hidden.
  private var answers = 0
  var isBelieved: Bool { answers > 0 }

  /// Notes an answer to a window, and what it says of the end. One with nothing on it is a fault,
  /// unless it is not the first and says that more follows. Where something else than a number
  /// names the place, it is not known which lies further down.
  mutating func note(_ page: Page, to window: Window, says: EndClaim) {
    forget()
    if page.count >= largest { (largest, largestAnswers) = (page.count, Hiding.answersMax) }
    guard window.segment == nil, !window.isMarked else { return }
    if let last = page.items.last?.item.id {
      let bottom = Bottom(window: window, last: last)
      if let short, isBelow(bottom, short) { believe() }
      if window.firstRank >= furthest?.window.firstRank ?? 0 {
        (furthest, furthestAnswers) = (bottom, Hiding.answersMax)
      }
    }
    guard page.count < window.perPage, says != .end,
      page.count > 0 || says == .more && !window.isTop
    else { return }
    alike = page.count == largest ? alike + 1 : 0
    // So many are the upstream's size.
    if alike >= Hiding.alikeMax { answers = 0 }
    let short = Short(window: window, count: page.count, ids: page.items.map(\.item.id))
    if let furthest, isBelow(furthest, short) { believe() }
    guard says == .more else { return }
    (self.short, shortAnswers) = (short, Hiding.answersMax)
    if isBelieved, page.count < largest { believe() }
  }

  /// Takes elements to be hidden, for a while.
  mutating func believe() { answers = Hiding.answersMax }

  /// Forgets where pages stood.
  mutating func forgetPlaces() { (short, furthest) = (nil, nil) }

  /// Lets one more answer pass.
  private mutating func forget() {
    answers = max(0, answers - 1)
    largestAnswers -= 1
    shortAnswers -= 1
    furthestAnswers -= 1
    if largestAnswers <= 0 { (largest, largestAnswers) = (0, 0) }
    if shortAnswers <= 0 { (short, shortAnswers) = (nil, 0) }
    if furthestAnswers <= 0 { (furthest, furthestAnswers) = (nil, 0) }
  }

  /// Whether a page ends further down than a short one reaches that is shorter than others: it
  /// begins no further up, reaches further, and ends with none of its elements.
  private func isBelow(_ bottom: Bottom, _ short: Short) -> Bool {
    short.count < largest && !short.ids.contains(bottom.last)
      && bottom.window.firstRank >= short.window.firstRank
      && bottom.window.endRank > short.window.endRank
  }
}
