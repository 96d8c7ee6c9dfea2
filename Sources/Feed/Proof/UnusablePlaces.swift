import Bytes

/// Places of a feed at which answers showed elements that cannot be used: without identity, without
/// a date, or broken.
///
/// What cannot be used today may be whole tomorrow. So such a place is a gap until an answer shows
/// it whole, or ``answersMax`` answers agree that it stays so; then it counts as proven without the
/// element, and as unusable. It is asked for again as long as answers do not agree, and
/// ``looksMax`` times after that. A feed in which such elements stay is believed at once.
package struct UnusablePlaces: Hashable, Sendable {
  /// Answers that must agree.
  package static let answersMax = 3
  /// The most places kept; others are believed at once.
  package static let placesMax = 64
  /// So many places at which the element stayed unusable, and none where it became whole, and the
  /// feed's answers are believed at once.
  package static let stayedMax = 8

  /// How often a place is asked for again in all: an ask may be dropped for a reader's.
  package static let asksMax = 8
  /// How often a place is asked for again after answers have agreed.
  package static let looksMax = 2

  /// A window that showed a place, and what it is asked for again to prove.
  package struct Look: Hashable, Sendable {
    /// The window.
    package var window: Window
    /// The cut below which it proves something.
    package var below: Cut
    /// When that was proven before.
    package var provenAt: Timestamp

    /// A look from its parts.
    package init(_ window: Window, below: Cut, provenAt: Timestamp) {
      (self.window, self.below, self.provenAt) = (window, below, provenAt)
    }
  }

  private struct Place: Hashable {
    var range: CutRange
    var answers: Int
    /// What to ask for again, and from when on.
    var look: Look?
    var dueAt: Timestamp?
    /// How often it was asked for again, and how often after answers had agreed.
    var asks = 0
    var looks = 0
  }

  private var places: [Place] = []
  private var stayed = 0
  private var healed = 0

  /// None so far.
  package init() {}

  /// At how many places answers agree that an element cannot be used.
  package var count: Int { places.count { $0.answers >= UnusablePlaces.answersMax } }

  /// Notes what an answer shows between `upper` and `lower`, where elements that cannot be used
  /// stood in `unusable`. Returns the places that are not proven by it.
  package mutating func note(
    _ unusable: [CutRange], from upper: Cut, to lower: Cut
  ) -> [CutRange] {
    let (before, shown) = (places, CutRange(upper: upper, lower: lower))
    places.removeAll { shown.covers($0.range) }
    // Among elements of a second, and at the ends of windows, one may seem to stand elsewhere.
    var elsewhere = before.filter { place in
      shown.covers(place.range) && !unusable.contains { $0.overlaps(place.range) }
    }[...]
    var doubtful: [CutRange] = []
    for range in unusable {
      let last = before.first { $0.range.overlaps(range) } ?? elsewhere.popFirst()
      let known = last?.answers ?? 0
      var place = Place(range: range, answers: min(known + 1, UnusablePlaces.answersMax))
      (place.asks, place.looks) = (last?.asks ?? 0, last?.looks ?? 0)
      let isBelieved = stayed >= UnusablePlaces.stayedMax && healed == 0
      if isBelieved || places.count >= UnusablePlaces.placesMax {
        place.answers = UnusablePlaces.answersMax
        place.looks = UnusablePlaces.looksMax
      }
      if place.answers < UnusablePlaces.answersMax {
        doubtful.append(range)
      } else if known < UnusablePlaces.answersMax {
        stayed += 1
      }
      if places.count < UnusablePlaces.placesMax { places.append(place) }
    }
    healed += elsewhere.count
    return doubtful
  }

  /// Keeps by which window a place is asked for again, where an answer showed it just now:
  /// immediately while it is doubtful, and `after` a while where answers have agreed, later each
  /// time.
  package mutating func look(
    again look: Look, at range: CutRange, now: Timestamp, after: Duration
  ) {
    guard let index = places.firstIndex(where: { $0.range == range }) else { return }
    places[index].look = look
    let isDoubtful = places[index].answers < UnusablePlaces.answersMax
    guard isDoubtful || places[index].looks < UnusablePlaces.looksMax else {
      places[index].dueAt = nil
      return
    }
    if !isDoubtful { places[index].looks += 1 }
    places[index].dueAt = isDoubtful ? now : now + after * places[index].looks
  }

  /// The window to ask for again now; nil where none is due. An answer that does not show the place
  /// says nothing of it: then it is due `after` a while.
  package mutating func next(at now: Timestamp, after: Duration) -> Look? {
    let index = places.firstIndex { place in
      place.dueAt.map { $0 <= now } ?? false && place.asks < UnusablePlaces.asksMax
    }
    guard let index else { return nil }
    places[index].asks += 1
    places[index].dueAt = now + after
    return places[index].look
  }
}

