/// What shows that an upstream does not answer as it is said to.
package enum RecipeSign: String, CaseIterable, Sendable {
  /// No element of an answer can be used, or the answer contradicts what was asked for.
  case unusable
  /// The elements do not come in the order of the field that is named.
  case unordered
  /// The same elements come wherever a page begins.
  case repeated
  /// Pages are smaller than they are asked for.
  case short
  /// Answers in a row brought nothing new.
  case barren
  /// The total is not exact.
  case inexact
  /// An answer that is to be the whole list names a next page.
  case partial
  /// A full page says nothing at the place where the next one is to be named.
  case silent
  /// What names the next page counts elements or pages, so that it leads elsewhere once the list
  /// has moved.
  case counting
  /// A page was not where it was asked for: a redirect led there, which is a second call.
  case redirected
}

/// The answers that a feed was given last: one that comes again for another place tells nothing of
/// that place. Where the parameter of the place is not taken, or what names the next page leads
/// back, every answer is such.
package struct RecentAnswers: Hashable, Sendable {
  /// How many answers are remembered: as many pages may follow one another in a circle.
  package static let countMax = 8
  /// How long one is: later the list itself may have moved so far.
  package static let memory = Duration.seconds(45)
  /// How many in a row may come again before they are refused.
  package static let repeatsMax = 1

  private struct Seen: Hashable {
    var rank: Int
    var ids: Int
    var at: Timestamp
  }
  private var seen: [Seen] = []
  private var repeats = 0

  /// None so far.
  package init() {}

  /// Notes an answer. Returns whether it, and those before it, are answers to other places.
  package mutating func isRepeated(_ page: Page, to window: Window, at now: Timestamp) -> Bool {
    seen.removeAll { now - $0.at > RecentAnswers.memory }
    guard page.count > 1 else { return false }
    let answer = Seen(rank: window.firstRank, ids: page.items.map(\.item.id).hashValue, at: now)
    // What lies half a page further up or down shows other elements, however it overlaps.
    let isElsewhere = { (other: Seen) in abs(other.rank - answer.rank) * 2 >= page.count }
    let same = seen.filter { $0.ids == answer.ids }
    guard !same.isEmpty else {
      repeats = 0
      seen = seen.suffix(RecentAnswers.countMax - 1) + [answer]
      return false
    }
    guard same.allSatisfy(isElsewhere) else { return false }
    repeats += 1
    return repeats > RecentAnswers.repeatsMax
  }
}
