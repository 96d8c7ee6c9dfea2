import Feed
import Support
import Synchronization

/// How the world answers calls, and what it finds wrong with them.
extension World {
  /// How long the reader's client waits for an answer.
  static let timeout = Duration.seconds(30)

  /// A call of a living process.
  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    await call("\(window.name) of \(feed.name)", feed.name) { state in
      if !feed.pattern.paging.takes(window) {
        state.violation = state.violation ?? "\(window) was asked for, which there is not"
      }
      guard window.perPage <= script.perPageBearable || feed.pattern.order == .whole else {
        return (.failure(.tooLarge(limitBytes: 1)), time.now)
      }
      guard let answer = state.answer(window, of: feed, script, at: time.now) else {
        return (.failure(.rejected(status: 400)), time.now)
      }
      return (.success(answer.page), answer.madeAt)
    }
  }

  /// What names the place at which a key begins.
  func mark(of key: Int64, in feed: FeedID) -> String? { script.dialect.mark(of: key) }

  /// What names the place right below an element.
  func mark(of item: PageItem, in feed: FeedID) -> String? {
    script.dialect.mark(of: item, in: feed)
  }

  /// A call for a single article.
  func item(_ name: ItemName) async -> Fetched<PageItem> {
    let id = name.id
    return await call("item \(id.text)", "item \(id.text)") { state in
      guard let article = state.articles[id], article.deletedAt == nil, !article.isBad else {
        return (.failure(.notFound), time.now)
      }
      return (.success(state.item(id, article, isDated: true, script)), time.now)
    }
  }

  private func call<Value: Sendable>(
    _ what: String, _ key: String,
    _ answer: (inout State) -> (Result<Value, FetchError>, madeAt: Timestamp)
  ) async -> Fetched<Value> {
    let sentAt = time.now
    let life = state.withLock(\.life)
    let (before, after) = state.withLock { state -> (Duration, Duration) in
      state.depart(key, script, at: sentAt)
      let most = script.latencyMilliseconds
      let total = state.random.number(0...(state.random.chance(5) ? most * 2 : most))
      let before = script.answersAtOnce ? 0 : state.random.number(0...total)
      return (.milliseconds(before), .milliseconds(total - before))
    }
    trace.noteExchange { "call \(what)" }
    let isLate = before + after >= World.timeout
    await time.sleep(isLate ? World.timeout : before)
    for _ in 0..<number(0...script.eventsPerCall) where !state.withLock(\.isQuiet) { happen() }
    let answeredAt = time.now
    var madeAt = answeredAt
    var date: Int64?
    let (result, budget) = state.withLock { state -> (Result<Value, FetchError>, BudgetReading?) in
      if isLate { return (.failure(.timedOut), nil) }
      defer { date = state.date(script, at: answeredAt, clock: clock(at: madeAt)) }
      let refusal = state.count(script, at: answeredAt)
      let reading = state.reading(script, at: answeredAt, clock: clock(at: answeredAt))
      if let refusal { return (.failure(refusal), reading) }
      if let failure = state.failure(script, at: answeredAt) { return (.failure(failure), reading) }
      let answer = answer(&state)
      madeAt = answer.madeAt
      return (answer.0, reading)
    }
    if !isLate { await time.sleep(after) }
    let age = (answeredAt - madeAt).components.seconds
    let fetched = Fetched(
      sentAt: sentAt, receivedAt: time.now, date: date,
      age: script.odd.tellsAge && script.odd.cacheSeconds > 0 && !isLate ? age : nil,
      budget: budget, result: result)
    state.withLock { state in
      guard state.life == life else { return }
      state.flying[key, default: 1] -= 1
      state.learn(fetched)
      // What a small store has room for no more is asked for again.
      if case .success(let page as Page) = result, script.limits.bytesMax == nil {
        state.noteAnswer(page, to: what, of: key, at: time.now)
      }
    }
    switch result {
    case .success(let page as Page):
      trace.note { "answer to \(what): \(page.items.map { "\($0.index):\($0.item.id.text)" })" }
    case .success: break
    case .failure(let error): trace.note { "failed \(what): \(error)" }
    }
    return fetched
  }
}

extension World.State {
  /// The answers to the calls of a feed that followed one another closely.
  struct Repeated {
    /// How often each answer came to each call, whatever the order of its elements.
    var answers: [String: Int] = [:]
    /// When the last one came, and how often in a row it had come.
    var at = Timestamp(milliseconds: 0)
    var last = ""
    var inRow = 0
  }

  /// The same answers to the same call in a row after which a further one is in vain: six that
  /// bring nothing let a feed rest.
  private static let inRowMax = 12
  /// The same answers to the same call, with others between them: an instant is counted by passes
  /// over its pages, once more where it has moved.
  private static let inTurnMax = 24
  /// Calls further apart than this may ask whether it is still so.
  private static let repeatedWithin = Duration.milliseconds(900)

