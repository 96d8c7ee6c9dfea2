/// What loads bring.
extension PagedState {
  /// A load brought a slice.
  mutating func arrived(_ number: Int, _ slice: FeedSlice<Item>) -> [Action] {
    total = slice.total?.newer(total) ?? total
    if top.load?.number == number { return arrivedAtTop(slice) }
    if lookup.number == number { return lookedUp(slice) }
    if newsLook == number || endLook == number {
      looked(number, slice)
      return []
    }
    guard let lane = Self.sideLanes.first(where: { self[keyPath: $0].load?.number == number })
    else { return [] }
    if !hasAskedAgain, placesTold?.isAfter(slice.seq) == true {
      // It was written before the change: asked once more, the server knows where that stands.
      hasAskedAgain = true
      _ = self[keyPath: lane].abandon()
      if gap.isWished { wishedGap = gapTarget }
      return []
    }
    let error =
      switch lane {
      case \.more: arrivedBelow(slice)
      case \.previous: arrivedAbove(slice)
      default: arrivedInGap(slice)
      }
    if let error { return fail(lane, error, draw: 1) }
    hasAskedAgain = false
    placeWasFound()
    trim(towards: lane)
    return []
  }

  /// A look above the top or below the end came back: is there anything?
  private mutating func looked(_ number: Int, _ slice: FeedSlice<Item>) {
    if newsLook == number {
      (newsLook, hasNews) = (nil, slice.hasPrevious)
    } else {
      endLook = nil
      if slice.hasMore || !slice.isEmpty { hasMore = true }
    }
    placeWasFound()
  }

  /// A load failed.
  mutating func failed(_ number: Int, _ error: TsugiError?, _ draw: Double) -> [Action] {
    let lane = ([\.top] + Self.sideLanes).first { self[keyPath: $0].load?.number == number }
    guard let lane else {
      // Better a load that brings nothing than a lost event.
      switch number {
      case newsLook: (newsLook, hasNews) = (nil, true)
      case endLook: (endLook, hasMore) = (nil, true)
      case lookup.number: lookupFailed(error)
      default: return []
      }
      return losePlace(error, draw: draw)
    }
    if lane == \.top { return failAtTop(error, draw: draw) }
    if lane == \.more, skip != nil, !usesSkip, case .status(let failure) = error,
      [503, 504].contains(failure.status)
    {
      // The gap at the end cannot be filled now: go on below it, and leave a row for it.
      usesSkip = true
      _ = more.abandon()
      return []
    }
    if lane == \.more { usesSkip = false }
    return fail(lane, error, draw: draw) + losePlace(error, draw: draw)
  }

  /// Has the list begin again where an error means that: immediately, unless places were lost
  /// before. Where two stores answer by turns each place is soon one of the other: then there are
  /// rests that grow, and in the end the error stands.
  private mutating func losePlace(_ error: TsugiError?, draw: Double) -> [Action] {
    guard let error, error.meansLostPlace else { return [] }
    needsReset = true
    (placesLost, placesFound) = (placesLost + 1, 0)
    guard placesLost > 1 else { return [] }
    let rest = nextNumber()
    top.fail(error, rest: rest, mayPass: placesLost - 1 <= backoff.retriesMax)
    let pause = backoff.pause(afterFailures: placesLost - 1, error: error, draw: draw)
    return [.rest(rest, pause)]
  }

  /// A load by a place got through: after many in a row, losing one is a first time again.
  mutating func placeWasFound() {
    placesFound += 1
    if placesFound >= Self.placesFoundMin { placesLost = 0 }
  }

