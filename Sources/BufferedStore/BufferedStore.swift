package import Feed
import Synchronization

/// A store that goes on answering while the one under it cannot write: the disk is full or fails,
/// or its own limit is met for the moment.
///
/// What was to be written is held in memory, bounded, and laid over what is read, so that readers
/// see no difference; ``recover()`` writes it, in its order, once writing works. ``check()`` fails
/// until then. A process that ends meanwhile loses what it held and nothing that was stored.
package final class BufferedStore:
  TimelineStore, LoneStore, StoreHousekeeping, StoreHealth, WriteHolding
{
  /// The most that is held of one source, in bytes: two of the largest answers.
  package static let bytesMax = 32 << 20

  private let base: any TimelineStore & StoreHousekeeping & StoreHealth
  private let bytesMax: Int
  private let report: @Sendable (Report) -> Void
  // Writers wait for each other, so that what is held and what is written keep their order.
  // Calls block on the disk inside.
  private let order: Mutex<Ordered>
  /// What is held; nil while the store writes. Nothing blocks inside.
  private let held = Mutex<WriteBuffer?>(nil)
  /// Whether anything is held, for readers that look before every call.
  private let holds = Atomic(false)
  /// How often something was held.
  private let heldChanges = Atomic<UInt64>(0)
  /// How often it has begun to hold.
  private let periods = Atomic(0)

  private struct Ordered {
    // Safe because it is used inside the lock only.
    nonisolated(unsafe) let reader: any TimelineReader
  }

  /// What an operator should know of.
  package enum Report: Sendable, Hashable {
    /// It could not write; from now on it holds what comes.
    case holding(StoreError)
    /// All that was held is written.
    case recovered
  }

  /// A store over another.
  package init(
    over base: any TimelineStore & StoreHousekeeping & StoreHealth,
    bytesMax: Int = BufferedStore.bytesMax,
    report: @escaping @Sendable (Report) -> Void = { _ in }
  ) throws(StoreError) {
    self.base = base
    self.bytesMax = bytesMax
    self.report = report
    order = Mutex(Ordered(reader: try base.makeReader()))
  }

  package var epoch: String { base.epoch }

  /// While changes are held, each of them may replace a content.
  package var contentChanges: UInt64 {
    base.contentChanges &+ heldChanges.load(ordering: .acquiring)
  }

  package var load: StoreLoad { base.load }

  package var isDamaged: Bool { base.isDamaged }

  /// What is held goes with the file it was to be written to.
  package func renew(from epoch: String) throws(StoreError) -> String? {
    try order.withLock { (_) throws(StoreError) in
      let moved = try base.renew(from: epoch)
      if moved != nil {
        held.withLock { $0 = nil }
        holds.store(false, ordering: .releasing)
      }
      return moved
    }
  }

  package var isHolding: Bool { holds.load(ordering: .acquiring) }

  package func holdingPeriod(of feed: FeedID) -> Int? {
    guard isHolding else { return nil }
    return held.withLock { held in held?.feeds[feed] == nil ? nil : held?.number }
  }

  /// What is held of a feed and of its realm's items; nil when nothing is. Costs no copy.
  func held(of feed: FeedID) -> BufferedView? {
    guard isHolding else { return nil }
    return held.withLock { $0?.held(of: feed) }
  }

  /// An item as it is held.
  func heldItem(_ id: Identity, realm: String) -> StoredItem? {
    guard isHolding else { return nil }
    return held.withLock { $0?.items[realm]?[id] }
  }

  package func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    if isHolding, let timeline = held.withLock({ $0?.feeds[feed]?.timeline }) { return timeline }
    return try base.timeline(of: feed)
  }

  package func known(
    in feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    let held = held(of: feed)
    let stored = try base.known(in: feed, below: upper, above: lower)
    return held.map { $0.laid(over: stored, below: upper, above: lower) } ?? stored
  }

  package func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    let held = held(of: feed)
    let stored = try base.known(in: feed, ids: ids)
    return held.map { $0.laid(over: stored, of: ids) } ?? stored
  }

  package func budget(of source: String) throws(StoreError) -> Budget? {
    if isHolding, let budget = held.withLock({ $0?.budgets[source] }) { return budget }
    return try base.budget(of: source)
  }

  package func makeReader() throws(StoreError) -> any TimelineReader {
    BufferedReader(over: try base.makeReader(), of: self)
  }

  package func check() throws(StoreError) {
    if let reason = held.withLock({ $0?.reason }) { throw reason }
    try base.check()
  }

  package func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64 {
    try order.withLock { (order) throws(StoreError) in
      try write { () throws(StoreError) in
        try base.commit(merges, budget: budget)
      } orHold: { (held) throws(StoreError) in
        var sequence: Int64 = 0
        for merge in merges {
          let ground = try ground(of: merge, under: held, order.reader)
          held.lay(merge, on: ground)
          sequence = ground.sequence
        }
        held.hold(merges)
        if let budget { held.budgets[merges[0].feed.source] = budget }
        return sequence
      }
    }
  }

  package func keep(_ budget: Budget, of source: String) throws(StoreError) {
    try order.withLock { (_) throws(StoreError) in
      try write { () throws(StoreError) in
        try base.keep(budget, of: source)
      } orHold: {
        $0.budgets[source] = budget
      }
    }
  }

  package func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    try order.withLock { (order) throws(StoreError) in
      try write { () throws(StoreError) in
        try base.keep(item, realm: realm, sentAt: sentAt)
      } orHold: { (held) throws(StoreError) in
        let known = try order.reader.item(item.id, realm: realm)
        if let known, known.sentAt > sentAt { return }
        held.hold(item, realm: realm, sentAt: sentAt)
      }
    }
  }

  package func delete(
    _ ids: [Identity], realm: String, sentAt: Timestamp
  ) throws(StoreError) -> [String: Int64] {
    try order.withLock { (order) throws(StoreError) in
      try write { () throws(StoreError) in
        try base.delete(ids, realm: realm, sentAt: sentAt)
      } orHold: { (held) throws(StoreError) in
        for id in ids {
          var known = held.items[realm]?[id]
          if known == nil { known = try order.reader.item(id, realm: realm) }
          guard let known, known.sentAt <= sentAt else { continue }
          held.holdDeletion(of: id, realm: realm, sentAt: sentAt)
        }
        return [:]
      }
    }
  }

  /// Writes, or holds where that fails in a way that may pass. What has been held already goes
  /// first, so nothing is written past it. Throws ``StoreError/full`` where no more can be held.
  private func write<Value>(
    _ write: () throws(StoreError) -> Value,
    orHold hold: (inout WriteBuffer) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let before = held.withLock { $0 }
    var holding: WriteBuffer
    if let before {
      holding = before
    } else {
      do throws(StoreError) {
        return try write()
      } catch {
        guard error.mayPass else { throw error }
        holding = WriteBuffer(number: periods.add(1, ordering: .relaxed).newValue, reason: error)
      }
    }
    let value = try hold(&holding)
    guard holding.bytes.values.allSatisfy({ $0 <= bytesMax }) else { throw .full }
    held.withLock { [holding] in $0 = holding }
    holds.store(true, ordering: .releasing)
    heldChanges.add(1, ordering: .releasing)
    if before == nil { report(.holding(holding.reason)) }
    return value
  }

  /// What is known below of what a merge touches.
  private func ground(
    of merge: Merge, under held: WriteBuffer, _ reader: any TimelineReader
  ) throws(StoreError) -> WriteBuffer.Baseline {
    var ground = WriteBuffer.Baseline()
    if let timeline = held.feeds[merge.feed]?.timeline {
      ground.sequence = timeline.sequence
    } else {
      ground.sequence = try base.timeline(of: merge.feed)?.sequence ?? 0
    }
    let view = held.held(of: merge.feed)
    let touched = merge.removed + merge.missing
    if let highest = touched.max(), let lowest = touched.min() {
      let (upper, lower) = (Cut.above(highest), Cut.below(lowest))
      let stored = try base.known(in: merge.feed, below: upper, above: lower)
      ground.places = view.laid(over: stored, below: upper, above: lower)
    }
    let ids = merge.seen.map(\.item.id)
    ground.places += view.laid(over: try base.known(in: merge.feed, ids: ids), of: ids)
    for seen in merge.seen {
      let known = try reader.item(seen.item.id, realm: merge.feed.realm)
      if let known, known.sentAt > merge.sentAt { ground.settled[seen.item.id] = known }
    }
    return ground
  }

  /// Writes what is held, as far as it can be written now, one operation at a time so that others
  /// come in between. Returns the numbers that feeds have come to by it.
  package func recover() -> [(feed: String, sequence: Int64)] {
    var numbers: [(feed: String, sequence: Int64)] = []
    while isHolding {
      let isDone = order.withLock { _ -> Bool in
        guard let holding = held.withLock({ $0 }) else { return true }
        do throws(StoreError) {
          numbers += try writeFirst(of: holding)
          return false
        } catch {
          held.withLock { $0?.reason = error }
          return true
        }
      }
      if isDone { break }
    }
    return numbers
  }

  private func writeFirst(
    of holding: WriteBuffer
  ) throws(StoreError) -> [(feed: String, sequence: Int64)] {
    guard let operation = holding.operations.first else {
      try base.check()
      for (source, budget) in holding.budgets { try base.keep(budget, of: source) }
      // A reader that has not seen that nothing is held any more finds nothing, and all of it
      // below.
      held.withLock { $0 = nil }
      holds.store(false, ordering: .releasing)
      report(.recovered)
      return []
    }
    var numbers: [(feed: String, sequence: Int64)] = []
    switch operation {
    case .merges(let merges):
      numbers = [(merges[0].feed.name, try base.commit(merges, budget: nil))]
    case .item(let item, let realm, let sentAt):
      try base.keep(item, realm: realm, sentAt: sentAt)
    case .delete(let id, let realm, let sentAt):
      numbers = try base.delete([id], realm: realm, sentAt: sentAt).map { ($0.key, $0.value) }
    }
    held.withLock { $0?.removeFirst() }
    return numbers
  }

  package func discardBuffered(of source: String) {
    order.withLock { _ in held.withLock { $0?.discardBuffered(of: source) } }
  }
}

