import Foundation

/// A clock that stands until it is moved: for tests of what waits.
///
/// This target is what an app's own tests import beside `TsugiClient`: this clock, and
/// ``ScriptedTransport``, a network that answers as the test lays down.
///
///     let clock = ManualClock()
///     client.clock = clock
///     …
///     await clock.sleepers(1, dueWithin: .seconds(30))  // until somebody waits so long at most
///     clock.advance(by: .seconds(30))                   // and goes on
///
/// A request waits for its own deadline too, the client's `timeout` away, as long as it is under
/// way: hence `dueWithin`.
///
/// Safe because all that changes is touched under the lock only.
public final class ManualClock: Clock, @unchecked Sendable {
  /// An instant of such a clock: how far it was moved.
  public struct Instant: InstantProtocol {
    /// How far the clock was moved since it was made.
    public var offset: Duration

    /// An instant at an offset.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// The instant so much later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later another one is.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether one comes before the other.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }
  }

  private struct Sleeper {
    var deadline: Instant
    var wake: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    var count: Int
    var limit: Duration?
    var wake: CheckedContinuation<Void, Never>
  }

  private let lock = NSLock()
  private var instant = Instant()
  private var sleeperCount = 0
  private var sleepers: [Int: Sleeper] = [:]
  private var cancelled: Set<Int> = []
  private var watchers: [Watcher] = []

  /// A clock at its beginning.
  public init() {}

  /// How far it was moved.
  public var now: Instant { lock.withLock { instant } }

  /// It has no steps.
  public var minimumResolution: Duration { .zero }

  /// Waits until the clock is moved to a deadline, or the task is cancelled.
  ///
  /// - Throws: `CancellationError`.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = lock.withLock {
      sleeperCount += 1
      return sleeperCount
    }
    defer { lock.withLock { _ = cancelled.remove(number) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wake in
        settle(number, Sleeper(deadline: deadline, wake: wake))
      }
    } onCancel: {
      let sleeper = lock.withLock {
        if sleepers[number] == nil { cancelled.insert(number) }
        return sleepers.removeValue(forKey: number)
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock on and wakes who waited for it.
  public func advance(by duration: Duration) {
    let (woken, watching) = lock.withLock {
      instant = instant.advanced(by: duration)
      let due = sleepers.filter { $0.value.deadline <= instant }
      for number in due.keys { sleepers[number] = nil }
      return (due.values.sorted { $0.deadline < $1.deadline }, takeWatchers())
    }
    for sleeper in woken { sleeper.wake.resume() }
    for wake in watching { wake.resume() }
  }

  /// How many wait at the moment.
  public var sleeperTotal: Int { lock.withLock { sleepers.count } }

  /// The deadline that comes first; nil while nothing waits.
  public var nextDeadline: Instant? {
    lock.withLock { sleepers.values.map(\.deadline).min() }
  }

  /// Waits until so many wait together, of those whose deadline is no further away than `limit`.
  public func sleepers(_ count: Int, dueWithin limit: Duration? = nil) async {
    await withCheckedContinuation { wake in
      let watching = lock.withLock {
        watchers.append(Watcher(count: count, limit: limit, wake: wake))
        return takeWatchers()
      }
      for wake in watching { wake.resume() }
    }
  }

  /// Takes out those who have seen what they wait for.
  private func takeWatchers() -> [CheckedContinuation<Void, Never>] {
    func isDone(_ watcher: Watcher) -> Bool {
      let limit = watcher.limit.map { instant.advanced(by: $0) }
      return watcher.count
        <= sleepers.values.count { sleeper in
          limit.map { sleeper.deadline <= $0 } ?? true
        }
    }
    defer { watchers.removeAll(where: isDone) }
    return watchers.filter(isDone).map(\.wake)
  }

  private func settle(_ number: Int, _ sleeper: Sleeper) {
    enum Outcome { case due, cancelled, waits }
    var watching: [CheckedContinuation<Void, Never>] = []
    let outcome = lock.withLock {
      if cancelled.remove(number) != nil { return Outcome.cancelled }
      if sleeper.deadline <= instant { return Outcome.due }
      sleepers[number] = sleeper
      watching = takeWatchers()
      return Outcome.waits
    }
    switch outcome {
    case .due: sleeper.wake.resume()
    case .cancelled: sleeper.wake.resume(throwing: CancellationError())
    case .waits: break
    }
    for wake in watching { wake.resume() }
  }
}