extension Evidence {
  /// The places at which it shows elements that cannot be used, top first; not those where an
  /// element is known that it does not show, which stays there.
  ///
  /// Inside a second answers tell no order, so in a feed by value each is put between the next two
  /// seconds that are apart: nothing that it shows lies in one. Where none are, it is the second.
  /// One in the second that stays open below is put into the lowest second that is covered where
  /// an earlier answer proved what lies below: no other would be asked for that shows it.
  package func unusablePlaces(
    order: FeedOrder, knowing known: [KnownElement], isProvenBelow: Bool = false
  ) -> [CutRange] {
    let places = Set(places(of: unusableRanks, order: order, isProvenBelow: isProvenBelow))
    let unshown = unshown(of: known)
    return places.filter { !unshown.contains(where: $0.holds) }.sorted { $0.upper > $1.upper }
  }

  /// Where the elements stand that are known and that it does not show.
  func unshown(of known: [KnownElement]) -> [Position] {
    let shown = Set(elements.map(\.item.id))
    return known.filter { $0.state == .live && !shown.contains($0.id) }.map(\.position)
  }

  /// The places of ranks at which it shows no good element, in their order.
  func places(of ranks: [Int], order: FeedOrder, isProvenBelow: Bool) -> [CutRange] {
    let inOrder = inOrder
    // What each shown element, or its second, takes up.
    let taken = inOrder.map { element in
      let position = element.position
      return order == .value
        ? CutRange(upper: .above(key: position.order), lower: .below(key: position.order))
        : CutRange(upper: .above(position), lower: .below(position))
    }
    let between = zip([upper] + taken.map(\.lower), taken.map(\.upper) + [lower])
      .filter { $0 > $1 }.map { CutRange(upper: $0, lower: $1) }.filter(range.covers)
    var places: [CutRange] = []
    for rank in ranks where !taken.isEmpty {
      let next = inOrder.partitioningIndex { $0.rank > rank }
      let above = next > 0 ? min(taken[next - 1].lower, upper) : upper
      guard above > lower else {
        let lowest = order == .value && isProvenBelow ? taken.last(where: range.covers) : nil
        if let lowest { places.append(lowest) }
        continue
      }
      let place = between.first { $0.upper <= above } ?? between.last { $0.lower >= above }
      if let place {
        places.append(place)
      } else if order == .value,
        let second = taken[max(0, next - 1)...].first(where: range.covers)
      {
        places.append(second)
      }
    }
    return places
  }
}

extension Evidence {
  /// The places in its range at which it shows elements that readers lack, with how many. One that
  /// may be an element that is known, and still served, is none.
  package func omissions(order: FeedOrder, knowing known: [KnownElement]) -> [CutRange: Int] {
    guard !omittedRanks.isEmpty, upper > lower else { return [:] }
    guard !inOrder.isEmpty else { return [range: omittedRanks.count] }
    // What stands above the first element of its range, other answers tell of.
    let ranks = omittedRanks.filter { rank in
      guard !isTop, let next = inOrder.first(where: { $0.rank > rank })?.position else {
        return true
      }
      return (order == .value ? .above(key: next.order) : .above(next)) < upper
    }
    let unshown = unshown(of: known)
    let places = places(of: ranks, order: order, isProvenBelow: false)
    var counts = Dictionary(places.map { ($0, 1) }, uniquingKeysWith: +)
    for (place, count) in counts {
      let lacking = count - unshown.count(where: place.holds)
      counts[place] = lacking > 0 ? lacking : nil
    }
    return counts
  }
}
