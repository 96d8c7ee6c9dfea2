/// Where items stand that were named without a row, and the place a list began at.
extension PagedState {
  /// What is looked up.
  struct Lookup: Sendable {
    /// The items, in the order in which they were sent, with their places.
    var waiting: [Waiting] = []
    /// Items of which the place is known, below others that wait.
    var below: [Placed] = []
    /// Where to ask for changes from, should the list end before all of these have a row.
    var since: SequenceNumber?
    /// Whether something may lie above the top, whatever waits.
    var mayLieAbove = false
    /// Whether all changes were sent that are known of.
    var isReady = true
    /// Whether it was looked above the top since the last item was sent.
    var hasLookedAbove = false
    /// How many slices came from above it since then, and where the last of them begins.
    var slicesAbove = 0
    var lookedTo: FeedCursor?
    /// The request in progress, and the item it is for; nil for what lies above the top.
    var number: Int?
    var target: Item.ID?
    /// Its answer, where that is newer than the changes that were sent.
    var held: FeedSlice<Item>?
    /// Whether what lies above the top is put there, and not only announced.
    var putsAbove = false

    /// Whether nothing waits for an answer or a place.
    var isOver: Bool {
      waiting.isEmpty && below.isEmpty && number == nil && held == nil && !mayLieAbove
    }
  }

  /// An item whose place is looked up, and whether it had a row before.
  struct Waiting: Sendable {
    var id: Item.ID
    var place: FeedCursor
    var hadRow: Bool
  }

  /// An item, and where it stands.
  struct Placed: Sendable {
    var item: Item
    var neighbour: Item.ID
    var place: FeedCursor
  }

  /// Where a list that goes on from this one asks for changes from.
  var keptSince: SequenceNumber? { lookup.since ?? since }
  /// Whether such a list is to look above its top.
  var keptNews: Bool { hasNews || mayHaveNews || newsLook != nil || !lookup.isOver }

  /// The most items that are looked up one by one; for more a refresh costs less.
  static var lookupsMax: Int { 4 }
  /// The most slices that are asked for above the top.
  static var slicesAboveMax: Int { 2 }

  /// An item was sent of that has no row: it is looked up, where its place was sent too.
  mutating func look(for id: Item.ID, at place: FeedCursor?) {
    guard isLoaded else { return }
    guard let place else {
      (mayHaveNews, mayGoOn) = (true, true)
      return
    }
    if lookup.since == nil { lookup.since = since }
    let hadRow = holds(id) || lookup.waiting.contains { $0.id == id && $0.hadRow }
    forgetPlace(of: id)
    lookup.waiting.append(Waiting(id: id, place: place, hadRow: hadRow))
    (lookup.isReady, lookup.hasLookedAbove) = (false, false)
    (lookup.slicesAbove, lookup.lookedTo) = (0, nil)
  }

  /// An item is looked up no more.
  mutating func forgetPlace(of id: Item.ID) {
    lookup.waiting.removeAll { $0.id == id }
    lookup.below.removeAll { $0.item.id == id }
  }

  /// All changes known of were sent.
  mutating func catchUpEnded() {
    lookup.isReady = true
    guard let held = lookup.held else { return }
    lookup.held = nil
    settle(held)
  }

  /// Asks for the next place: first for what lies above the top, where most new items are.
  mutating func lookUp() -> [Action] {
    guard lookup.isReady, lookup.number == nil, lookup.held == nil, topLoad == nil, isLoaded,
      !needsReset, !wantsRefresh
    else { return [] }
    putBelow()
    let waiting = lookup.waiting.filter { !holds($0.id) }
    lookup.waiting = waiting
    guard lookup.mayLieAbove || !waiting.isEmpty else {
      // What is below none that waits is outside, or in a slice that is on its way.
      if !lookup.below.isEmpty { placesTold = since ?? placesTold }
      (lookup.putsAbove, lookup.below, lookup.since) = (false, [], nil)
      return []
    }
    if !lookup.hasLookedAbove {
      (lookup.hasLookedAbove, lookup.mayLieAbove) = (true, false)
      if let place = lookup.lookedTo ?? topPlace {
        return look(
          nil, SliceRequest(end: .before(.cursor(place)), limitToLast: true, limit: 100))
      }
    }
    guard let next = waiting.first else { return lookUp() }
    guard waiting.count <= Self.lookupsMax else {
      beginAtReader()
      return []
    }
    return look(
      next.id, SliceRequest(end: .at(.cursor(next.place)), limitToLast: true, limit: 2))
  }

