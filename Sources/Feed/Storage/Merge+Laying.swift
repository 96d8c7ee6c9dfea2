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
    for position in removed { laid[position]?.leave() }
    for position in missing {
      guard let place = laid[position], place.state != .removed, place.missingSince == nil else {
        continue
      }
      laid[position]?.missingSince = sentAt
    }
    for seen in seen {
      for place in places[seen.item.id] ?? [] where place != seen.position { laid[place]?.leave() }
      places[seen.item.id, default: []].append(seen.position)
      laid[seen.position] = KnownElement(
        position: seen.position, id: seen.item.id, updatedAt: seen.item.updatedAt,
        state: seen.state)
    }
    return laid.values.filter { before.contains($0.position) || isAsked($0) }
      .sorted { $0.position > $1.position }
  }
}
