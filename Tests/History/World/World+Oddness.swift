import Feed
import Support

/// What makes the answers of an odd upstream odd, and has to be remembered for it.
struct Oddness {
  /// The lists as they were before an event.
  struct Past {
    var at: Timestamp
    var lists: [FeedID: ScriptedList]
    var articles: [Identity: World.Article]
  }
  /// Answers that a cache holds, by what they are to.
  var cached: [String: (page: Page, madeAt: Timestamp)] = [:]
  /// Former states, oldest first, as far back as a backend may lag.
  var past: [Past] = []
  /// Feeds whose last answer was a stub: the next one is none, so that no two agree.
  var stubbed: Set<FeedID> = []
  /// The last total told, by feed.
  var totals: [FeedID: Int] = [:]
  /// By how much the upstream's `Date` is off at present, in seconds.
  var slip: Int64 = 0
  /// Where its `Date` stands still.
  var frozenAt: Int64?
  /// Elements that cannot be used in the next answers that show them, and in how many.
  var flickers: [Identity: Int] = [:]
  /// Whether nothing lies any more: caches, backends and sizes stay as they are.
  var isCalm = false

  func isUsable(_ id: Identity) -> Bool { flickers[id] == nil }
}

extension World.State {
  /// Keeps the present for backends that are behind, before it changes.
  mutating func keepPast(_ script: Script, at now: Timestamp) {
    guard let lag = script.odd.lags.max() else { return }
    oddness.past.removeAll { now - $0.at > .seconds(lag + 60) }
    oddness.past.append(Oddness.Past(at: now, lists: lists, articles: articles))
  }

  /// What the upstream answers for a window, and of when that is; nil where it does not know the
  /// place that the window names.
  mutating func answer(
    _ window: Window, of feed: FeedID, _ script: Script, at now: Timestamp
  ) -> (page: Page, madeAt: Timestamp)? {
    let key = "\(feed.name) \(window.address) \(window.perPage) \(window.segment?.keyMax ?? 0)"
    if let (page, madeAt) = oddness.cached[key],
      now - madeAt < .seconds(script.odd.cacheSeconds)
    {
      return (page, madeAt)
    }
    var madeAt = now
    var state = self
    if let lag = script.odd.lags.randomElement(using: &random), lag > 0 {
      madeAt = now - .seconds(lag)
      if let past = oddness.past.first(where: { $0.at > madeAt }) {
        (state.lists, state.articles) = (past.lists, past.articles)
      }
    }
    state.random = random
    var served = window
    if window.perPage > script.odd.perPageServed, feed.pattern.order != .whole {
      served.perPage = script.odd.perPageServed
    }
    guard let shown = script.dialect.window(served, in: state.lists[feed], of: feed) else {
      return nil
    }
    var page = state.page(shown, of: feed, script)
    random = state.random
    flicker(page, at: now)
    page.total = page.total.map { total($0, of: feed, script) }
    if feed.pattern.order != .whole { stub(&page, of: feed, script) }
    if script.odd.cacheSeconds > 0 { oddness.cached[key] = (page, madeAt) }
    return (page, madeAt)
  }

  /// One answer less that shows the elements that flicker.
  private mutating func flicker(_ page: Page, at now: Timestamp) {
    guard !oddness.flickers.isEmpty, page.count > page.items.count else { return }
    let shown = Set(page.items.map(\.item.id))
    for (id, count) in oddness.flickers where !shown.contains(id) {
      if count > 1 { oddness.flickers[id] = count - 1 } else { endFlicker(id, at: now) }
    }
  }

  /// From now on an element can be used again.
  mutating func endFlicker(_ id: Identity, at now: Timestamp) {
    oddness.flickers[id] = nil
    articles[id]?.mendedAt = now
    for feed in lists.keys { lists[feed]?.mend(id, at: now) }
  }

  private mutating func total(_ exact: Int, of feed: FeedID, _ script: Script) -> Int {
    let last = oddness.totals.updateValue(exact, forKey: feed) ?? exact
    switch script.odd.totals {
    case .late: return last
    case _ where oddness.isCalm: return exact
    case .noisy: return max(0, exact + random.number(-20...20))
    case .tooLarge: return exact + (random.chance(10) ? 10_000 : 0)
    case .shrinking: return random.chance(30) ? exact / 2 : exact
    case .exact, .absent: return exact
    }
  }

