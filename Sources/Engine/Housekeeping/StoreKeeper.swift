package import Feed
import Synchronization

/// Looks after a store that several readers share: evicts what was least recently read when it is
/// full, deletes what is not needed, and writes down when feeds were read.
///
/// It looks once a second, which costs a few loads while nothing is due, and works in steps of one
/// short transaction each, every one on the actor of the feed's own reader: whatever else the
/// reader has to do comes in between.
package actor StoreKeeper {
  private let store: any FeedStore
  private var readers: [String: FeedReader]
  private let limits: Eviction.Limits
  private let time: any TimeSource
  private let report: @Sendable (Report) -> Void
  private nonisolated let executor: any SerialExecutor & TaskExecutor
  private var isStuck = false
  private var isAhead = false
  private var noted: Timestamp
  private var swept: Timestamp
  private var tried: Timestamp

  /// What an operator should know of.
  package enum Report: Sendable, Hashable {
    /// Feeds were evicted as a whole, and places of these or other feeds.
    case evicted(feeds: Int, places: Int)
    /// The store is over its limit, and nothing more can go for now.
    case cannotEvict(StoreLoad)
    /// The store was damaged: its file is at this path now, and a new one is begun.
    case replaced(damaged: String)
    /// The store could not do its part.
    case failed(StoreError)
    /// Times are so far ahead of the machine's clock, which was set back.
    case ahead(Duration)
  }

  /// How often it looks.
  package static let interval = Duration.seconds(1)
  /// How often it tries to write again what could not be written, where it has made no room.
  package static let recoverInterval = Duration.seconds(5)
  /// From how far ahead of the machine's clock on an operator should know of it.
  package static let leadMin = Duration.seconds(60)
  /// How often it writes down when feeds were read: so much may be forgotten by a crash.
  package static let noteInterval = Duration.seconds(600)
  /// How often it looks at some rows that may not be needed any more.
  package static let sweepInterval = Duration.seconds(60)
  /// Rows looked at then: a million in four hours.
  package static let sweepRows = 4_000
  /// How long an item that no feed holds is kept at least, also in a full store: the client that
  /// asked for it may ask again.
  package static let looseDuration = Duration.seconds(3_600)

  /// A storeKeeper of a store and of all its readers. Nothing happens before ``tick()``.
  package init(
    store: any FeedStore, readers: [FeedReader], limits: Eviction.Limits,
    time: any TimeSource, executor: any SerialExecutor & TaskExecutor,
    report: @escaping @Sendable (Report) -> Void = { _ in }
  ) {
    self.store = store
    self.readers = Dictionary(
      readers.map { ($0.source, $0) }, uniquingKeysWith: { first, _ in first })
    self.limits = limits
    self.time = time
    self.executor = executor
    self.report = report
    noted = time.now
    swept = time.now
    tried = time.now - StoreKeeper.recoverInterval
  }

  /// Looks after what these readers store, too.
  package func adopt(_ readers: [FeedReader]) {
    for reader in readers { self.readers[reader.source] = reader }
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Looks after the store until the task is cancelled, then writes down what was read.
  package nonisolated func run() async {
    while !Task.isCancelled {
      await tick()
      await time.sleep(until: time.now + StoreKeeper.interval)
    }
    await noteReads()
  }

  /// Does what is due now.
  package func tick() async {
    mend()
    noteLead()
    let hasMadeRoom = await relieve()
    await recover(isDue: hasMadeRoom || time.now - tried >= StoreKeeper.recoverInterval)
    let now = time.now
    if now - swept >= StoreKeeper.sweepInterval {
      swept = now
      _ = sweep(looseFor: limits.remembers)
    }
    if now - noted >= StoreKeeper.noteInterval {
      noted = now
      await noteReads()
    }
  }

  /// Has a damaged file replaced, wherever the damage was met.
  private func mend() {
    guard store.isDamaged else { return }
    do throws(StoreError) {
      if let moved = try store.renew(from: store.epoch) { report(.replaced(damaged: moved)) }
    } catch {
      report(.failed(error))
    }
  }

  /// Says once that the machine's clock was set back.
  private func noteLead() {
    let (lead, wasAhead) = (time.lead, isAhead)
    isAhead = lead >= StoreKeeper.leadMin
    if isAhead, !wasAhead { report(.ahead(lead)) }
  }

  /// Has what is held in memory written, if that works again.
  private func recover(isDue: Bool) async {
    guard store.isHolding, isDue else { return }
    tried = time.now
    let numbers = store.recover()
    guard !numbers.isEmpty else { return }
    for reader in readers.values { await reader.noteRecovery(numbers) }
  }

  /// Makes the store smaller if it is too full; returns whether it did.
  private func relieve() async -> Bool {
    let before = store.load
    guard let goal = Eviction.goal(for: before, within: limits) else { return false }
    do throws(StoreError) {
      if goal.bytes != nil { await sweepLoose(until: goal) }
      for victim in Eviction.order(try await feeds()) {
        if victim.keepsTop, goal.bytes == nil { break }
        try await give(victim, until: goal)
        if goal.isMet(by: store.load) { break }
      }
      if goal.bytes != nil { while try store.shrink() { await Task.yield() } }
    } catch {
      report(.failed(error))
    }
    let after = store.load
    let places = after.placesEvicted - before.placesEvicted
    if places > 0 {
      report(.evicted(feeds: after.feedsEvicted - before.feedsEvicted, places: places))
    }
    let wasStuck = isStuck
    isStuck = places == 0 && !goal.isMet(by: after)
    if isStuck, !wasStuck { report(.cannotEvict(after)) }
    return places > 0
  }

  /// Takes steps of giving up a feed until it is gone, the goal is met, or it is being read.
  private func give(_ victim: Eviction.Victim, until goal: Eviction.Goal) async throws(StoreError) {
    while !goal.isMet(by: store.load) {
      if let reader = readers[victim.source] {
        guard try await reader.evictStep(victim) == .partly else { return }
      } else {
        // A source that is no longer configured has no readers.
        let step = try store.step(of: victim, standing: nil)
        try store.take(step, of: victim)
        guard case .cut = step else { return }
        await Task.yield()
      }
    }
  }

  /// The stored feeds with when they were last read, as far as memory knows better.
  private func feeds() async throws(StoreError) -> [StoredFeed] {
    let feeds = try store.feeds()
    var reads: [String: Timestamp] = [:]
    for reader in readers.values { reads.merge(await reader.reads) { max($0, $1) } }
    return feeds.read(at: reads)
  }

  /// Deletes items that no feed holds, all through the store at most.
  private func sweepLoose(until goal: Eviction.Goal) async {
    while !goal.isMet(by: store.load), !sweep(looseFor: StoreKeeper.looseDuration) {
      await Task.yield()
    }
  }

  /// Deletes some of what is not needed. Returns whether the sweep came around.
  private func sweep(looseFor: Duration) -> Bool {
    let now = time.now
    let sweep = Sweep(
      goneBefore: now - limits.remembers, looseBefore: now - looseFor,
      rowsMax: StoreKeeper.sweepRows)
    do throws(StoreError) {
      return try store.sweep(sweep)
    } catch {
      report(.failed(error))
      return true
    }
  }

  private func noteReads() async {
    var reads: [String: Timestamp] = [:]
    for reader in readers.values { reads.merge(await reader.takeReads()) { max($0, $1) } }
    guard !reads.isEmpty else { return }
    do throws(StoreError) {
      try store.note(reads)
    } catch {
      report(.failed(error))
    }
  }
}
