extension Merge {
  /// What is known of places, in feed order, once it is written. `known` was known of them before;
  /// of the elements that it puts elsewhere those are added that are asked for.
  package func laid(
    over known: [KnownElement], adding isAsked: (Seen) -> Bool
  ) -> [KnownElement] {
    let places = Dictionary(seen.map { ($0.item.id, $0.position) }) { $1 }
    let (left, lacking) = (Set(removed), Set(missing))
    var laid = known.map { element in
      var element = element
      let hasMoved = places[element.id].map { $0 != element.position } ?? false
      if left.contains(element.position) || hasMoved {
        (element.state, element.missingSince) = (.removed, nil)
      } else if lacking.contains(element.position), element.state != .removed {
        element.missingSince = element.missingSince ?? sentAt
      }
      return element
    }
    let asked = seen.filter(isAsked)
    let replaced = Set(asked.map(\.position))
    laid.removeAll { replaced.contains($0.position) }
    laid += asked.map { seen in
      KnownElement(
        position: seen.position, id: seen.item.id, updatedAt: seen.item.updatedAt,
        state: seen.state)
    }
    return laid.sorted { $0.position > $1.position }
  }
}
