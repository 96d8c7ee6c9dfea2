import Feed
import Support
import Synchronization

/// What happens upstream between two calls.
enum Event: String, CaseIterable {
  case appear, appearLate, burst, vanish, vanishManyAtTop, leave, move, edit, spoil, mend
  case arrive, depart, outage, diskOutage, spend
  case redate, moveGroup, leaveStretch, comeAtOnce, appearLateAtOnce, flicker, burstInFront

  /// The kind of oddity that it happens with; nil where it always may.
  var kind: Oddities.Kind? {
    switch self {
    case .redate: .redates
    case .moveGroup, .leaveStretch, .comeAtOnce: .groups
    case .appearLateAtOnce: .lateBursts
    case .flicker: .flickers
    case .burstInFront: .follows
    default: nil
    }
  }

  /// How often it happens beside the others.
  var weight: Int {
    switch self {
    case .redate, .moveGroup, .flicker: 10
    case .leaveStretch, .comeAtOnce, .appearLateAtOnce, .burstInFront: 3
    case .appear: 30
    case .vanish, .edit, .move, .arrive: 8
    case .appearLate, .leave, .depart: 5
    case .vanishManyAtTop, .spoil, .mend: 2
    case .burst, .outage, .diskOutage, .spend: 1
    }
  }

  /// One of those that may happen with these kinds of oddities.
  static func random(_ kinds: Set<Oddities.Kind>, using random: inout SeededGenerator) -> Event {
    let possible = allCases.filter { $0.kind.map(kinds.contains) ?? true }
    var left = random.number(1...possible.reduce(0) { $0 + $1.weight })
    for event in possible {
      left -= event.weight
      if left <= 0 { return event }
    }
    return .appear
  }
}

extension World {
  /// One thing happens.
  func happen() {
    let now = time.now
    let clock = clock(at: now)
    let (event, touched) = state.withLock { state -> (Event, [Identity]) in
      let event = Event.random(script.odd.kinds, using: &state.random)
      state.keepPast(script, at: now)
      state.touched = []
      state.perform(event, script, at: now, clock: clock)
      return (event, state.touched)
    }
    trace.note { "upstream: \(event) \(touched.map(\.text).joined(separator: " "))" }
  }

  /// From now on nothing moves or fails, and every element can be used: an answer with one that
  /// cannot refutes nothing.
  func calm() {
    let now = time.now
    state.withLock {
      $0.keepPast(script, at: now)
      $0.oddness.isCalm = true
      for id in $0.oddness.flickers.keys { $0.endFlicker(id, at: now) }
      $0.mendAll(at: now)
      $0.isQuiet = true
      $0.failsUntil = now
      $0.diskFailsUntil = now
    }
  }

  /// Elements come into the past, many at once, or one that cannot be used at first.
  func comeLate() {
    let (now, clock) = (time.now, clock(at: time.now))
    let touched = state.withLock { state in
      state.keepPast(script, at: now)
      state.touched = []
      let isBurst = script.odd.kinds.contains(.lateBursts)
      state.perform(isBurst ? .appearLateAtOnce : .appearLate, script, at: now, clock: clock)
      if !isBurst, let id = state.touched.last {
        state.oddness.flickers[id] = state.random.number(1...2)
        state.wavering.insert(id)
      }
      return state.touched
    }
    trace.note { "upstream, late: \(touched.map(\.text).joined(separator: " "))" }
  }
}

extension World.State {
  fileprivate mutating func perform(
    _ event: Event, _ script: Script, at now: Timestamp, clock: Int64
  ) {
    switch event {
    case .appear: appear(second: clock - Int64(random.number(0...1)), at: now)
    case .appearLate:
      if let entry = anyEntry(of: names.items) { appear(second: entry.second, at: now) }
    case .burst: burst(script, at: now, clock: clock)
    case .vanish: anyEntry(of: anyFeed(script)).map { vanish($0.id, at: now) }
    case .vanishManyAtTop:
      let entries = lists[anyFeed(script)]?.entries.prefix(random.pick(1, 3, 20, 120)) ?? []
      for entry in entries { vanish(entry.id, at: now) }
    case .leave:
      let feed = random.pick(names.found, names.tagged, names.stocked)
      guard let entry = anyEntry(of: feed) else { return }
      lists[feed]?.remove(entry.id, at: now)
      touched.append(entry.id)
    case .move:
      let feed = random.pick(
        names.tagged, names.stocked, names.followers)
      guard let entry = anyEntry(of: feed) else { return }
      lists[feed]?.remove(entry.id, at: now)
      lists[feed]?.insert(entry.id, second: 0, at: now)
      wavering.insert(entry.id)
      touched.append(entry.id)
    case .edit:
      guard let entry = anyEntry(of: anyFeed(script)) else { return }
      articles[entry.id]?.versions.append(now)
      touched.append(entry.id)
    case .spoil: spoil(script)
    case .mend: mendAll(at: now)
    case .arrive:
      arrive("u", in: names.followers, at: 0, now)
      let count = lists[names.comments]?.entries.count ?? 0
      arrive("c", in: names.comments, at: random.number(0...count), now)
    case .depart:
      let feed = random.pick(names.followers, names.comments)
      anyEntry(of: feed).map { vanish($0.id, at: now) }
    case .outage: failsUntil = now + .seconds(random.pick(1, 20, 600))
    case .diskOutage: diskFailsUntil = now + .seconds(random.pick(1, 60, 7_200))
    case .spend: spent += random.number(1...script.callsAnHour)
    default: performOdd(event, script, at: now, clock: clock)
    }
  }

  mutating func anyFeed(_ script: Script) -> FeedID {
    script.feeds[random.number(0...script.feeds.count - 1)]
  }

  mutating func anyEntry(of feed: FeedID) -> ScriptedList.Entry? {
    lists[feed]?.entries.randomElement(using: &random)
  }

  private mutating func arrive(_ kind: String, in feed: FeedID, at index: Int, _ now: Timestamp) {
    let id = newIdentity(kind)
    articles[id] = World.Article(second: 0, versions: [now])
    touched.append(id)
    lists[feed]?.insert(id, second: 0, index: index, at: now)
  }

  /// Many articles at once: within some seconds, or all in one where the upstream's answers and
  /// budget are large enough that a second of any size can be read at all.
  private mutating func burst(_ script: Script, at now: Timestamp, clock: Int64) {
    let isLarge =
      script.perPageBearable >= script.dialect.paging.perPageMax && script.callsAnHour >= 60
      && !script.shufflesTies
    let isOneSecond = isLarge && random.chance(40)
    for _ in 0..<random.pick(10, 40, 150, 400) {
      appear(second: clock - (isOneSecond ? 0 : Int64(random.number(0...20))), at: now)
    }
  }

  /// An element that cannot be used; not inside a large second in another order each time, which
  /// then could not be counted by any means.
  private mutating func spoil(_ script: Script) {
    guard let entry = anyEntry(of: anyFeed(script)) else { return }
    let list = lists[names.items]?.entries ?? []
    let second = articles[entry.id]?.second
    if script.shufflesTies, list.count(where: { $0.second == second }) > 5 { return }
    articles[entry.id]?.isBad = true
    touched.append(entry.id)
  }

  fileprivate mutating func mendAll(at now: Timestamp) {
    let bad = articles.filter(\.value.isBad).keys.sorted { $0.text < $1.text }
    for id in bad {
      articles[id]?.isBad = false
      articles[id]?.mendedAt = now
      wavering.insert(id)
      touched.append(id)
      articles[id]?.versions.append(now)
      for feed in lists.keys { lists[feed]?.mend(id, at: now) }
    }
  }
}