  /// An answer came that may have come before.
  fileprivate mutating func noteAnswer(
    _ page: Page, to what: String, of key: String, at now: Timestamp
  ) {
    var noted = repeated[key] ?? Repeated()
    if now - noted.at > Self.repeatedWithin { noted = Repeated() }
    let answer = "\(what) \(page.items.map(\.item.id.text).sorted())"
    noted.inRow = answer == noted.last ? noted.inRow + 1 : 1
    noted.answers[answer, default: 0] += 1
    (noted.at, noted.last) = (now, answer)
    repeated[key] = noted
    if noted.inRow > Self.inRowMax {
      violation = violation ?? "\(what) was asked for \(noted.inRow) times in a row"
    } else if noted.answers[answer, default: 0] > Self.inTurnMax {
      violation = violation ?? "\(what) was asked for more than \(Self.inTurnMax) times in turn"
    }
  }

  /// A call is sent: never two of one feed, never more than allowed, never after a refusal.
  fileprivate mutating func depart(_ key: String, _ script: Script, at now: Timestamp) {
    calls.append(now)
    flying[key, default: 0] += 1
    if flying[key, default: 0] > 1 { violation = violation ?? "two calls of \(key) at once" }
    if flying.values.reduce(0, +) > script.policy.maxInFlight {
      violation = violation ?? "more calls at once than \(script.policy.maxInFlight)"
    }
    // One whose way to the others is lost cannot tell them of a refusal.
    if script.losses == 0, let refusal, now > refusal.since, now < refusal.until {
      violation = violation ?? "a call \(refusal.until - now) before the budget is there again"
    }
  }

  /// The process was killed: its calls are nobody's.
  mutating func beginLife() {
    flying = [:]
    life += 1
  }

  /// Counts a call; why it is refused, if it is.
  fileprivate mutating func count(_ script: Script, at now: Timestamp) -> FetchError? {
    if resetAt.map({ $0 <= now }) ?? true {
      resetAt = now + .seconds(3_600)
      spent = 0
    }
    spent += 1
    guard spent > script.callsAnHour, let resetAt else { return nil }
    let left = Int((resetAt - now).components.seconds) + 1
    return .rateLimited(retryAfterSeconds: random.chance(30) ? left : nil)
  }

  fileprivate func reading(_ script: Script, at now: Timestamp, clock: Int64) -> BudgetReading? {
    guard script.tellsBudget, let resetAt else { return nil }
    return BudgetReading(
      limit: script.callsAnHour, remaining: max(0, script.callsAnHour - spent),
      resetSeconds: clock + (resetAt - now).components.seconds + 1)
  }

  fileprivate mutating func failure(_ script: Script, at now: Timestamp) -> FetchError? {
    guard !isQuiet, now < failsUntil || random.chance(script.failures) else { return nil }
    return random.pick(
      .serverError(status: 500), .unreachable(reason: "reset"), .cut, .timedOut,
      .malformed(reason: "not JSON"), .serverError(status: 503))
  }

  /// What the reader was told of its budget with an answer that reached it.
  fileprivate mutating func learn(_ answer: Fetched<some Sendable>) {
    guard case .failure(.rateLimited(let seconds)) = answer.result else { return }
    let wait: Duration? =
      seconds.map { .seconds($0) }
      ?? answer.budget.map { .seconds($0.resetSeconds - (answer.date ?? 0)) }
    guard let wait else { return }
    let told = answer.receivedAt + wait
    let until = min(told, resetAt ?? told) - .seconds(1)
    if until > refusal?.until ?? until - .seconds(1) {
      refusal = (answer.receivedAt, until)
    }
  }

  mutating func page(_ window: Window, of feed: FeedID, _ script: Script) -> Page {
    let isWhole = feed.pattern.order == .whole
    guard let list = lists[feed] else {
      return Page(items: [], count: 0, hasNext: false, total: nil)
    }
    let isDated = feed.pattern.order == .value
    let entries =
      isWhole
      ? list.entries
      : list.shown(
        in: window, shufflingTiesBy: &random, ifWanted: script.shufflesTies && isDated)
    var slots = entries.enumerated().compactMap { index, entry -> Page.Slot? in
      guard let article = articles[entry.id], !article.isBad, oddness.isUsable(entry.id) else {
        return nil
      }
      return Page.Slot(index: index, item: item(entry.id, article, isDated: isDated, script))
    }
    if isDated, slots.count > 4, !isQuiet, random.chance(script.disorder) {
      let index = random.number(1...slots.count - 3)
      let (upper, lower) = (slots[index].item, slots[index + 1].item)
      slots[index].item = lower
      slots[index + 1].item = upper
    }
    let count = list.entries.count
    var page = Page(
      items: slots, count: entries.count, hasNext: !isWhole && count > window.endRank,
      total: isWhole || !script.tellsTotal ? nil : count)
    page.mayEndFull = script.dialect.paging.addressing == .next
    if page.hasNext, let last = entries.last {
      page.nextMark = script.dialect.token(after: last, above: window.firstRank + entries.count)
    }
    return page
  }

  fileprivate func item(
    _ id: Identity, _ article: World.Article, isDated: Bool, _ script: Script
  ) -> PageItem {
    // Each edit is later than the one before it, by the upstream's own clock.
    let updatedAt = article.versions.dropFirst().reduce(article.firstSecond) {
      max($0 + 1, $1.seconds + script.clockAhead)
    }
    return PageItem(
      id: id, key: isDated ? script.dialect.key(article.second) : nil,
      updatedAt: script.dialect.key(updatedAt),
      bytes: World.bytes(id, version: article.versions.count))
  }
}
