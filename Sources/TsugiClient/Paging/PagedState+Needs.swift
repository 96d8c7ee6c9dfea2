/// What the list needs, by where the reader is.
extension PagedState {
  /// Begins the loads that are needed and may begin: one in each direction, the top before all.
  mutating func settle() -> [Action] {
    guard isStarted, !isFrozen else { return [] }
    var actions = lookUp()
    let isOutdated = topLoad.map { covered(by: $0) == nil || needsReset && !$0.isReset } ?? false
    if isOutdated, let number = top.abandon() {
      topLoad = nil
      actions.append(.cancel(number))
    }
    if needsTop, top.mayStart { return actions + startTop() }
    guard topLoad == nil, isLoaded, !needsReset else { return actions }
    actions += lookForNews() + lookBelow()
    if needsMore, more.mayStart { actions += startMore() }
    if needsPrevious, previous.mayStart { actions += startPrevious() }
    if let id = neededGap, gap.mayStart { actions += start(gap: id) }
    return actions
  }

  private var needsTop: Bool { !isLoaded || wantsRefresh || needsReset }

  /// Rows within this distance of an edge want more of what lies beyond it.
  var distance: Int { min(max(options.prefetchDistance, 0), 100) }

  private var needsMore: Bool {
    guard hasMore else { return false }
    if more.isWished || isFooterVisible || content.items.isEmpty { return true }
    guard let seen = visible.indices(in: content) else { return false }
    return seen.upperBound >= content.items.count - 1 - distance
  }

  private var needsPrevious: Bool {
    guard hasPrevious else { return false }
    if previous.isWished { return true }
    guard let seen = visible.indices(in: content) else { return false }
    return seen.lowerBound <= distance
  }

  /// The gap that is to be filled next.
  private var neededGap: Int? {
    guard !content.gaps.isEmpty else { return nil }
    if let wishedGap, content.gaps.contains(where: { $0.id == wishedGap }) { return wishedGap }
    guard options.fillsGaps, let seen = visible.indices(in: content) else { return nil }
    let near = seen.lowerBound - distance...seen.upperBound + 1 + distance
    return content.gaps.first { near.contains($0.index) }?.id
  }

  /// An item that came may as well be one that the server read ahead, below the list's end. What
  /// is above the top the server says, at the cost of one item.
  private mutating func lookForNews() -> [Action] {
    guard mayHaveNews, !hasNews, newsLook == nil else { return [] }
    mayHaveNews = false
    guard let topPlace else {
      // What lies above a list that began further down is not news.
      hasNews = !hasPrevious
      return []
    }
    let number = nextNumber()
    newsLook = number
    return [.load(number, SliceRequest(start: .at(.cursor(topPlace)), limit: 1))]
  }

  /// Below the end that was seen something may have come, as far as the list knows.
  private mutating func lookBelow() -> [Action] {
    guard mayGoOn, endLook == nil else { return [] }
    mayGoOn = false
    guard !hasMore, shelf.below.isEmpty, let last = content.segments.last else { return [] }
    let number = nextNumber()
    endLook = number
    return [.load(number, SliceRequest(start: .after(.cursor(last.end)), limit: 1))]
  }

  private mutating func startTop() -> [Action] {
    var actions = [newsLook, endLook].compactMap { $0.map(Action.cancel) }
    (newsLook, mayHaveNews) = (nil, mayHaveNews || newsLook != nil)
    (endLook, mayGoOn) = (nil, mayGoOn || endLook != nil)
    for lane in Self.sideLanes {
      if let number = self[keyPath: lane].abandon() { actions.append(.cancel(number)) }
    }
    if gap.isWished { wishedGap = gapTarget }
    if isLoaded, !needsReset, let early = startEarly() { return actions + early }
    var request = SliceRequest(refresh: wantsRefresh || needsReset)
    topLoad = isLoaded && !needsReset ? merging() : nil
    if let topLoad {
      request.end = topLoad.end
      let known = content.segments.prefix(covered(by: topLoad) ?? 0).reduce(0) { $0 + $1.count }
      request.limit = min(100, known + limit)
    } else {
      topLoad = TopLoad(isReset: needsReset)
      if let place = needsReset ? resetPlace : isLoaded ? nil : begin {
        (request.start, request.refresh) = (.at(place), false)
        topLoad?.isAtPlace = true
      }
    }
    topLoad?.refreshes = request.refresh
    let number = nextNumber()
    top.begin(number, request)
    return actions + [.load(number, request)]
  }

  /// A refresh asks for all down to a place of the list: to the end of what fills the first screen,
  /// so that edits and removals there are seen too, or, when the list does not begin at the top, to
  /// its beginning. What is in between is exact; nothing is guessed from ids.
  func merging() -> TopLoad? {
    guard let first = content.segments.first else { return nil }
    let beginning = SliceRequest.End.before(.cursor(first.start))
    guard !hasPrevious else {
      return TopLoad(stage: .top, end: beginning, beginning: beginning)
    }
    var count = 0
    var end = first.end
    for (index, segment) in content.segments.enumerated() {
      guard index == 0 || (count < limit && segment.gapAbove == nil) else { break }
      count += segment.count
      end = segment.end
    }
    return TopLoad(
      stage: .top, coveredEnd: end, end: .at(.cursor(end)), beginning: beginning)
  }

  /// How many segments a load at the top is to replace; nil where none ends any more where it was
  /// to end, as the ones around that place were joined.
  func covered(by load: TopLoad) -> Int? {
    guard let end = load.coveredEnd else { return 0 }
    return content.segments.firstIndex { $0.end == end }.map { $0 + 1 }
  }

  private mutating func startMore() -> [Action] {
    if let next = shelf.below.first { return read(\.more, next.ids) }
    guard let last = content.segments.last else { return [] }
    var request = SliceRequest(start: .after(.cursor(last.end)))
    if usesSkip, let skip {
      request = skip
      request.limit = nil
    }
    return start(\.more, request)
  }

  private mutating func startPrevious() -> [Action] {
    if let next = shelf.above.last { return read(\.previous, next.ids) }
    guard let first = content.segments.first else { return [] }
    return start(
      \.previous, SliceRequest(end: .before(.cursor(first.start)), limitToLast: true))
  }

  /// Fills a gap from the side on which the reader is.
  private mutating func start(gap id: Int) -> [Action] {
    guard let below = content.segment(below: id), below > 0 else { return [] }
    let index = content.gaps.first { $0.id == id }?.index ?? 0
    let isReaderBelow = visible.indices(in: content).map { $0.lowerBound >= index } ?? false
    gapTarget = id
    if wishedGap == id { gap.wish() }
    wishedGap = nil
    return start(
      \.gap,
      SliceRequest(
        start: .after(.cursor(content.segments[below - 1].end)),
        end: .before(.cursor(content.segments[below].start)), limitToLast: isReaderBelow))
  }

  private mutating func start(
    _ lane: WritableKeyPath<Self, PagedLane>, _ request: SliceRequest
  ) -> [Action] {
    let number = nextNumber()
    self[keyPath: lane].begin(number, request)
    return [.load(number, request)]
  }
}