  mutating func failAtTop(_ error: TsugiError?, draw: Double) -> [Action] {
    let isMerge = topLoad?.end != nil
    let isAtPlace = topLoad?.isAtPlace == true
    let asksForChanges = topLoad?.stage == .changes
    topLoad = nil
    if asksForChanges, let error, error.code == .sinceExpired || error.status == 400 {
      // Begin again; or the server is one that does not look at the top for this.
      (opensByChanges, needsReset) = (false, error.code == .sinceExpired)
      _ = top.abandon()
      return []
    }
    if isAtPlace, let error,
      error.meansLostPlace || [.itemNotFound, .itemDeleted].contains(error.code)
    {
      // There is no such place any more: better the top than nothing.
      (begin, resetPlace) = (nil, nil)
      _ = top.abandon()
      return []
    }
    wantsRefresh = false
    outcome = error.map { .failed($0) } ?? .cancelled
    if isMerge, let error, error.meansLostPlace {
      // The next one asks for no place, so this error says nothing of it.
      _ = top.abandon()
      return losePlace(error, draw: draw)
    }
    let actions = fail(\.top, error, draw: draw)
    if isLoaded, !needsReset { top.giveUp() }
    return actions
  }

  mutating func fail(
    _ lane: WritableKeyPath<Self, PagedLane>, _ error: TsugiError?, draw: Double
  ) -> [Action] {
    let rest = nextNumber()
    self[keyPath: lane].fail(error, rest: rest, mayPass: error?.mayPass ?? true)
    let failures = self[keyPath: lane].failures
    return [.rest(rest, backoff.pause(afterFailures: failures, error: error, draw: draw))]
  }

  /// What slices brought. An item that is on the shelf has moved from there.
  private mutating func arrived(_ slices: [FeedSlice<Item>]) -> [Piece] {
    let pieces = pieces(slices)
    shelf.remove(Set(pieces.lazy.flatMap(\.items).map(\.id)))
    return pieces
  }

  /// What slices brought, but for changes of their items since they were read.
  func pieces(_ slices: [FeedSlice<Item>]) -> [Piece] {
    slices.compactMap { slice in
      // The cursors of an empty one are only those that were asked.
      guard !slice.isEmpty, let start = slice.startCursor, let end = slice.endCursor
      else { return nil }
      let items =
        told.isEmpty
        ? slice.items
        : slice.items.compactMap { item in
          guard let told = told[item.id], told.seq.isAfter(slice.seq) else { return item }
          return told.item
        }
      return Piece(
        items: items, start: start, end: end, seq: slice.seq, undecodable: slice.undecodable,
        missing: slice.missing)
    }
  }

  private mutating func arrivedAtTop(_ slice: FeedSlice<Item>) -> [Action] {
    guard var load = topLoad else { return [] }
    let place = load.slices.last { !$0.isEmpty }?.endCursor
    if slice.hasMore, slice.isEmpty || slice.endCursor == nil || slice.endCursor == place {
      return failAtTop(.standstill, draw: 1)
    }
    load.slices.append(slice)
    switch load.stage {
    case .changes, .shelf: return []  // They are answered by no slice.
    case .all: return finish(load, isProven: true)
    case .top:
      guard slice.hasMore else { return finish(load, isProven: true) }
      load.stage = .reach
    case .reach:
      guard !slice.hasMore else { return finish(load, isProven: false) }
      guard load.coveredEnd != nil else { return finish(load, isProven: true) }
      load.stage = .cover
    case .cover:
      guard slice.hasMore else { return finish(load, isProven: true) }
    }
    return goOn(load)
  }

  /// Asks for the next part of a refresh.
  private mutating func goOn(_ load: TopLoad) -> [Action] {
    topLoad = load
    guard let place = load.slices.last(where: { !$0.isEmpty })?.endCursor,
      load.slices.count < Self.refreshSlicesMax
    else { return failAtTop(.standstill, draw: 1) }
    let number = nextNumber()
    let request = SliceRequest(
      start: .after(.cursor(place)), end: load.stage == .reach ? load.beginning : load.end,
      limit: min(100, 5 * limit))
    top.goOn(number, request)
    return [.load(number, request)]
  }

