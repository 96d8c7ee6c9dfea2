import Feed

/// Where items stand: those that name a bound, and those that another part may store further up.
extension MergeReading {
  /// A bound as a cut; nil where none is asked, or an item has to be looked up first.
  mutating func cut(
    of bound: SliceRequest.Bound?, _ side: PartRead.Bound
  ) throws(ReadError) -> Cut? {
    switch bound {
    case nil: return nil
    case .cut(let cut), .walked(let cut, _), .observed(let cut, _, _): return cut
    case .element(let id, let isAbove):
      // `part/identity`: an identity names one item in a part, and in those that share its items.
      let name = id.bytes.prefix { $0 != UInt8(ascii: "/") }
      let known = parts.ofRealm[String(decoding: name, as: UTF8.self)] ?? []
      guard !known.isEmpty, id.bytes.count > name.count + 1 else {
        throw .unknownElement(isStart: side == .start)
      }
      let own = Identity(bytes: Array(id.bytes.dropFirst(name.count + 1)))
      for part in known {
        var request = MergeReading.place(of: own, in: parts.parts[part].feed)
        request.start = .element(own, isAbove: isAbove)
        request.end = nil
        unresolved.append(PartRead(part: part, request: request, purpose: .place(own, side)))
      }
      return nil
    }
  }

  /// A request for an item alone, at its place in a part.
  static func place(of id: Identity, in feed: FeedID) -> SliceRequest {
    var request = SliceRequest(feed: feed, limit: 1, wait: .zero)
    request.start = .element(id, isAbove: true)
    request.end = .element(id, isAbove: false)
    request.asksNothing = true
    return request
  }

  /// Takes where an item stands in a part.
  mutating func resolve(
    _ id: Identity, _ side: PartRead.Bound?, of part: Int, by result: Result<Slice, ReadError>
  ) {
    guard let side else {
      let key = ItemKey(realm: parts.roles[part].realm, id: id)
      guard case .success(let slice) = result else { return }
      // All parts of a realm have one unit: their places are compared as they are.
      if let found = slice.items.first, let shown = looked[key], found.position > shown {
        question.excluded.insert(key)
      }
      // What has moved since the part was read may be what the walk was given.
      if slice.moves.last != progress[part].said?.slice.moves.last {
        progress[part].isUnread = true
      }
      return
    }
    unresolved.removeAll { $0.part == part && $0.purpose == .place(id, side) }
    switch result {
    case .success(let slice):
      guard let upper = slice.covers?.upper else { break }
      // It counts at the highest place that any part of its realm stores.
      let cut = max(resolved[side] ?? .bottom, parts.roles[part].scale.cut(upper))
      resolved[side] = cut
      if side == .start { question.start = cut } else { question.end = cut }
    case .failure(.unknownElement): break
    case .failure(let error): failure = error
    }
    let isLooked = !unresolved.contains { $0.purpose == .place(id, side) }
    if isLooked, resolved[side] == nil {
      failure = failure ?? .unknownElement(isStart: side == .start)
    }
  }

  /// Where else items of a slice may stand: in each other part of their realm that does not show
  /// them at the same place.
  mutating func lookups(for outcome: MergedOutcome) -> [PartRead] {
    var reads: [PartRead] = []
    for item in outcome.items where !parts.roles[item.part].siblings.isEmpty {
      let element = question.element(item)
      guard
        looked.updateValue(element.position, forKey: question.key(item)) != element.position
      else { continue }
      for other in parts.roles[item.part].siblings {
        let items = question.parts[other].piece?.slice.items ?? []
        guard !items.contains(where: { $0.position == element.position }),
          parts.parts[other].isServed
        else { continue }
        let request = MergeReading.place(of: element.id, in: parts.parts[other].feed)
        reads.append(PartRead(part: other, request: request, purpose: .place(element.id, nil)))
      }
    }
    return reads
  }
}
