import Feed

/// What is asked of a merged feed, its bounds resolved, and what is known of its parts so far.
struct Question: Sendable {
  /// Where the range begins; ``Cut/top`` where a walk does.
  var start: Cut = .top
  /// Where it ends.
  var end: Cut = .bottom
  /// 1 or more.
  var limit: Int
  /// The parts, by name.
  var parts: [PartState]
  /// Whether the upstreams may be asked.
  var mayAsk = true
  /// Items that stand higher in another part than where they are met, or that the walk was given
  /// before.
  var excluded: Set<ItemKey> = []
}

/// What an item of a merged feed is one by: an identity within a realm.
struct ItemKey: Hashable, Sendable {
  /// The realm's place among those of the parts.
  var realm: Int
  /// The identity.
  var id: Identity
}

/// The next step towards a merged slice.
enum MergeStep: Hashable, Sendable {
  /// Answer with this.
  case serve(MergedOutcome)
  /// Ask these parts, all at the same time, and read them again.
  case ask([PartAsk])
  /// Read more of what is known of these parts.
  case read([Int])
  /// Nothing can be shown.
  case fail(ReadError, part: Int)
}

/// What is asked of one part.
struct PartAsk: Hashable, Sendable {
  /// The part.
  var part: Int
  /// The stretch that is lacking.
  var range: CutRange
  /// Whether the part's top is looked at first.
  var looks = false
}

/// A merged slice, as it is cut out of the pieces.
struct MergedOutcome: Hashable, Sendable {
  /// The items, falling, each with the part that shows it.
  var items: [MergedItem]
  /// What they are all of.
  var covers: CutRange
  /// Whether there is more to the end of the range.
  var hasMore: Bool
  /// Whether there is something above.
  var hasPrevious: Bool
  /// Why there is no more.
  var endReason: EndReason?
  /// The gap it ends at.
  var gap: Slice.Gap?
  /// What it lacks.
  var missing: [MissingPart]
  /// The parts whose age, proof and omissions are the slice's.
  var counted: [Int]
}

/// An item among those of all parts.
struct MergedItem: Hashable, Sendable {
  /// The item at its merged place.
  var element: Element
  /// The first part by name that shows it there.
  var part: Int

  /// Its merged place.
  var position: Position { element.position }
}

extension Question {
  /// The items known of all parts below a cut, falling, each at the highest place that any part
  /// stores; no more than so many.
  func candidates(below upper: Cut = .top, atMost most: Int = .max) -> [MergedItem] {
    let items = parts.map { $0.piece?.items ?? [] }
    var heads = items.map { items in
      upper == .top ? 0 : items.prefix { upper.isBelow($0.position) }.count
    }
    var known: [MergedItem] = []
    var seen = excluded
    // What one part leaves out, since the walk was given it before, all of its realm leave out.
    for part in parts {
      for id in part.piece?.leftOut ?? [] { seen.insert(ItemKey(realm: part.realm, id: id)) }
    }
    // What stands above the cut in one part counts there.
    for (part, head) in heads.enumerated() where parts[part].hasSiblings {
      for item in items[part][..<head] {
        seen.insert(ItemKey(realm: parts[part].realm, id: item.id))
      }
    }
    while known.count < most {
      var first: Int?
      for part in items.indices where heads[part] < items[part].endIndex {
        guard let best = first else {
          first = part
          continue
        }
        if items[part][heads[part]].position > items[best][heads[best]].position { first = part }
      }
      guard let first else { break }
      let element = items[first][heads[first]]
      heads[first] += 1
      // One that has its realm alone has each item once.
      if parts[first].hasSiblings || !seen.isEmpty {
        let key = ItemKey(realm: parts[first].realm, id: element.id)
        guard seen.insert(key).inserted else { continue }
      }
      known.append(MergedItem(element: element, part: first))
    }
    return known
  }

  /// The parts that are left behind: optional, known, and last looked at much longer ago than the
  /// newest of the others.
  func behind() -> Set<Int> {
    let looks = parts.map { part -> Timestamp? in
      part.piece.flatMap { $0.isUnknown ? nil : $0.freshness.checkedAt }
    }
    return Set(
      parts.indices.filter { index in
        guard parts[index].isOptional, parts[index].piece?.isHead == true, let own = looks[index]
        else { return false }
        let others = looks.indices.compactMap { $0 == index ? nil : looks[$0] }
        return others.max().map { $0 - own > parts[index].lag } ?? false
      })
  }

  /// The parts that a slice rests on: those known in its range, and those in whose name it says
  /// that nothing stands above what they are known for.
  func counted(in covers: CutRange, without behind: Set<Int>) -> [Int] {
    parts.indices.filter { index in
      guard let piece = parts[index].piece, !piece.isUnknown else { return false }
      let isInside = piece.range.lower < covers.upper && piece.range.upper > covers.lower
      return isInside || piece.isHead && !behind.contains(index)
    }
  }

  /// What nothing is to be asked of any more.
  func isBlocked(_ part: Int) -> Bool { !mayAsk || parts[part].block != nil }

  /// Whether a part is asked again for what is known of it, which has expired.
  func asksAgain(_ piece: Piece, of part: Int) -> Bool {
    piece.freshness.state == .expired && !piece.isUnknown && !parts[part].isAsked
      && !isBlocked(part)
  }

  /// Whether another item is known beyond those that were read, of a part that shows it alone.
  var goesOn: Bool { parts.contains { $0.piece?.isFull == true && !$0.hasSiblings } }

  /// That nothing can be shown without a part.
  func fail(_ part: Int) -> MergeStep { .fail(block(of: part).error, part: part) }

  /// Why a part is not asked.
  func block(of part: Int) -> PartState.Block { parts[part].block ?? .failed(.timedOut) }

  /// A stretch that is shown without a part.
  func missing(
    _ part: Int, _ reason: MissingPart.Reason? = nil, from: Cut, to: Cut?
  ) -> MissingPart {
    let block = block(of: part)
    return MissingPart(
      part: parts[part].name, reason: reason ?? block.reason,
      from: from == .top ? nil : Timestamp(milliseconds: from.position.order),
      to: to.map { Timestamp(milliseconds: $0.position.order) },
      retryAt: reason == nil ? block.retryAt : nil)
  }
}
