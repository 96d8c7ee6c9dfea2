import Feed
import Synchronization

/// A feed as the upstream has it, newest first, that moves while one reads it, and remembers
/// when each of its items was there.
final class ScriptedFeed: PageFetcher {
  struct Entry: Hashable {
    var id: Identity
    var second: Int64
  }
  /// When an item was in the feed, at the same place; `until` is nil while it still is.
  struct Presence {
    var second: Int64
    var since: Timestamp
    var until: Timestamp?
  }
  struct Call: Hashable {
    var window: Window
    var sentAt: Timestamp
  }
  struct State {
    var entries: [Entry] = []
    var history: [Identity: Presence] = [:]
    var random: SeededGenerator
    var lastID = 0
    var calls: [Call] = []
    var failures: [FetchError] = []
    var shufflesTies = false
    /// Whether its items show no times: then their order is the list's alone.
    var isUndated = false
    var budget: BudgetReading?
    var beforeCall: (@Sendable (ScriptedFeed) -> Void)?
  }
  let state: Mutex<State>
  let time: VirtualTime
  let latency: Duration

  init(time: VirtualTime, seed: UInt64 = 1, latency: Duration = .milliseconds(100)) {
    self.time = time
    self.latency = latency
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  var calls: [Call] { state.withLock(\.calls) }
  var entries: [Entry] { state.withLock(\.entries) }
  var history: [Identity: Presence] { state.withLock(\.history) }

  /// Puts an item into the feed, above all others of its second.
  @discardableResult
  func insert(second: Int64, id: Identity? = nil) -> Identity {
    state.withLock { state in
      state.lastID += 1
      let scrambled = UInt32(truncatingIfNeeded: state.lastID &* 2_654_435_761)
      let id = id ?? Identity(String(scrambled, radix: 16) + "-\(state.lastID)")
      let index = state.entries.firstIndex { $0.second <= second } ?? state.entries.count
      state.entries.insert(Entry(id: id, second: second), at: index)
      state.history[id] = Presence(second: second, since: time.now)
      return id
    }
  }

  func delete(_ id: Identity) {
    state.withLock { state in
      state.entries.removeAll { $0.id == id }
      state.history[id]?.until = time.now
    }
  }

  /// One event of drift at random: mostly at the top, where feeds move.
  func drift() {
    let event = state.withLock { state in
      (
        kind: Int.random(in: 0..<10, using: &state.random),
        entry: state.entries.randomElement(using: &state.random)
      )
    }
    switch event.kind {
    case 0..<5: insert(second: max(time.now.seconds, entries.first?.second ?? 0))
    case 5..<8:
      if let entry = event.entry { delete(entry.id) }
    default:
      if let entry = event.entry { insert(second: entry.second) }
    }
  }

  /// One event of drift in a feed ordered by the upstream: mostly at the top.
  func driftUndated() {
    let event = state.withLock { state in
      (
        kind: Int.random(in: 0..<10, using: &state.random),
        entry: state.entries.randomElement(using: &state.random)
      )
    }
    switch event.kind {
    case 0..<5: insert(second: 0)
    case 5..<8:
      if let entry = event.entry { delete(entry.id) }
    default:
      if let entry = event.entry { restock(entry.id) }
    }
  }

  /// Moves an item to the top: it is in another place from now on.
  func restock(_ id: Identity) {
    delete(id)
    insert(second: 0, id: id)
  }

  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    let sentAt = time.now
    await time.sleep(latency)
    state.withLock(\.beforeCall)?(self)
    let result = state.withLock { state -> Result<Page, FetchError> in
      state.calls.append(Call(window: window, sentAt: sentAt))
      if !state.failures.isEmpty { return .failure(state.failures.removeFirst()) }
      return .success(page(window, of: &state))
    }
    let date = time.now.seconds
    await time.sleep(latency)
    return Fetched(
      sentAt: sentAt, receivedAt: time.now, date: date, budget: state.withLock(\.budget),
      result: result)
  }

  private func page(_ window: Window, of state: inout State) -> Page {
    var entries = state.entries
    if state.shufflesTies {
      entries.shuffle(using: &state.random)
      entries.sort { $0.second > $1.second }
    }
    let shown = entries.dropFirst(window.firstRank).prefix(window.perPage)
    return Page(
      items: shown.enumerated().map {
        Page.Slot(index: $0, item: item($1, isUndated: state.isUndated))
      }, count: shown.count,
      hasNext: entries.count > window.endRank, total: entries.count)
  }

  private func item(_ entry: Entry, isUndated: Bool) -> PageItem {
    PageItem(
      id: entry.id, createdAt: isUndated ? nil : entry.second,
      updatedAt: isUndated ? nil : entry.second, bytes: entry.id.bytes)
  }

  func item(_ id: Identity) async -> Fetched<PageItem> {
    let sentAt = time.now
    await time.sleep(latency)
    let found = state.withLock { $0.entries.first { $0.id == id } }
    return Fetched(
      sentAt: sentAt, receivedAt: time.now, date: time.now.seconds, budget: nil,
      result: found.map { .success(item($0, isUndated: false)) } ?? .failure(.notFound))
  }
}

/// The feed most tests read.
let itemsFeed = FeedID(
  source: "qiita", pattern: FeedPattern("items", order: .value, takesQuery: true),
  parts: [Array("items".utf8)])

/// A reader over a scripted feed, with everything driven by hand.
struct Rig {
  let time: VirtualTime
  let feed: ScriptedFeed
  let store: MemoryStore
  let reader: FeedReader

  init(seed: UInt64 = 1, policy: Policy = Policy(), store: MemoryStore = MemoryStore()) throws {
    time = VirtualTime()
    feed = ScriptedFeed(time: time, seed: seed)
    self.store = store
    reader = try FeedReader(
      source: "qiita", policy: policy, fetcher: feed, store: store, time: time, executor: time)
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
    SliceRequest(feed: itemsFeed, limit: limit, wait: .seconds(10))
  }

  func slice(_ request: SliceRequest) -> Result<Slice, ReadError> {
    let reader = reader
    let result: Result<Slice, ReadError>? = time.run {
      do throws(ReadError) {
        return .success(try await reader.slice(request))
      } catch {
        return .failure(error)
      }
    }
    return result ?? .failure(.badResponse)
  }
}
