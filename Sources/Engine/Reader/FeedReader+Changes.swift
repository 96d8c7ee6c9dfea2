package import Feed

/// What changed in a feed, and looking at one that somebody listens to.
extension FeedReader {
  /// How long a call for those who listen is waited for; it has ended by then, well or not.
  private static let listeningWait = Duration.seconds(60)
  /// The most calls by which what is new is read on below the first window: 1,000 items.
  static let listeningCallsMax = 10

  /// Looks at feeds for those who listen.
  struct Attendance {
    /// What looks at each feed that is listened to.
    var tasks: [FeedID: Task<Void, Never>] = [:]
    /// Feeds of which all that came since the last look is being read on.
    var readingOn: Set<FeedID> = []
  }

  /// See ``SliceSource``.
  package func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) async throws(ReadError) -> ChangeReading {
    try await retryingOnReplacedFile { () async throws(ReadError) in
      try await bringing { () async throws(ReadError) in
        try changesOnce(of: feed, after: number) { () throws(StoreError) in
          try book.reader.changes(of: feed, after: number, limit: limit, learned: learned)
        }
      }
    }
  }

  private func changesOnce(
    of feed: FeedID, after number: SequenceNumber, stored: () throws(StoreError) -> ChangeReading
  ) throws(ReadError) -> ChangeReading {
    try reach(number, of: feed)
    var (plan, reading) = try changes(of: feed, stored: stored)
    var hasFollowed = false
    if case .expired = reading, followsOnce(&hasFollowed) {
      (plan, reading) = try changes(of: feed, stored: stored)
    }
    if case .changes(var changes) = reading {
      changes.lineage = plan.timeline.lineages.last?.name ?? 0
      changes.trail = Trail(beginningAt: .top, plan.timeline.moves)
      if slices.isShared { changes.told = plan.timeline.sequence }
      reading = .changes(changes)
    }
    reading = whole(reading, of: feed, after: number, plan)
    if let ask = plan.lookForChanges, attendance.readingOn.insert(feed).inserted {
      Task(executorPreference: executor) {
        await self.lookAndReadOn(feed, ask) { true }
      }
    }
    return reading
  }

  /// What is stored of what changed, and the plan by which it is: what others wrote moves both.
  private func changes(
    of feed: FeedID, stored: () throws(StoreError) -> ChangeReading
  ) throws(ReadError) -> (Plan, ChangeReading) {
    let plan = try plan(for: feed)
    book[feed]?.record.mark.note(plan.now)
    return (plan, try fromStore(stored))
  }

  /// A reading as it may be given out: nothing yet, while what came since the last look is being
  /// read; a reset where that was not reached, or where nothing is known of the feed: one that was
  /// evicted, or never asked for, is not looked at because somebody asks for changes.
  private func whole(
    _ reading: ChangeReading, of feed: FeedID, after number: SequenceNumber, _ plan: Plan
  ) -> ChangeReading {
    if plan.timeline.lookedAt == nil, book[feed]?.record.isStored != true {
      return .expired(SequenceNumber(epoch: plan.timeline.epoch, number: plan.timeline.sequence))
    }
    guard case .changes(var changes) = reading, let untold = book[feed]?.untold,
      number.number < untold.sequence
    else { return reading }
    guard attendance.readingOn.contains(feed) else {
      return .expired(SequenceNumber(epoch: plan.timeline.epoch, number: plan.timeline.sequence))
    }
    changes.changes = []
    changes.next = number
    changes.hasMore = false
    return .changes(changes)
  }

  /// See ``SliceSource``.
  package func listen(to feed: FeedID, told: @escaping @Sendable () -> Void) -> Listening {
    let isFirst = book.listeners.isEmpty(feed)
    book.begin(feed)
    if isFirst {
      attendance.tasks[feed] = Task(executorPreference: executor) { [weak self] in
        while !Task.isCancelled, let self { await self.attend(feed) }
      }
    }
    defer { slices.note(listenedCount: book.listeners.feedCount) }
    return book.listeners.add(to: feed, told)
  }

  /// See ``SliceSource``.
  package func unlisten(_ listening: Listening) {
    let feed = listening.feed
    guard book.listeners.remove(listening) else { return }
    slices.note(listenedCount: book.listeners.feedCount)
    book.end(feed)
    if book.listeners.isEmpty(feed) { attendance.tasks.removeValue(forKey: feed)?.cancel() }
  }

  /// How many feeds share the calls for those who listen.
  private var listenedFeeds: Int {
    max(book.listeners.feedCount, book.store.sharing?.listenedFeeds ?? 0)
  }

  /// Looks at the top of a feed that somebody listens to, after a pause, and reads on where more
  /// has come than one window shows.
  private func attend(_ feed: FeedID) async {
    let pause = desk.budgets[feed.pattern.budget].listeningPause(
      feeds: listenedFeeds, policy: policy, at: time.now)
    await time.sleep(until: time.now + pause)
    guard !Task.isCancelled, !book.listeners.isEmpty(feed) else { return }
    // A store that fails is reported by the slice read; listening goes on.
    guard let plan = try? plan(for: feed) else { return }
    let isDue = plan.sinceLook.map { $0 >= pause } ?? true
    guard isDue else { return }
    let ask = plan.askTop(for: .head, limit: SliceRequest.limitMax)
    guard attendance.readingOn.insert(feed).inserted else { return }
    await lookAndReadOn(feed, ask) { !self.book.listeners.isEmpty(feed) }
  }

  /// Looks at a feed's top and reads on where more has come than one window shows; the feed is
  /// among those that are read on. Ends when no client wants it any more.
  private func lookAndReadOn(
    _ feed: FeedID, _ ask: Ask, while isWanted: () -> Bool
  ) async {
    look(at: [ask], of: feed)
    guard desk.flights[.feed(feed)] != nil else {
      attendance.readingOn.remove(feed)
      return
    }
    _ = await land(.feed(feed), ask, until: time.now + FeedReader.listeningWait)
    let former = book[feed]?.untold?.former
    if let former { await readOn(to: former, of: feed, while: isWanted) }
    attendance.readingOn.remove(feed)
    // What was held back meanwhile is sent now, or a reset.
    if former != nil { book.listeners.tell(feed) }
  }

  /// Asks for what lies below the top's run until that holds what was the top before, so that a
  /// client that follows gets all that came between two looks. Each call is one that the budget
  /// bears for a gap; what they do not reach stays a gap, and is sent as a reset.
  private func readOn(
    to former: Cut, of feed: FeedID, while isWanted: () -> Bool
  ) async {
    for _ in 0..<FeedReader.listeningCallsMax {
      guard !Task.isCancelled, isWanted(), let plan = try? plan(for: feed),
        let head = plan.head, head.lower >= former, var ask = plan.askBelow(head)
      else { return }
      ask.purpose = .gap
      switch await land(.feed(feed), ask, until: plan.now + FeedReader.listeningWait) {
      case .landed, .shown, .moved: break
      case .failed: return
      }
    }
  }
}

extension Plan {
  /// A look at the top for somebody who asks for changes, where that is due; none before the feed
  /// was ever asked for.
  fileprivate var lookForChanges: Ask? {
    guard let sinceLook, sinceLook >= .seconds(policy.freshSeconds) else { return nil }
    return askTop(for: .head, limit: SliceRequest.limitMax)
  }
}
