import Bytes

/// Places of a feed at which answers showed elements that cannot be used: without identity, without
/// a date, or broken.
///
/// What cannot be used today may be whole tomorrow. So such a place is a gap until an answer shows
/// it whole, or ``answersMax`` answers agree that it stays so; then it counts as proven without the
/// element, and as unusable. A feed in which such elements stay is believed at once.
package struct UnusablePlaces: Hashable, Sendable {
  /// Answers that must agree.
  package static let answersMax = 3
  /// The most places kept; others are believed at once.
  package static let placesMax = 64
  /// So many places at which the element stayed unusable, and none where it became whole, and the
  /// feed's answers are believed at once.
  package static let stayedMax = 8

  private struct Place: Hashable {
    var range: CutRange
    var answers: Int
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
      let known = (before.first { $0.range.overlaps(range) } ?? elsewhere.popFirst())?.answers ?? 0
      var place = Place(range: range, answers: min(known + 1, UnusablePlaces.answersMax))
      let isBelieved = stayed >= UnusablePlaces.stayedMax && healed == 0
      if isBelieved || places.count >= UnusablePlaces.placesMax {
        place.answers = UnusablePlaces.answersMax
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
    var places: Set<CutRange> = []
    for rank in unusableRanks where !taken.isEmpty {
      let next = inOrder.partitioningIndex { $0.rank > rank }
      let above = next > 0 ? min(taken[next - 1].lower, upper) : upper
      guard above > lower else {
        let lowest = order == .value && isProvenBelow ? taken.last(where: range.covers) : nil
        if let lowest { places.insert(lowest) }
        continue
      }
      let place = between.first { $0.upper <= above } ?? between.last { $0.lower >= above }
      if let place {
        places.insert(place)
      } else if order == .value,
        let second = taken[max(0, next - 1)...].first(where: range.covers)
      {
        places.insert(second)
      }
    }
    let shown = Set(elements.map(\.item.id))
    let unshown = known.filter { $0.state == .live && !shown.contains($0.id) }.map(\.position)
    return places.filter { !unshown.contains(where: $0.holds) }.sorted { $0.upper > $1.upper }
  }
}
