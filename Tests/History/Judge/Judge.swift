import Feed
import Synchronization

/// Holds every slice and every walk to what the contract promises, against what was really there.
final class Judge: Sendable {
  /// A stretch of a feed as one walk was given it: slices that follow each other downwards.
  struct Stretch {
    var feed: FeedID
    /// The slices, top first.
    var slices: [Slice] = []
    /// Whether it was read upwards: then an element that moves up may be met again.
    var isUpwards = false
    /// Whether it began at the feed's top.
    var beginsAtTop = false
    /// Whether it goes on with an earlier walk, which may have been given what moved since.
    var isResumed = false
    /// Where it began, where that can be told: in a feed ordered by value.
    var start: Cut?
    /// Where the asked range ends.
    var end: Cut?
  }
  private struct State {
    var violation: String?
    /// Whether a process ended that knew more than it could write down.
    var hasForgotten = false
    /// The last number told, by feed.
    var sequences: [FeedID: Int64] = [:]
    /// Where elements were last shown, and when, by feed.
    var shown: [FeedID: [Identity: (position: Position, at: Timestamp)]] = [:]
    /// Whom positions were last told under, by feed: under another they are others.
    var lineages: [FeedID: UInt64] = [:]
    /// When a shown element was first lacking where it had been.
    var vanished: [FeedID: [Identity: Timestamp]] = [:]
    /// The newest version shown of an element, and when it was first shown.
    var versions: [String: (version: Int, at: Timestamp)] = [:]
  }
  private let world: World
  private let state = Mutex(State())

  init(_ world: World) {
    self.world = world
  }

  /// What was found wrong first; nil while all is well.
  var violation: String? {
    world.state.withLock(\.violation) ?? state.withLock(\.violation)
  }

  func blame(_ violation: @autoclosure () -> String) {
    state.withLock { state in
      guard state.violation == nil else { return }
      let text = violation()
      state.violation = text
      world.trace.note { "VIOLATION \(text)" }
    }
  }

  /// What was shown is not known any more: a process ended that could not write it down.
  func forget() {
    state.withLock {
      $0 = State(violation: $0.violation, sequences: $0.sequences)
      $0.hasForgotten = true
    }
  }

  // MARK: A slice by itself

  func note(_ slice: Slice, for request: SliceRequest) {
    let name = request.feed.name
    if slice.items.count > request.limit { blame("\(name): more than the limit") }
    if slice.items.isEmpty, slice.hasMore { blame("\(name): an empty slice says more") }
    if slice.hasMore == (slice.endReason != nil) { blame("\(name): hasMore against endReason") }
    if slice.gap != nil, !slice.hasMore { blame("\(name): a gap and no more") }
    if request.start == nil, !request.takesLast, slice.hasPrevious {
      blame("\(name): something above the top")
    }
    let positions = slice.items.map(\.position)
    if zip(positions, positions.dropFirst()).contains(where: { $0 <= $1 }) {
      blame("\(name): order broken inside a slice")
    }
    if slice.freshness.provenAt > slice.freshness.checkedAt
      || slice.freshness.checkedAt > world.time.now
    {
      blame("\(name): freshness of the future")
    }
    if slice.endReason == .upstreamLimit, !mayBeLimited(request.feed) {
      blame("\(name): a limit the upstream does not have")
    }
    // Others of those who share may not know yet what one has shown; who was told so is shown it.
    guard world.script.servers == 1 else {
      if let told = request.told, slice.sequence < told {
        blame("\(name): sequence fell from \(told), which was told")
      }
      return
    }
    noteSequence(slice, of: request.feed)
    notePlaces(slice, for: request)
    for item in slice.items { noteVersion(of: item, in: request.feed) }
  }

