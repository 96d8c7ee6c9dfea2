/// Where items stand that were named without a row, and the place a list began at.
extension PagedState {
  /// What is looked up.
  struct Lookup: Sendable {
    /// The items, in the order in which they were sent, with their places.
    var waiting: [(id: Item.ID, place: FeedCursor)] = []
    /// Whether all changes were sent that are known of.
    var isReady = true
    /// Whether it was looked above the top since the last item was sent.
    var hasLookedAbove = false
    /// The request in progress, and the item it is for; nil for what lies above the top.
    var number: Int?
    var target: Item.ID?
    /// Its answer, where that is newer than the changes that were sent.
    var held: FeedSlice<Item>?
    /// Whether what lies above the top is put there, and not only announced.
    var putsAbove = false
  }

  /// The most items that are looked up one by one; for more a refresh costs less.
  static var lookupsMax: Int { 4 }

  /// An item was sent of that has no row: it is looked up, where its place was sent too.
  mutating func look(for id: Item.ID, at place: FeedCursor?) {
    guard isLoaded else { return }
    guard let place else {
      (mayHaveNews, mayGoOn) = (true, true)
      return
    }
    lookup.waiting.removeAll { $0.id == id }
    lookup.waiting.append((id, place))
    (lookup.isReady, lookup.hasLookedAbove) = (false, false)
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
    let waiting = lookup.waiting.filter { !holds($0.id) }
    lookup.waiting = waiting
    guard let next = waiting.first else {
      lookup.putsAbove = false
      return []
    }
    if !lookup.hasLookedAbove {
      lookup.hasLookedAbove = true
      if let topPlace {
        return look(
          nil, SliceRequest(end: .before(.cursor(topPlace)), limitToLast: true, limit: 100))
      }
    }
    guard waiting.count <= Self.lookupsMax else {
      lookup.waiting = []
      refreshAtReader()
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

  /// Near the top a refresh reads all that the reader sees; further down the list begins again at
  /// the reader's row.
  private mutating func refreshAtReader() {
    if let seen = visible.indices(in: content), seen.lowerBound >= limit || hasPrevious {
      let id = content.items[seen.lowerBound].id
      (needsReset, resetPlace) = (true, .element(id: identityText(of: id)))
    } else {
      wantsRefresh = true
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
      keepingPlace { state in
        state.content.insert(item, below: neighbour, at: piece.end)
        state.shelf.insert(id, below: neighbour, at: piece.end)
        return []
      }
    }
  }

  private mutating func settleAbove(_ slice: FeedSlice<Item>) {
    guard let piece = pieces([slice]).first else { return }
    let ids = Set(piece.items.map(\.id))
    lookup.waiting.removeAll { ids.contains($0.id) }
    guard lookup.putsAbove else {
      hasNews = true
      return
    }
    guard !slice.hasPrevious else {
      // More came than one request brings.
      (lookup.waiting, wantsRefresh) = ([], true)
      return
    }
    topPlace = piece.start
    if shelf.above.isEmpty {
      keepingPlace { state in
        state.content.replace(0..<0, with: [piece])
        return []
      }
    } else {
      shelf.above.insert(
        Shelved(
          ids: piece.items.map(\.id).filter { !holds($0) }, start: piece.start, end: piece.end,
          seq: piece.seq, hasGapAbove: false), at: 0)
    }
  }

  /// Better a refresh that the reader asks for than a lost item.
  mutating func lookupFailed() {
    guard !lookup.waiting.isEmpty || lookup.held != nil || lookup.number != nil else { return }
    lookup = Lookup()
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
    for lane in [\Self.more, \.previous, \.gap] { self[keyPath: lane].recover() }
    catchUpEnded()
    return []
  }
}