  private mutating func finish(_ load: TopLoad, isProven: Bool) -> [Action] {
    topLoad = nil
    (isLoaded, hasNews) = (true, false)
    hasPrevious = load.isAtPlace && load.slices.first?.hasPrevious == true
    if load.refreshes { wantsRefresh = false }
    if load.isReset { (needsReset, resetPlace) = (false, nil) }
    if load.end != nil { placeWasFound() }
    let last = load.slices.last
    freshness = load.slices.first?.freshness
    outcome = freshness.map { $0.isFresh ? .fresh : .stale($0) }
    // A load that covers nothing that is there any more was dropped before.
    let covered = isProven ? covered(by: load) ?? 0 : 0
    let begins = load.stage == .all || (!isProven && options.gapPolicy == .reset)
    let wishesMore = more.isWished
    if begins {
      findPlace(load)
      (shelf, lookup) = (Shelf(), Lookup())
      keepingPlace(staysNear: false) { state in
        state.content = PagedItems()
        state.content.replace(0..<0, with: state.pieces(load.slices))
        return []
      }
      last.map { noteEnd(of: $0) }
      skip = last?.gap?.skip
      (usesSkip, fruitless, gapTarget, wishedGap) = (false, 0, nil, nil)
    } else {
      if isProven, covered == content.segments.count {
        // All of the list was read again, and whether anything lies below it.
        if let last { last.endReason == .range ? hasMore = true : noteEnd(of: last) }
      } else {
        mayGoOn = true
      }
      // What was not read is in the gap, but for what had a row.
      if !isProven { lookup.waiting.removeAll { !$0.hadRow } }
      keepingPlace { $0.merge(load, covered, isProven: isProven) }
    }
    topPlace =
      hasPrevious
      ? nil
      : load.slices.first { !$0.isEmpty }?.startCursor
        ?? (begins ? nil : content.segments.first?.start)
    if begins || since == nil { since = load.slices.first?.seq }
    top.succeed()
    for lane in Self.sideLanes {
      if begins {
        self[keyPath: lane] = PagedLane(retriesMax: backoff.retriesMax)
      } else {
        self[keyPath: lane].recover()
      }
    }
    if begins, wishesMore, hasMore { more.wish() }
    lookup.isReady = true
    trim(towards: \.top)
    return []
  }

  typealias Piece = PagedItems<Item>.Piece

  /// Puts a refresh into the list; gives the items that came to the top from below.
  private mutating func merge(
    _ load: TopLoad, _ covered: Int, isProven: Bool
  ) -> Set<Item.ID> {
    var pieces = arrived(load.slices)
    if pieces.isEmpty, covered > 0 {
      // All of it is gone; its places are still where the list goes on.
      let (first, last) = (content.segments[0], content.segments[covered - 1])
      pieces = [Piece(items: [], start: first.start, end: last.end)]
    }
    // Below the top an old gap stays, where what is covered ends at one.
    let old = covered < content.segments.count ? content.segments[covered].gapAbove : nil
    let gap = isProven ? old : nextNumber()
    let moved = content.replace(0..<covered, with: pieces, takes: true, gapBelow: gap).taken
    if content.gaps.count > Self.gapsMax, let smallest = smallestIsland() {
      content.dropIsland(below: smallest)
    }
    return moved
  }

  /// The gap above the part between two gaps that holds the fewest items and no visible one.
  private func smallestIsland() -> Int? {
    let seen = visible.indices(in: content)
    let islands = zip(content.gaps, content.gaps.dropFirst()).map { upper, lower in
      (gap: upper.id, items: upper.index..<lower.index)
    }
    return islands.filter { island in seen.map { !island.items.overlaps($0) } ?? true }
      .min { $0.items.count < $1.items.count }?.gap
  }

  /// The last slice of the list says whether there is more below it, and if not, why.
  private mutating func noteEnd(of slice: FeedSlice<Item>) {
    hasMore = slice.hasMore
    endReason = slice.endReason
    if !hasMore { shelf.below = [] }
  }