  /// Whether what lies further down is shown by no window: past a wall, where there is another in
  /// keys that are taken together.
  func mayBeLimited(_ feed: FeedID) -> Bool {
    let (paging, entries) = (feed.pattern.paging, world.list(feed).entries)
    // A total that is refuted joins nothing any more.
    if paging.joins == .count, world.script.odd.totals != .exact || world.script.odd.stubs > 0 {
      return true
    }
    guard let grain = paging.past, feed.pattern.order == .value else {
      return entries.count >= 9_500
    }
    let together = Dictionary(grouping: entries) {
      grain.last(of: world.script.dialect.key($0.second))
    }
    return together.values.contains { $0.count > paging.reachMax - paging.perPageMax }
  }

  private func noteSequence(_ slice: Slice, of feed: FeedID) {
    let last = state.withLock { state -> Int64 in
      let last = state.sequences[feed] ?? 0
      state.sequences[feed] = max(last, slice.sequence)
      return last
    }
    // A feed of which nothing is written has no numbers yet; what is asked for after 0 is told as
    // expired where there were some.
    if slice.sequence < last, slice.sequence > 0 {
      blame("\(feed.name): sequence fell from \(last)")
    }
  }

  /// What was shown, then lacking, and deleted upstream, is never shown again.
  private func notePlaces(_ slice: Slice, for request: SliceRequest) {
    let feed = request.feed
    let history = world.list(feed).history
    let now = world.time.now
    let ids = Set(slice.items.map(\.id))
    var back: Identity?
    // Where a moved one was shown may be where it was before.
    let (moved, redated) = world.state.withLock { ($0.wavering, $0.redated) }
    let wavering = feed.pattern.order == .value ? redated : moved
    state.withLock { state in
      if state.lineages.updateValue(slice.lineage, forKey: feed) ?? slice.lineage != slice.lineage {
        state.shown[feed] = nil
        state.vanished[feed] = nil
      }
      for item in slice.items {
        state.shown[feed, default: [:]][item.id] = (item.position, now)
        guard let vanishedAt = state.vanished[feed]?[item.id] else { continue }
        if let until = history[item.id]?.until, until <= vanishedAt { back = item.id }
        state.vanished[feed]?[item.id] = nil
      }
      guard let first = slice.items.first?.position, let last = slice.items.last?.position else {
        return
      }
      for (id, place) in state.shown[feed] ?? [:]
      where place.position < first && place.position > last && !ids.contains(id)
        && !wavering.contains(id)
      {
        state.shown[feed]?[id] = nil
        // One that moved since is only not there any more.
        guard history[id].map({ $0.since <= place.at }) ?? true else { continue }
        state.vanished[feed, default: [:]][id] = now
      }
    }
    if let back { blame("\(feed.name): \(back.text) was gone and is back") }
  }

  /// No version older than one shown before; but where an answer may show what is there later
  /// than when it is sent for, one sent for later may show less.
  private func noteVersion(of item: Element, in feed: FeedID) {
    guard let version = World.version(of: item.bytes),
      let article = world.state.withLock({ $0.articles[item.id] })
    else { return blame("\(feed.name): \(item.id.text) never was") }
    let key = "\(feed.realm) \(item.id.text)"
    let now = world.time.now
    let newest = state.withLock { state -> (version: Int, at: Timestamp)? in
      let newest = state.versions[key]
      if version > newest?.version ?? 0 { state.versions[key] = (version, now) }
      return newest
    }
    guard let newest, version < newest.version, article.versions.indices.contains(version) else {
      return
    }
    if world.script.answersAtOnce || now - newest.at > .seconds(40) {
      blame("\(feed.name): \(item.id.text) fell back from version \(newest.version)")
    }
  }

  // MARK: A walk