  /// Cuts an answer short, empties it, or takes from it all that can be used.
  private mutating func stub(_ page: inout Page, of feed: FeedID, _ script: Script) {
    guard !oddness.isCalm, script.odd.stubs > 0 else { return }
    guard oddness.stubbed.remove(feed) == nil, random.chance(script.odd.stubs), page.count > 0
    else { return }
    oddness.stubbed.insert(feed)
    switch random.number(0...2) {
    case 0:
      page.items = []
      page.count = 0
    case 1:
      page.items = []
    default:
      page.count = random.number(1...page.count)
      page.items.removeAll { $0.index >= page.count }
    }
    page.hasNext = false
  }

  /// The `Date` of an answer whose right one would be `clock`.
  mutating func date(_ script: Script, at now: Timestamp, clock: Int64) -> Int64? {
    switch script.odd.dates {
    case .right: return clock
    case .absent: return nil
    case .frozen:
      oddness.frozenAt = oddness.frozenAt ?? clock
      return oddness.frozenAt
    case .slipping:
      if random.chance(5) { oddness.slip = Int64(random.number(-86_400...86_400)) }
      return clock + oddness.slip
    case .mixed: return clock + Int64(random.pick(0, -3_000, 3_000, -86_400, 86_400))
    }
  }

  mutating func performOdd(_ event: Event, _ script: Script, at now: Timestamp, clock: Int64) {
    let observed = script.feeds.filter { $0.pattern.order == .observed }
    switch event {
    case .redate: redate(at: now, clock: clock)
    case .moveGroup:
      if let feed = observed.randomElement(using: &random) { moveGroup(in: feed, at: now) }
    case .leaveStretch:
      guard let feed = observed.randomElement(using: &random), let list = lists[feed],
        !list.entries.isEmpty
      else { return }
      let start = random.number(0...list.entries.count - 1)
      for entry in list.entries.dropFirst(start).prefix(random.number(5...40)) {
        lists[feed]?.remove(entry.id, at: now)
        touched.append(entry.id)
      }
    case .comeAtOnce:
      if let feed = observed.randomElement(using: &random) { comeAtOnce(in: feed, at: now) }
    case .appearLateAtOnce:
      guard let entry = anyEntry(of: names.items) else { return }
      // A large second in another order each time could not be counted by any means.
      let spread = Int64(random.pick(script.shufflesTies ? 4_000 : 0, 600, 4_000))
      for _ in 0..<random.pick(20, 120, 300) {
        let back = spread == 0 ? 0 : Int64(random.number(0...Int(spread)))
        appear(second: entry.second - back, at: now)
      }
    case .flicker:
      guard let entry = anyEntry(of: anyFeed(script)) else { return }
      oddness.flickers[entry.id] = random.number(1...3)
      wavering.insert(entry.id)
      touched.append(entry.id)
    case .burstInFront:
      for _ in 0..<random.pick(99, 150, 400) {
        appear(second: clock - Int64(random.number(0...20)), at: now)
      }
    default: break
    }
  }

  /// An element gets another date: it stands elsewhere in the lists that go by it.
  private mutating func redate(at now: Timestamp, clock: Int64) {
    guard let entry = anyEntry(of: names.items),
      let other = anyEntry(of: names.items)
    else { return }
    let second = random.chance(30) ? clock - 1 : other.second + Int64(random.number(-5...5))
    let isNewer = random.chance(50)
    guard isNewer == (second > entry.second), second < clock else { return }
    articles[entry.id]?.second = second
    redated.insert(entry.id)
    for feed in [names.items, names.found]
    where lists[feed]?.history[entry.id].map({ $0.until == nil }) == true {
      lists[feed]?.remove(entry.id, at: now)
      lists[feed]?.insert(entry.id, second: second, at: now)
    }
    touched.append(entry.id)
  }

  /// Neighbours go to the top together.
  private mutating func moveGroup(in feed: FeedID, at now: Timestamp) {
    guard let entries = lists[feed]?.entries, entries.count > 10 else { return }
    let count = random.number(3...8)
    let start = random.number(0...entries.count - count)
    for entry in entries[start..<start + count].reversed() {
      lists[feed]?.remove(entry.id, at: now)
      lists[feed]?.insert(entry.id, second: 0, index: 0, at: now)
      wavering.insert(entry.id)
      touched.append(entry.id)
    }
  }

  /// Many new elements stand side by side at one place: the top, the middle or the bottom.
  private mutating func comeAtOnce(in feed: FeedID, at now: Timestamp) {
    let count = lists[feed]?.entries.count ?? 0
    let index = random.pick(0, random.number(0...count), count)
    for _ in 0..<random.pick(20, 60, 250) {
      let id = newIdentity(feed == names.followers ? "u" : "b")
      articles[id] = World.Article(second: 0, versions: [now])
      lists[feed]?.insert(id, second: 0, index: index, at: now)
      touched.append(id)
    }
  }
}