  private mutating func look(_ target: Item.ID?, _ request: SliceRequest) -> [Action] {
    let number = nextNumber()
    (lookup.number, lookup.target) = (number, target)
    return [.load(number, request)]
  }

  /// Too many items wait, or asking for them is of no use: a refresh reads all that is there, or
  /// else the list begins again, at the reader's row or near the top at the top.
  private mutating func beginAtReader() {
    (lookup.waiting, lookup.below, lookup.mayLieAbove) = ([], [], false)
    if let seen = visible.indices(in: content), seen.lowerBound >= limit || hasPrevious {
      let id = content.items[seen.lowerBound].id
      (needsReset, resetPlace) = (true, .element(id: identityText(of: id)))
    } else if let load = merging(), shelf.below.isEmpty,
      covered(by: load) == content.segments.count
    {
      wantsRefresh = true
    } else {
      (needsReset, resetPlace) = (true, nil)
    }
  }

  /// A look came back. One that is newer than the changes sent waits for them: what moved
  /// meanwhile would be put beside what is not there any more.
  mutating func lookedUp(_ slice: FeedSlice<Item>) -> [Action] {
    lookup.number = nil
    if let since, slice.seq.isAfter(since) {
      lookup.held = slice
      return [.catchUp]
    }
    settle(slice)
    return []
  }

  private mutating func settle(_ slice: FeedSlice<Item>) {
    placeWasFound()
    guard let id = lookup.target else { return settleAbove(slice) }
    lookup.waiting.removeAll { $0.id == id }
    guard let piece = pieces([slice]).first, let item = piece.items.last, item.id == id else {
      return
    }
    if piece.items.count == 1, !slice.hasPrevious {
      hasNews = true
    } else if let neighbour = piece.items.dropLast().last?.id {
      lookup.below.append(Placed(item: item, neighbour: neighbour, place: piece.end))
      putBelow()
    }
  }

  /// Puts items below their neighbours, as far as these have a row.
  private mutating func putBelow() {
    while let index = lookup.below.firstIndex(where: { holds($0.neighbour) }) {
      let placed = lookup.below.remove(at: index)
      guard !holds(placed.item.id) else { continue }
      keepingPlace { state in
        state.content.insert(placed.item, below: placed.neighbour, at: placed.place)
        state.shelf.insert(placed.item.id, below: placed.neighbour, at: placed.place)
        return []
      }
    }
  }

  private mutating func settleAbove(_ slice: FeedSlice<Item>) {
    guard let piece = pieces([slice]).first else { return }
    let ids = Set(piece.items.map(\.id))
    lookup.waiting.removeAll { ids.contains($0.id) }
    lookup.slicesAbove += 1
    let isTooMuch = slice.hasPrevious && lookup.slicesAbove >= Self.slicesAboveMax
    let hasGap = shelf.above.isEmpty ? hasPrevious : shelf.hasPrevious
    let puts = lookup.putsAbove
    if !puts { hasNews = true }
    if isTooMuch || puts && options.gapPolicy == .reset && (hasGap || slice.hasPrevious) {
      // A refresh brings what is above the top, and nothing else.
      if lookup.waiting.contains(where: \.hadRow) { return beginAtReader() }
      (lookup.waiting, lookup.below, wantsRefresh) = ([], [], wantsRefresh || puts)
      return
    }
    if slice.hasPrevious {
      (lookup.hasLookedAbove, lookup.mayLieAbove) = (false, true)
      lookup.lookedTo = piece.start
    }
    guard puts else { return }
    topPlace = piece.start
    if shelf.above.isEmpty {
      // What was let go above what is in memory lies between.
      let gap = hasGap ? nextNumber() : nil
      hasPrevious = false
      keepingPlace { state in
        state.content.replace(0..<0, with: [piece], gapBelow: gap)
        return []
      }
    } else {
      (shelf.above[0].hasGapAbove, shelf.hasPrevious) = (hasGap, false)
      shelf.above.insert(
        Shelved(
          ids: piece.items.map(\.id).filter { !holds($0) }, start: piece.start, end: piece.end,
          seq: piece.seq, hasGapAbove: false), at: 0)
    }
  }