extension BufferedStore {
  package func feeds() throws(StoreError) -> [StoredFeed] {
    var feeds = try base.feeds()
    let known = Set(feeds.map(\.name))
    for feed in held.withLock({ $0?.feeds.keys.map { $0 } ?? [] }) where !known.contains(feed.name)
    {
      var stored = StoredFeed(
        name: feed.name, source: feed.source, order: feed.pattern.order,
        readAt: Timestamp(milliseconds: 0))
      stored.recipe = feed.pattern.recipe
      feeds.append(stored)
    }
    return feeds
  }

  package func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail? {
    let stored = try base.foot(of: name, limit: limit)
    guard let feed = heldFeed(name), let held = held(of: feed),
      let timeline = self.held.withLock({ $0?.feeds[feed]?.timeline })
    else { return stored }
    let places: [KnownElement] = stored?.places.reversed() ?? []
    // Only as far up as all that is stored is known.
    let upper = places.count < limit ? Cut.top : places.first.map { .above($0.position) } ?? .top
    let laid = held.laid(over: places, below: upper, above: Cut.bottom)
    return FeedTail(
      order: feed.pattern.order, timeline: timeline, places: Array(laid.suffix(limit).reversed()))
  }

  private func heldFeed(_ name: String) -> FeedID? {
    guard isHolding else { return nil }
    return held.withLock { $0?.feeds.keys.first { $0.name == name } }
  }

  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {
    try order.withLock { (_) throws(StoreError) in
      guard let feed = heldFeed(name) else {
        return try base.cut(name, below: cut, leaving: timeline)
      }
      if let stored = try base.foot(of: name, limit: 1)?.timeline {
        try base.cut(name, below: cut, leaving: stored.cut(below: cut, losing: []))
      }
      held.withLock { $0?.cut(feed, below: cut, leaving: timeline) }
    }
  }

  package func drop(_ name: String) throws(StoreError) {
    try order.withLock { (_) throws(StoreError) in
      try base.drop(name)
      if let feed = heldFeed(name) { held.withLock { $0?.drop(feed) } }
    }
  }

  /// Without what is held.
  package func contentBytes(of name: String) throws(StoreError) -> Int64 {
    try base.contentBytes(of: name)
  }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) { try base.note(reads) }

  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool { try base.sweep(sweep) }

  package func shrink() throws(StoreError) -> Bool { try base.shrink() }
}

extension StoreError {
  /// Whether the same may succeed later: the disk is full, or reading or writing failed.
  var mayPass: Bool {
    switch self {
    case .full, .failed: true
    case .corrupt, .replaced, .newerVersion, .foreign, .noFolder, .locked, .unreachable,
      .unreadable, .overtaken, .otherForm, .absent:
      false
    }
  }
}
