package import Feed
package import Support
package import Synchronization

/// One feed as the upstream has it, newest first, that moves while one reads it.
package final class ScriptedFeed: PageFetcher {
  /// A call as it was sent.
  package struct Call: Hashable, Sendable {
    /// What it asked for.
    package var window: Window
    /// When.
    package var sentAt: Timestamp
  }
  /// What a test may set, and read.
  package struct State: Sendable {
    /// The feed.
    package var list = ScriptedList()
    /// Where everything random comes from.
    package var random: SeededGenerator
    /// The calls that were answered.
    package var calls: [Call] = []
    /// What the next calls fail with.
    package var failures: [FetchError] = []
    /// What the next calls are answered, whatever the list is.
    package var pages: [Page] = []
    /// The calls for single items that were answered.
    package var itemCalls: [ItemName] = []
    /// What every call for a single item fails with.
    package var itemFailure: FetchError?
    /// Whether items of one second are in another order in every answer.
    package var shufflesTies = false
    /// Elements that cannot be used in so many of the next answers that show them.
    package var unusable: [Identity: Int] = [:]
    /// Elements that no page shows, but that are there by themselves.
    package var unlisted: [ScriptedList.Entry] = []
    /// How many of a hundred items tell a time that has nothing to do with their place.
    package var strayPercent = 0
    /// Whether its items show no times: then their order is the list's alone.
    package var isUndated = false
    /// The largest window that comes whole; others come cut.
    package var perPageBorne = 100
    /// The most elements of a page: windows of more are served as of so many.
    package var perPageServed = 100
    /// By how many elements its total is too large; nil where it tells none.
    package var totalSurplus: Int? = 0
    /// What pages tell of those that follow.
    package var next = Next.right
    /// The rank from which on windows show nothing, and say nothing of what follows.
    package var wall = Int.max
    /// What the rate headers say.
    package var budget: BudgetReading?
    /// What happens before an answer is made.
    package var beforeCall: (@Sendable (ScriptedFeed) -> Void)?
    var lastID = 0
  }
  /// What pages tell of those that follow: what there is, nothing, or that there always is one.
  package enum Next: CaseIterable, Sendable { case right, untold, endless }
  /// Its state.
  package let state: Mutex<State>
  /// Its clock.
  package let time: VirtualTime
  /// How it speaks.
  package let dialect: Dialect
  private let latency: Duration

  /// An empty feed whose answers take twice `latency`.
  package init(
    time: VirtualTime, seed: UInt64 = 1, latency: Duration = .milliseconds(100),
    in dialect: Dialect = .articles
  ) {
    self.time = time
    self.dialect = dialect
    self.latency = latency
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  /// The calls that were answered.
  package var calls: [Call] { state.withLock(\.calls) }
  /// The calls for single items that were answered.
  package var itemCalls: [ItemName] { state.withLock(\.itemCalls) }
  /// The elements, top first.
  package var entries: [ScriptedList.Entry] { state.withLock(\.list.entries) }
  /// Every element there ever was, as it was there last.
  package var history: [Identity: ScriptedList.Presence] { state.withLock(\.list.history) }

  /// Puts an item into the feed, above all others of its second.
  @discardableResult
  package func insert(second: Int64, id: Identity? = nil) -> Identity {
    state.withLock { state in
      state.lastID += 1
      let id = id ?? scrambledIdentity(state.lastID)
      state.list.insert(id, second: second, at: time.now)
      return id
    }
  }

  /// Takes an item out of the feed.
  package func delete(_ id: Identity) {
    state.withLock { $0.list.remove(id, at: time.now) }
  }

  /// Has pages show an item no longer, though it is there.
  package func hide(_ id: Identity) {
    state.withLock { state in
      state.unlisted += state.list.entries.filter { $0.id == id }
      state.list.remove(id, at: time.now)
    }
  }

  /// One event of drift at random: mostly at the top, where feeds move.
  package func drift() {
    let event = state.withLock { state in
      (
        kind: Int.random(in: 0..<10, using: &state.random),
        entry: state.list.entries.randomElement(using: &state.random)
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
  package func driftUndated() {
    let event = state.withLock { state in
      (
        kind: Int.random(in: 0..<10, using: &state.random),
        entry: state.list.entries.randomElement(using: &state.random)
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
  package func restock(_ id: Identity) {
    delete(id)
    insert(second: 0, id: id)
  }

  package func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    let sentAt = time.now
    await time.sleep(latency)
    state.withLock(\.beforeCall)?(self)
    let result = state.withLock { state -> Result<Page, FetchError> in
      state.calls.append(Call(window: window, sentAt: sentAt))
      if !state.failures.isEmpty { return .failure(state.failures.removeFirst()) }
      guard feed.pattern.paging.takes(window) else { return .failure(.rejected(status: 400)) }
      if window.perPage > state.perPageBorne { return .failure(.cut) }
      if !state.pages.isEmpty { return .success(state.pages.removeFirst()) }
      if window.endRank > state.wall {
        return .success(Page(items: [], count: 0, hasNext: false, total: nil))
      }
      var served = window
      served.perPage = min(window.perPage, state.perPageServed)
      guard let shown = dialect.window(served, in: state.list, of: feed) else {
        return .failure(.rejected(status: 400))
      }
      return .success(page(shown, of: &state))
    }
    let date = time.now.seconds
    await time.sleep(latency)
    return Fetched(
      sentAt: sentAt, receivedAt: time.now, date: date, budget: state.withLock(\.budget),
      result: result)
  }

  private func page(_ window: Window, of state: inout State) -> Page {
    let shown = state.list.shown(
      in: window, shufflingTiesBy: &state.random, ifWanted: state.shufflesTies)
    let count = state.list.entries.count
    var slots: [Page.Slot] = []
    for (index, entry) in shown.enumerated() {
      if let left = state.unusable[entry.id] {
        state.unusable[entry.id] = left > 1 ? left - 1 : nil
      } else {
        slots.append(Page.Slot(index: index, item: item(entry, in: state)))
      }
    }
    var page = Page(
      items: slots, count: shown.count,
      hasNext: state.next == .endless || state.next == .right && count > window.endRank,
      total: state.totalSurplus.map { max(0, count + $0) })
    page.omitted = page.unusableIndices
    page.mayEndFull = dialect.paging.addressing == .next
    if count > window.endRank, let last = shown.last {
      page.nextMark = dialect.token(after: last, above: window.firstRank + shown.count)
    }
    return page
  }

  package func mark(of item: PageItem, in feed: FeedID) -> String? {
    dialect.mark(of: item, in: feed)
  }

  package func mark(of key: Int64, in feed: FeedID) -> String? { dialect.mark(of: key) }

  private func item(_ entry: ScriptedList.Entry, in state: State) -> PageItem {
    guard !state.isUndated else {
      return PageItem(id: entry.id, key: nil, updatedAt: nil, bytes: entry.id.bytes)
    }
    let sum = entry.id.bytes.reduce(5_381) { ($0 &* 33) ^ Int64($1) } & .max
    let isStray = sum / 7 % 100 < state.strayPercent
    return PageItem(
      id: entry.id, key: dialect.key(isStray ? 1_700_000_000 + sum % 50_000_000 : entry.second),
      updatedAt: dialect.key(entry.second), bytes: entry.id.bytes)
  }

  package func item(_ name: ItemName) async -> Fetched<PageItem> {
    let sentAt = time.now
    await time.sleep(latency)
    let result = state.withLock { state -> Result<PageItem, FetchError> in
      state.itemCalls.append(name)
      if let failure = state.itemFailure { return .failure(failure) }
      let found = (state.list.entries + state.unlisted).first { $0.id == name.id }
      return found.map { .success(item($0, in: state)) } ?? .failure(.notFound)
    }
    return Fetched(
      sentAt: sentAt, receivedAt: time.now, date: time.now.seconds, budget: nil, result: result)
  }
}

/// The identity of the number-th element: in no order that tells anything.
func scrambledIdentity(_ number: Int) -> Identity {
  let scrambled = UInt32(truncatingIfNeeded: number &* 2_654_435_761)
  return Identity(String(scrambled, radix: 16) + "-\(number)")
}