  private mutating func arrivedBelow(_ slice: FeedSlice<Item>) -> TsugiError? {
    guard let last = content.segments.last, let load = more.load else { return nil }
    let place = SliceRequest.Start.after(.cursor(last.end))
    guard usesSkip || load.request.start == place else {
      _ = more.abandon()
      return nil
    }
    if slice.hasMore, slice.endCursor == nil || slice.endCursor == last.end { return .standstill }
    let count = content.segments.count
    let news = content.replace(
      count..<count, with: arrived([slice]),
      gapAbove: usesSkip ? nextNumber() : nil
    ).news
    noteEnd(of: slice)
    (skip, usesSkip) = (slice.gap?.skip, false)
    fruitless = news > 0 ? 0 : fruitless + 1
    guard hasMore, fruitless >= Self.fruitlessMax else {
      more.succeed()
      return nil
    }
    fruitless = 0
    return .decoding(
      DecodingFailure(
        reason: slice.undecodable.first?.reason ?? "\(Self.fruitlessMax) slices brought nothing"))
  }

  private mutating func arrivedAbove(_ slice: FeedSlice<Item>) -> TsugiError? {
    guard let first = content.segments.first, let load = previous.load else { return nil }
    guard load.request.end == .before(.cursor(first.start)) else {
      _ = previous.abandon()
      return nil
    }
    if slice.hasPrevious, slice.startCursor == nil || slice.startCursor == first.start {
      return .standstill
    }
    content.replace(0..<0, with: arrived([slice]))
    hasPrevious = slice.hasPrevious
    previous.succeed()
    return nil
  }

  private mutating func arrivedInGap(_ slice: FeedSlice<Item>) -> TsugiError? {
    guard let load = gap.load, let id = gapTarget, let below = content.segment(below: id),
      below > 0, case let upper = content.segments[below - 1].end,
      case let lower = content.segments[below].start,
      load.request.start == .after(.cursor(upper)), load.request.end == .before(.cursor(lower))
    else {
      _ = gap.abandon()
      return nil
    }
    let limitToLast = load.request.limitToLast
    let isClosed = limitToLast ? !slice.hasPrevious : !slice.hasMore
    let place = limitToLast ? slice.startCursor : slice.endCursor
    if !isClosed, place == nil || place == (limitToLast ? lower : upper) { return .standstill }
    let rest = isClosed ? nil : id
    content.replace(
      below..<below, with: arrived([slice]), gapAbove: limitToLast ? rest : nil,
      gapBelow: limitToLast ? nil : rest)
    gap.succeed()
    if isClosed { gapTarget = nil }
    return nil
  }

  /// Lets items go after a load in a lane, as far as the options say.
  mutating func trim(towards lane: WritableKeyPath<Self, PagedLane>) {
    guard let maxItems = options.maxItems else { return }
    let isAbove = lane == \.top || lane == \.previous
    trim(to: maxItems, margin: distance + 2 * limit, isAbove: isAbove)
  }

  /// Lets items go that are farthest from the reader, as long as there are too many and none of
  /// them is nearer than a margin. A reader of whom no row is known is above, or else below.
  mutating func trim(to maxItems: Int, margin: Int, isAbove: Bool) {
    while content.items.count > maxItems, content.segments.count > 1 {
      let count = content.items.count
      let nowhere = isAbove ? 0...0 : count - 1...count - 1
      var seen = visible.indices(in: content) ?? nowhere
      if isFooterVisible { seen = seen.lowerBound...count - 1 }
      let above = seen.lowerBound - content.segments[0].count
      let below = count - 1 - seen.upperBound - content.segments[content.segments.count - 1].count
      guard max(above, below) >= margin else { return }
      if above >= below {
        if isKept { shelveTop() }
        content.trimTop()
        hasPrevious = true
      } else {
        if isKept { shelveBottom() }
        content.trimBottom()
        (hasMore, skip, usesSkip, fruitless) = (true, nil, false, 0)
      }
    }
  }
}

extension FeedSlice {
  /// Whether it holds no item, not even one that cannot be decoded.
  fileprivate var isEmpty: Bool { items.isEmpty && undecodable.isEmpty }
}
