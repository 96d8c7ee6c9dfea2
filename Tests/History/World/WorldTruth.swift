import Feed
import Judge
import Synchronization

import struct Judge.Place

/// What the judge may know of a world, in texts and numbers.
struct WorldTruth: Truth {
  private let world: World
  private let feeds: [String: FeedID]

  init(_ world: World) {
    self.world = world
    let lists = world.script.dialect.lists
    feeds = Dictionary(uniqueKeysWithValues: ([lists.items] + lists.others).map { ($0.name, $0) })
  }

  var now: Int64 { world.time.now.milliseconds }
  var violation: String? { world.state.withLock(\.violation) }

  var terms: Terms {
    let script = world.script
    return Terms(
      servers: script.servers, answersAtOnce: script.answersAtOnce,
      proofSlack: script.proofSlack.inMilliseconds,
      givesUp: script.limits.bytesMax != nil || script.limits.feedsMax < 10)
  }

  func isByKey(_ list: String) -> Bool { feeds[list]?.pattern.order == .value }

  func realm(of list: String) -> String { feeds[list]?.realm ?? list }

  func entries(of list: String) -> [Entry] {
    guard let feed = feeds[list] else { return [] }
    let (articles, oddness) = world.state.withLock { ($0.articles, $0.oddness) }
    // The minute about a `Date` that stands still is served once that has been noticed.
    let frozen = isByKey(list) ? oddness.frozenAt.map { $0 - 63...$0 + 63 } : nil
    return world.list(feed).entries.map { entry in
      let article = articles[entry.id]
      let isHidden = !oddness.isUsable(entry.id) || frozen?.contains(entry.second) == true
      return Entry(
        id: entry.id.text, second: entry.second,
        place: Place(order: world.script.dialect.key(entry.second), tie: entry.id.bytes),
        isUsable: article.map { !$0.isBad && !isHidden } ?? false,
        usableSince: article?.mendedAt?.milliseconds)
    }
  }

  func presence(of id: String, in list: String) -> Presence? {
    let presence = feeds[list].flatMap { feed in
      world.state.withLock { $0.lists[feed]?.history[Identity(id)] }
    }
    return presence.map {
      Presence(since: $0.since.milliseconds, until: $0.until?.milliseconds)
    }
  }

  func versionCount(of id: String) -> Int? {
    world.state.withLock { $0.articles[Identity(id)]?.versions.count }
  }

  func wanderers(of list: String) -> Set<String> {
    Set(world.state.withLock(\.wavering).map(\.text))
  }

  func rekeyed() -> Set<String> { Set(world.state.withLock(\.redated).map(\.text)) }

  /// What is not more than a minute newer than a `Date` that nothing else shows to be wrong is not
  /// served yet either.
  func lastSettledSecond(at provenAt: Int64) -> Int64 {
    let isDateOdd = world.script.odd.dates != .right && world.script.odd.dates != .absent
    return world.clock(at: Timestamp(milliseconds: provenAt)) - (isDateOdd ? 64 : 3)
  }

  /// Whether a list may end otherwise than by its end: at a wall, or where its total was larger
  /// than what came.
  func mayBeLimited(_ list: String) -> Bool {
    let isRanked = feeds[list]?.pattern.paging.isRanked ?? false
    let odd = world.script.odd
    return isRanked && (odd.totals != .exact || odd.stubs > 0) || isWalled(list)
  }

  /// Whether what is further down is shown by no window: past a wall, where there is another in
  /// keys that are taken together.
  func isWalled(_ list: String) -> Bool {
    guard let feed = feeds[list] else { return false }
    let (paging, entries) = (feed.pattern.paging, world.list(feed).entries)
    // A total that is refuted joins nothing any more.
    if paging.joins == .count, world.script.odd.totals != .exact || world.script.odd.stubs > 0 {
      return true
    }
    // Smaller pages reach less deep.
    let perPage = world.script.perPageMax(in: paging)
    let reach = paging.reachMax / paging.perPageMax * perPage
    guard let grain = paging.past, feed.pattern.order == .value else {
      return entries.count >= reach - 5 * perPage
    }
    let together = Dictionary(grouping: entries) {
      grain.last(of: world.script.dialect.key($0.second))
    }
    return together.values.contains { $0.count > reach - perPage }
  }
}

extension ShownSlice {
  /// What a client sees of a slice.
  init(_ slice: Slice) {
    self.init(
      slice.items.map { item in
        ShownElement(
          id: item.id.text, version: World.version(of: item.bytes),
          at: Place(order: item.position.order, tie: item.position.tie))
      },
      hasMore: slice.hasMore, hasPrevious: slice.hasPrevious, end: slice.endReason?.rawValue,
      hasGap: slice.gap != nil, isProven: slice.proof.isProven, sequence: slice.sequence,
      lineage: slice.lineage, provenAt: slice.freshness.provenAt.milliseconds,
      checkedAt: slice.freshness.checkedAt.milliseconds)
  }
}

extension Question {
  /// What a client asks for.
  init(_ request: SliceRequest, askedAt: Int64?) {
    self.init(
      list: request.feed.name, limit: request.limit,
      isFromTop: request.start == nil && !request.takesLast, known: request.told,
      askedAt: askedAt)
  }
}

extension Place {
  /// Where a cut is: what is below it is at smaller places.
  init(_ cut: Cut) { self.init(order: cut.position.order, tie: cut.position.tie) }
}