  /// Everything the promise says of a stretch.
  func note(_ stretch: Stretch) {
    guard !stretch.slices.isEmpty else { return }
    let name = stretch.feed.name
    let items = stretch.slices.flatMap(\.items)
    for (a, b) in zip(items, items.dropFirst()) where a.position <= b.position {
      blame("\(name): order broken between \(a.id.text) and \(b.id.text)")
    }
    let delivered = Set(items.map(\.id))
    let isByValue = stretch.feed.pattern.order == .value
    let (moved, redated) = world.state.withLock { ($0.wavering, $0.redated) }
    // Nobody knows any more where what was given up, or never written down, had stood.
    let isGivenUp =
      world.script.limits.bytesMax != nil || world.script.limits.feedsMax < 10
      || state.withLock(\.hasForgotten)
    let counted = isGivenUp ? items.filter { !redated.contains($0.id) } : items
    if Set(counted.map(\.id)).count != counted.count, !stretch.isUpwards {
      blame("\(name): an item twice")
    }
    let settled = settled(for: stretch)
    let places = Dictionary(uniqueKeysWithValues: settled.enumerated().map { ($1, $0) })
    // An element that moved may for a while be met at its old place, rather than twice.
    let wavering = isByValue ? redated : moved
    let stayed = items.filter { !wavering.contains($0.id) }.compactMap { places[$0.id] }
    if let wrong = zip(stayed, stayed.dropFirst()).first(where: { $0 >= $1 }) {
      blame(
        "\(name): \(settled[wrong.1].text) came after \(settled[wrong.0].text), which lies below")
    }
    // Where a join is believed, something may be missing: the slices say so.
    guard stretch.slices.allSatisfy(\.proof.isProven) else { return }
    // The promise is for walks along `next`; upwards one may meet what moves up, or miss it.
    if stretch.isUpwards, stretch.feed.pattern.order != .value { return }
    var expected = (stayed.min() ?? 0)..<((stayed.max() ?? -1) + 1)
    let beginsKnown = stretch.beginsAtTop || (isByValue && stretch.start != nil)
    let reason = stretch.slices.last?.endReason
    let endsKnown = stretch.end == nil ? reason == .end : isByValue && reason == .range
    if beginsKnown { expected = 0..<expected.upperBound }
    if endsKnown, beginsKnown || !stayed.isEmpty { expected = expected.lowerBound..<settled.count }
    for index in expected
    where !delivered.contains(settled[index])
      && !(stretch.isResumed && redated.contains(settled[index]))
    {
      blame(
        "\(name): a hole, \(settled[index].text), \(index) of \(settled.count), "
          + "\(world.list(stretch.feed).history[settled[index]].map { "\($0)" } ?? "")")
    }
  }

  /// The elements that were there all the time from the oldest answer a stretch rests on, in the
  /// upstream's order; in a feed by value those of its range only.
  private func settled(for stretch: Stretch) -> [Identity] {
    let now = world.time.now
    let provenAt =
      (stretch.slices.map(\.freshness.provenAt).min() ?? now) - world.script.proofSlack
    let list = world.list(stretch.feed)
    let (articles, oddness) = world.state.withLock { ($0.articles, $0.oddness) }
    let isByValue = stretch.feed.pattern.order == .value
    // What was written in the last seconds before an answer is not served yet; nor is what is not
    // more than a minute newer than a `Date` that nothing else shows to be wrong.
    let isDateOdd = world.script.odd.dates != .right && world.script.odd.dates != .absent
    let written = world.clock(at: provenAt) - (isDateOdd ? 64 : 3)
    let entries = list.entries.filter { entry in
      guard let presence = list.history[entry.id], presence.since < provenAt,
        let article = articles[entry.id], !article.isBad, oddness.isUsable(entry.id),
        article.mendedAt ?? provenAt <= provenAt
      else { return false }
      guard isByValue else { return true }
      let position = Position(order: world.script.dialect.key(entry.second), tie: entry.id.bytes)
      // The minute about a `Date` that stands still is served once that has been noticed.
      if let frozenAt = oddness.frozenAt, abs(entry.second - frozenAt) <= 63 { return false }
      return entry.second <= written && stretch.start?.isBelow(position) != true
        && stretch.end?.isBelow(position) != false
    }
    guard isByValue else { return entries.map(\.id) }
    return entries.sorted {
      ($0.second, $0.id) > ($1.second, $1.id)
    }.map(\.id)
  }
}