  /// What is looked up waits until something gets through again; where asking again is of no use,
  /// the list begins again.
  mutating func lookupFailed(_ error: TsugiError? = nil) {
    guard !lookup.isOver else { return }
    (lookup.number, lookup.held, lookup.isReady) = (nil, nil, false)
    (lookup.hasLookedAbove, lookup.mayLieAbove, lookup.putsAbove) = (false, false, false)
    if error?.mayPass == false, lookup.target != nil { beginAtReader() }
    (hasNews, mayGoOn) = (true, true)
  }

  /// What became of the place that the list was to begin at.
  mutating func findPlace(_ load: TopLoad) {
    guard place != nil, !load.isReset || !load.isAtPlace else { return }
    guard load.isAtPlace, let begin, let slice = load.slices.first else {
      place = .notKnown
      return
    }
    let isThere =
      switch begin.text {
      case let text where text.hasPrefix("id:"):
        slice.items.first.map { "id:" + identityText(of: $0.id) == text } ?? false
      case let text where text.hasPrefix("at:"): true
      case let text: slice.startCursor?.rawValue == text
      }
    place = isThere ? .found : .gone
  }
}

extension PagedState {
  /// The first look at the top of a list from a store asks for what changed; any other first reads
  /// what the store has above.
  mutating func startEarly() -> [Action]? {
    let number = nextNumber()
    if opensByChanges, let since {
      topLoad = TopLoad(stage: .changes, refreshes: true)
      top.begin(number, SliceRequest(refresh: true))
      lookup.putsAbove = true
      // What was announced before is put there, too.
      if mayHaveNews, topPlace != nil {
        (lookup.mayLieAbove, lookup.hasLookedAbove, lookup.isReady) = (true, false, false)
        mayHaveNews = false
      }
      return [.changes(number, since: since)]
    }
    guard !shelf.above.isEmpty else { return nil }
    topLoad = TopLoad(stage: .shelf)
    top.begin(number, SliceRequest())
    return [.read(number, shelf.above.flatMap(\.ids))]
  }

  /// The changes since the list was kept came, or some of them.
  mutating func caughtUp(_ number: Int, _ page: FeedChangePage<Item>) -> [Action] {
    guard top.load?.number == number, topLoad != nil else { return [] }
    apply(page.changes, next: page.nextSince)
    if page.hasMore, !needsReset {
      let fruitless = page.changes.isEmpty ? (topLoad?.fruitless ?? 0) + 1 : 0
      topLoad?.fruitless = fruitless
      guard fruitless < Self.fruitlessMax else {
        return failAtTop(.standstill, draw: 1)
      }
      let number = nextNumber()
      top.goOn(number, SliceRequest(refresh: true))
      return [.changes(number, since: page.nextSince)]
    }
    (topLoad, opensByChanges) = (nil, false)
    guard !needsReset, let freshness = page.freshness else {
      // One that does not tell how old the top is did not look at it.
      _ = top.abandon()
      return []
    }
    (self.freshness, wantsRefresh) = (freshness, false)
    total = page.total?.newer(total) ?? total
    outcome = freshness.isFresh ? .fresh : .stale(freshness)
    top.succeed()
    for lane in Self.sideLanes { self[keyPath: lane].recover() }
    catchUpEnded()
    return []
  }
}
