import Bytes

extension Evidence {
  /// The places at which it shows elements that cannot be used, top first; not those where an
  /// element is known that it does not show, which stays there.
  ///
  /// Inside a second answers show no order, so in a feed by value each is put between the next two
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
    // What stands above the first element of its range, other answers show.
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
