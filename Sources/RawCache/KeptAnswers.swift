import Feed
import Freshness
import Synchronization

/// The stored answers of one source: the most recently used in memory, all in a store, and shared
/// with other servers if there are some.
package final class KeptAnswers: Sendable {
  private let source: String
  private let limits: RawLimits
  private let store: any AnswerStore
  private let sharing: (any AnswerSharing)?
  private let time: any TimeSource
  private let executor: any TaskExecutor
  private let report: @Sendable (StoreError) -> Void
  private let state: Mutex<State>
  private let changes = Atomic<UInt64>(0)

  private struct State {
    var memory: AnswerMemory
    /// Recent purges: an answer that was requested before a purge is not stored after it.
    var purges: [(selection: AnswerSelection, at: Timestamp)] = []
  }

  /// The store records a use of a target at most this often.
  static let useInterval = Duration.seconds(60)
  /// How long a purge is remembered: longer than a call may take.
  static let purgeDuration = Duration.seconds(900)
  /// The most purges that are remembered one by one.
  static let purgesMax = 1_000

  /// The answers of a source in a store. Failures of the store go to `report`.
  init(
    of source: String, limits: RawLimits, store: any AnswerStore,
    sharing: (any AnswerSharing)?, time: any TimeSource, executor: any TaskExecutor,
    report: @escaping @Sendable (StoreError) -> Void
  ) {
    (self.source, self.limits, self.store, self.sharing) = (source, limits, store, sharing)
    (self.time, self.executor, self.report) = (time, executor, report)
    state = Mutex(State(memory: AnswerMemory(bytesMax: limits.memoryBytesMax)))
  }

  /// Increases with each change.
  var version: UInt64 { changes.load(ordering: .acquiring) }

  /// The stored variants of a target, newest first.
  func answers(at target: String) -> [RawAnswer] {
    if let entry = state.withLock({ $0.memory[target] }) { return entry.answers }
    let before = version
    let answers = reporting { () throws(StoreError) in try store.answers(of: source, at: target) }
    guard let answers, !answers.isEmpty else { return [] }
    state.withLock { state in
      // Another thread has stored or purged in the meantime.
      guard version == before, state.memory[target] == nil else { return }
      state.memory[target] = .init(answers: answers, notedAt: Timestamp(milliseconds: 0))
    }
    return answers
  }

  /// Stores an answer in place of the one of its variant, and removes the one it renews; then
  /// shares it. Does nothing if the stored one was requested later, or if the target was purged
  /// after the request.
  func store(_ answer: RawAnswer, renewing former: RawAnswer? = nil, at target: String) {
    guard !isPurged(answer, at: target) else { return }
    storeHere(answer, renewing: former, at: target)
    guard let sharing else { return }
    reporting { () throws(StoreError) in
      try sharing.share(
        answer, renewing: former, at: target, variantsMax: limits.variantsMax)
    }
  }

  /// Stores what other servers share of a target and is newer. Blocks.
  func takeShared(at target: String) {
    guard let sharing else { return }
    let shared = reporting { () throws(StoreError) in
      try sharing.answers(at: target, variantsMax: limits.variantsMax)
    }
    guard let shared, !shared.isEmpty else { return }
    let here = answers(at: target)
    for answer in shared.reversed() where !isPurged(answer, at: target) {
      let key = Variants.key(of: answer.head)
      let stored = here.first { Variants.key(of: $0.head) == key }
      guard stored.map({ $0.head.askedAt < answer.head.askedAt }) ?? true else { continue }
      storeHere(answer, at: target)
    }
  }

  private func storeHere(
    _ answer: RawAnswer, renewing former: RawAnswer? = nil, at target: String
  ) {
    let answers = reporting { () throws(StoreError) in
      try store.keep(
        answer, renewing: former, of: source, at: target, variantsMax: limits.variantsMax)
      try store.trimAnswers(of: source, toBytes: limits.bytesMax)
      return try store.answers(of: source, at: target)
    }
    // A purge may have come while it was written.
    guard !isPurged(answer, at: target) else {
      reporting { () throws(StoreError) in
        _ = try store.purge(.target(target), of: source, askedBy: nil)
      }
      return
    }
    let now = time.now
    state.withLock { state in
      // If the store fails, only memory has it.
      let others = (state.memory[target]?.answers ?? []).filter { $0 != former }
      state.memory[target] = .init(
        answers: answers ?? KeptAnswers.merged(answer, others, most: limits.variantsMax),
        notedAt: now)
    }
    changes.add(1, ordering: .releasing)
  }

  /// Purges the selected answers, everywhere. Returns how many there were: here or shared,
  /// whichever are more. Those here are gone even if it throws, since the others cannot be reached.
  func purge(_ selection: AnswerSelection) throws(StoreError) -> Int {
    let count = try purge(selection, at: time.now, askedBy: nil)
    return max(count, try sharing?.purge(selection) ?? 0)
  }

  /// Purges here what another server has purged at an instant.
  func follow(_ selection: AnswerSelection, purgedAt: Timestamp) throws(StoreError) {
    _ = try purge(selection, at: purgedAt, askedBy: purgedAt)
  }

  private func purge(
    _ selection: AnswerSelection, at now: Timestamp, askedBy last: Timestamp?
  ) throws(StoreError) -> Int {
    state.withLock { state in
      state.purges.removeAll { now - $0.at > KeptAnswers.purgeDuration }
      // Too many to remember one by one: one purge of everything stands for them.
      if state.purges.count >= KeptAnswers.purgesMax { state.purges = [(.all, now)] }
      state.purges.append((selection, now))
      state.memory.drop(selection)
    }
    let count = try store.purge(selection, of: source, askedBy: last)
    state.withLock { $0.memory.drop(selection) }
    changes.add(1, ordering: .releasing)
    return count
  }

  /// Records after the reply that a target was used: the least recently used is evicted first.
  func noteUse(of target: String) {
    let now = time.now
    let isDue = state.withLock { state in
      guard let entry = state.memory[target], now - entry.notedAt >= KeptAnswers.useInterval else {
        return false
      }
      state.memory.note(target, at: now)
      return true
    }
    guard isDue else { return }
    Task(executorPreference: executor) { [self] in
      reporting { () throws(StoreError) in try store.noteUse(of: target, of: source, at: now) }
    }
  }

  /// The variants of a target with an answer in place of the one of its variant; unchanged if that
  /// one was requested later.
  static func merged(_ answer: RawAnswer, _ others: [RawAnswer], most: Int) -> [RawAnswer] {
    let key = Variants.key(of: answer.head)
    var answers = others
    if let index = answers.firstIndex(where: { Variants.key(of: $0.head) == key }) {
      guard answers[index].head.askedAt <= answer.head.askedAt else { return others }
      answers.remove(at: index)
    }
    return Array(([answer] + answers).prefix(most))
  }

  /// Whether the target was purged after an answer was requested.
  private func isPurged(_ answer: RawAnswer, at target: String) -> Bool {
    let asked = Timestamp(milliseconds: answer.head.askedAt)
    return state.withLock { state in
      state.purges.contains { $0.selection.selects(target) && $0.at >= asked }
    }
  }

  /// The result of a call to the store; nil if it fails. The failure is reported, and the answer is
  /// still served.
  @discardableResult private func reporting<Value>(
    _ body: () throws(StoreError) -> Value
  ) -> Value? {
    do throws(StoreError) {
      return try body()
    } catch {
      report(error)
      return nil
    }
  }
}
