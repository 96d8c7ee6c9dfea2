import BufferedStore
import Engine
import Feed
import Merge
import SQLiteStore
import SharedStore
import Support
import Synchronization

/// One process from its start until it is killed: after that nothing of it reaches the upstream
/// or the store.
final class Lifetime: Sendable {
  /// What reads each upstream.
  let readers: [FeedReader]
  /// The merged feed's source; nil in a history without one.
  let merged: MergedSource?
  /// What it has written, and what it holds because it cannot write.
  let store: any FeedStore
  /// What it shares with others; nil where it is alone.
  let shared: SharedStore?
  /// What a loop of the server reads by.
  // Safe because all of a history runs on one thread.
  nonisolated(unsafe) let rows: any TimelineReader
  let storeKeeper: StoreKeeper
  private let worlds: [World]
  private let lines: [Line]
  private let faults: FaultyStore?
  private let link: FaultyLedger?

  /// Its way to the upstream.
  private final class Line: PageFetcher {
    private let world: World
    private let audit: StoreAudit?
    private let state = Mutex(false)

    init(_ world: World, _ audit: StoreAudit?) {
      (self.world, self.audit) = (world, audit)
    }

    var isCut: Bool { state.withLock { $0 } }

    func cut() { state.withLock { $0 = true } }

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      guard !isCut else { return nothing() }
      let answer = await world.page(window, of: feed)
      audit?.note(answerOf: feed)
      return answer
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      isCut ? nothing() : await world.item(name)
    }

    func mark(of item: PageItem, in feed: FeedID) -> String? { world.mark(of: item, in: feed) }

    func mark(of key: Int64, in feed: FeedID) -> String? { world.mark(of: key, in: feed) }

    private func nothing<Value: Sendable>() -> Fetched<Value> {
      Fetched(
        sentAt: world.time.now, receivedAt: world.time.now, date: nil, budget: nil,
        result: .failure(.unreachable(reason: "killed")))
    }
  }

  /// What is above the disk, which holds what is below it.
  private struct WeakBuffer {
    weak var store: BufferedStore?
  }

  /// What a process stores in.
  enum Medium {
    /// A disk of its own.
    case disk(Disk, StoreAudit)
    /// What it shares with others, and a copy of it.
    case shared(FaultyLedger, copy: TimelineDatabase, name: String)
  }

  /// A process over what an earlier one stored; `merge` makes its merged feed of its readers.
  init(
    _ worlds: [World], over medium: Medium, merge: ([FeedReader]) -> MergedSource? = { _ in nil }
  ) throws {
    self.worlds = worlds
    let world = worlds[0]
    switch medium {
    case .disk(let disk, let audit):
      lines = worlds.map { Line($0, audit) }
      let base = try disk.open()
      // Safe because all of a history runs on one thread.
      nonisolated(unsafe) let written = try base.makeReader()
      let buffer = Mutex(WeakBuffer())
      let faults = FaultyStore(over: base, failing: { [world] in world.diskFailure }) { write in
        world.trace.note { "written: \(Lifetime.describe(write))" }
        let isHeld = buffer.withLock { $0.store?.isHolding } ?? false
        audit.note(write, isHeld: isHeld, written)
      }
      let buffered = try BufferedStore(over: faults)
      buffer.withLock { $0.store = buffered }
      (self.faults, shared, link) = (faults, nil, nil)
      store = buffered
    case .shared(let link, let copy, let name):
      lines = worlds.map { Line($0, nil) }
      let lease = world.script.lease
      let shared = try SharedStore(
        copy: copy, ledger: link, server: name, time: world.time
      ) { _ in lease }
      (faults, self.shared, self.link) = (nil, shared, link)
      store = shared
    }
    rows = try store.makeReader()
    let store = store
    readers = try zip(worlds, lines).map { world, line in
      let random = Mutex(
        SeededGenerator(seed: world.script.seed &+ UInt64(world.number(0...1 << 20))))
      return try FeedReader(
        source: world.script.dialect.lists.source, policy: world.script.policy, fetcher: line,
        store: store, time: world.time, executor: world.time,
        random: { range in random.withLock { Int64.random(in: range, using: &$0) } },
        report: { incident in world.trace.note { "\(incident)" } })
    }
    merged = merge(readers)
    storeKeeper = StoreKeeper(
      store: store, readers: readers, limits: world.script.limits, time: world.time,
      executor: world.time
    ) { [world] report in world.trace.note { "storeKeeper: \(report)" } }
  }

  /// Asks what others did, as a server does once a second.
  func follow() async {
    guard let shared, !lines[0].isCut else { return }
    do throws(StoreError) {
      let heartbeat = try shared.beat()
      for reader in readers where try shared.isBehind(heartbeat, of: reader.source) {
        try await reader.follow()
      }
    } catch {
      worlds[0].trace.note { "not followed: \(error)" }
    }
  }

  /// Ends it between two of its steps.
  func kill() {
    for line in lines { line.cut() }
    faults?.fail(with: .failed(code: 0, message: "killed"))
    link?.cut()
    shared?.close()
    for world in worlds { world.state.withLock { $0.beginLife() } }
  }

  private static func describe(_ write: FaultyStore.Write) -> String {
    guard case .merges(let merges) = write else { return "\(write)" }
    return merges.map(describe).joined(separator: "; then ")
  }

  private static func describe(_ merge: Merge) -> String {
    let proofs = merge.timeline.proofs.map { proof in
      let seconds = "\(proof.upper.position.order)…\(proof.lower.position.order)"
      let age = (merge.sentAt - proof.provenAt).components.seconds
      return "[\(seconds) \(age) s old, \(proof.count) to rank \(proof.rankBelow)]"
    }
    return "\(merge.feed.name): \(merge.seen.count) seen, "
      + "\(merge.missing.count) missing, \(merge.removed.count) removed; "
      + proofs.joined(separator: " ") + " seen "
      + merge.seen.map { "\($0.item.id.text)@\($0.position.order)" }.joined(separator: " ")
      + " moves "
      + merge.timeline.moves.suffix(5).map { "\($0.id.text) \($0.from.order)→\($0.to.order)" }
      .joined(separator: ", ")
  }
}
