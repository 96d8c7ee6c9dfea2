import Engine
import Feed
import History
import Support

/// A reader over a scripted feed, with everything driven by hand.
struct Rig {
  let time: VirtualTime
  let feed: ScriptedFeed
  let store: MemoryStore
  let reader: FeedReader

  init(
    seed: UInt64 = 1, policy: Policy = Policy(), store: MemoryStore = MemoryStore(),
    in dialect: Dialect = .articles
  ) throws {
    time = VirtualTime()
    feed = ScriptedFeed(time: time, seed: seed, in: dialect)
    self.store = store
    reader = try FeedReader(
      source: dialect.lists.source, policy: policy, fetcher: feed, store: store, time: time,
      executor: time)
  }

  /// Another reader over the same store, as after a restart; nothing bounds its calls.
  func restarted() throws -> FeedReader {
    try FeedReader(
      source: feed.dialect.lists.source, policy: .unbounded, fetcher: feed, store: store,
      time: time, executor: time)
  }

  /// Fills the feed with items older than now, each sharing its predecessor's second with a
  /// chance of `ties` in a hundred.
  func fill(_ count: Int, ties: Int = 0) {
    var random = SeededGenerator(seed: UInt64(count) &* 31 &+ UInt64(ties))
    var second = time.now.seconds - 10_000_000
    for _ in 0..<count {
      if !random.chance(ties) { second += Int64.random(in: 1...200, using: &random) }
      feed.insert(second: second)
    }
  }

  func request(limit: Int = 20) -> SliceRequest {
    SliceRequest(feed: feed.dialect.lists.items, limit: limit, wait: .seconds(10))
  }

  /// What has changed since a number by what a reader says, up to 10,000 changes; nil where the
  /// number has expired, or nothing can be said.
  func changes(after number: SequenceNumber, by reader: FeedReader) -> [Change]? {
    let feed = feed.dialect.lists.items
    let reading = time.run {
      try? await reader.changes(of: feed, after: number, limit: 10_000, learned: false)
    }
    guard case .changes(let changes)?? = reading else { return nil }
    return changes.changes
  }

  func slice(_ request: SliceRequest) -> Result<Slice, ReadError> {
    time.slice(request, from: reader)
  }
}
