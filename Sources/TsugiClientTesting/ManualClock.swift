import Foundation

/// A clock that stands until it is moved: for tests of what waits.
///
/// This target is what an app's own tests import beside `TsugiClient`: this clock, and
/// ``ScriptedTransport``, a network that answers as the test lays down.
///
///     let clock = ManualClock()
///     client.clock = clock
///     …
///     await clock.sleepers(1)          // until somebody waits
///     clock.advance(by: .seconds(30))  // and goes on
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

  private let lock = NSLock()
  private var instant = Instant()
  private var sleeperCount = 0
  private var sleepers: [Int: Sleeper] = [:]
  private var cancelled: Set<Int> = []
  private var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []

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
    let woken = lock.withLock {
      instant = instant.advanced(by: duration)
      let due = sleepers.filter { $0.value.deadline <= instant }
      for number in due.keys { sleepers[number] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in woken { sleeper.wake.resume() }
  }

  /// How many wait at the moment.
  public var sleeperTotal: Int { lock.withLock { sleepers.count } }

  /// The deadline that comes first; nil while nobody waits.
  public var nextDeadline: Instant? {
    lock.withLock { sleepers.values.map(\.deadline).min() }
  }

  /// Waits until so many wait at once.
  public func sleepers(_ count: Int) async {
    await withCheckedContinuation { wake in
      let isThere = lock.withLock {
        if sleepers.count >= count { return true }
        watchers.append((count, wake))
        return false
      }
      if isThere { wake.resume() }
    }
  }

  private func settle(_ number: Int, _ sleeper: Sleeper) {
    enum Outcome { case due, cancelled, waits }
    var watching: [CheckedContinuation<Void, Never>] = []
    let outcome = lock.withLock {
      if cancelled.remove(number) != nil { return Outcome.cancelled }
      if sleeper.deadline <= instant { return Outcome.due }
      sleepers[number] = sleeper
      watching = watchers.filter { $0.count <= sleepers.count }.map(\.wake)
      watchers.removeAll { $0.count <= sleepers.count }
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
