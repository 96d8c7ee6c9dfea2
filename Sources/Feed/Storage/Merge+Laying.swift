extension Merge {
  /// What is known of places, in feed order, once it is written. `known` was known of them before;
  /// of the places that it adds those are included that are asked for.
  package func laid(
    over known: [KnownElement], adding isAsked: (KnownElement) -> Bool
  ) -> [KnownElement] {
    var laid = Dictionary(
      known.map { ($0.position, $0) }, uniquingKeysWith: { first, _ in first })
    let before = Set(laid.keys)
    var places = Dictionary(grouping: before) { laid[$0]?.id }
    func standing(_ position: Position) -> KnownElement? {
      laid[position].flatMap { $0.state != .removed && $0.sentAt <= sentAt ? $0 : nil }
    }
    for position in removed where standing(position) != nil { laid[position]?.leave(at: sentAt) }
    for position in missing {
      guard var place = standing(position), place.missingSince == nil else { continue }
      (place.missingSince, place.sentAt) = (sentAt, sentAt)
      laid[position] = place
    }
    for seen in seen {
      let others = places[seen.item.id] ?? []
      guard others.allSatisfy({ laid[$0].map { $0.sentAt <= sentAt } ?? true }) else { continue }
      for place in others where place != seen.position && laid[place]?.state != .removed {
        laid[place]?.leave(at: sentAt)
      }
      places[seen.item.id, default: []].append(seen.position)
      laid[seen.position] = KnownElement(
        position: seen.position, id: seen.item.id, updatedAt: seen.item.updatedAt,
        state: seen.state, sentAt: sentAt)
    }
    return laid.values.filter { before.contains($0.position) || isAsked($0) }
      .sorted { $0.position > $1.position }
  }
}
