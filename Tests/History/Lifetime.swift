import Feed
import Synchronization

/// One process from its start until it is killed: after that nothing of it reaches the upstream
/// or the store.
final class Lifetime: PageFetcher, TimelineStore {
  private let world: World
  private let store: MemoryStore
  private let killed = Mutex(false)
  let reader = Mutex<FeedReader?>(nil)

  init(_ world: World, store: MemoryStore) {
    self.world = world
    self.store = store
  }

  /// A process over what an earlier one stored.
  static func begin(_ world: World, store: MemoryStore) throws -> Lifetime {
    let life = Lifetime(world, store: store)
    let random = Mutex(
      SeededGenerator(seed: world.script.seed &+ UInt64(world.number(0...1 << 20))))
    let reader = try FeedReader(
      source: "qiita", policy: world.script.policy, fetcher: life, store: life, time: world.time,
      executor: world.time,
      random: { range in random.withLock { Int64.random(in: range, using: &$0) } })
    life.reader.withLock { $0 = reader }
    return life
  }

  var isKilled: Bool { killed.withLock { $0 } }

  func kill() {
    killed.withLock { $0 = true }
    world.state.withLock { $0.beginLife() }
  }

  private func mustLive() throws(StoreError) {
    if isKilled { throw .failed(code: 0, message: "killed") }
  }

  private func dead<Value: Sendable>() -> Fetched<Value> {
    Fetched(
      sentAt: world.time.now, receivedAt: world.time.now, date: nil, budget: nil,
      result: .failure(.unreachable(reason: "killed")))
  }

  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    isKilled ? dead() : await world.page(window, of: feed)
  }

  func item(_ name: ItemName) async -> Fetched<PageItem> {
    isKilled ? dead() : await world.item(name)
  }

  var epoch: String { store.epoch }

  func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    try store.timeline(of: feed)
  }

  func known(in feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError)
    -> [KnownElement]
  {
    try store.known(in: feed, below: upper, above: lower)
  }

  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    try store.known(in: feed, ids: ids)
  }

  func commit(_ merge: Merge, budget: Budget?) throws(StoreError) -> Int64 {
    try mustLive()
    world.trace.note { Lifetime.describe(merge) }
    return try store.commit(merge, budget: budget)
  }

  func budget(of source: String) throws(StoreError) -> Budget? {
    try store.budget(of: source)
  }

  func keep(_ budget: Budget, of source: String) throws(StoreError) {
    try mustLive()
    try store.keep(budget, of: source)
  }

  func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    try mustLive()
    try store.keep(item, realm: realm, sentAt: sentAt)
  }

  func delete(_ id: Identity, realm: String, sentAt: Timestamp) throws(StoreError)
    -> [(feed: String, sequence: Int64)]
  {
    try mustLive()
    return try store.delete(id, realm: realm, sentAt: sentAt)
  }

  var load: StoreLoad { store.load }

  func feeds() throws(StoreError) -> [StoredFeed] { try store.feeds() }

  func foot(of name: String, limit: Int) throws(StoreError) -> Foot? {
    try store.foot(of: name, limit: limit)
  }

  func cut(_ name: String, below cut: Cut, leaving timeline: Timeline) throws(StoreError) {
    try mustLive()
    world.trace.note { "\(name) is cut below \(cut.position.order)" }
    try store.cut(name, below: cut, leaving: timeline)
  }

  func drop(_ name: String) throws(StoreError) {
    try mustLive()
    world.trace.note { "\(name) is given up" }
    try store.drop(name)
  }

  func note(_ reads: [String: Timestamp]) throws(StoreError) { try store.note(reads) }

  func sweep(_ sweep: Sweep) throws(StoreError) -> Bool { try store.sweep(sweep) }

  func shrink() throws(StoreError) -> Bool { try store.shrink() }

  func makeReader() throws(StoreError) -> any TimelineReader { try store.makeReader() }

  func check() throws(StoreError) {}

  private static func describe(_ merge: Merge) -> String {
    let proofs = merge.timeline.proofs.map { proof in
      let seconds = "\(proof.upper.position.order)…\(proof.lower.position.order)"
      let age = (merge.sentAt - proof.provenAt).components.seconds
      return "[\(seconds) \(age) s old, \(proof.count) to rank \(proof.rankBelow)]"
    }
    return "commit of \(merge.feed.name): \(merge.seen.count) seen, "
      + "\(merge.missing.count) missing, \(merge.removed.count) removed; "
      + proofs.joined(separator: " ") + " seen "
      + merge.seen.map { "\($0.item.id.text)@\($0.position.order)" }.joined(separator: " ")
  }
}
