import Bytes
package import Feed
import Synchronization

/// One thread on which everything runs, and a clock that jumps to the next thing to happen.
///
/// Jobs run in the order they came; when none is left, the earliest sleeper is woken. So a
/// history depends on nothing but its inputs.
package final class VirtualTime: SerialExecutor, TaskExecutor, TimeSource {
  private struct Sleeper {
    var deadline: Timestamp
    var number: Int
    var wake: CheckedContinuation<Void, Never>
  }
  private struct State {
    var now: Timestamp
    var jobs: [UnownedJob] = []
    var nextJob = 0
    /// Those who wake first last.
    var sleepers: [Sleeper] = []
    var lastSleeper = 0
  }
  private let state: Mutex<State>

  /// A clock that stands at `now`.
  package init(now: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    state = Mutex(State(now: now))
  }

  package var now: Timestamp { state.withLock(\.now) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  /// This executor as a serial one.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Cancelling does not wake it early: what a woken sleeper does then must not matter.
  package func sleep(until deadline: Timestamp) async {
    await withCheckedContinuation { wake in
      state.withLock { state in
        state.lastSleeper += 1
        let sleeper = Sleeper(deadline: deadline, number: state.lastSleeper, wake: wake)
        // One who sleeps as long as another, and came later, has its place before it.
        let place = state.sleepers.partitioningIndex { $0.deadline <= deadline }
        state.sleepers.insert(sleeper, at: place)
      }
    }
  }

  /// Sleeps for a while.
  package func sleep(_ duration: Duration) async {
    await sleep(until: now + duration)
  }

  /// Runs `body` and everything it causes, until it is done, and returns what it returned; nil
  /// when everybody waits for something that will not happen, or after `stepsMax` steps.
  @discardableResult
  package func run<Value: Sendable>(
    stepsMax: Int = .max, _ body: @escaping @Sendable () async -> Value
  ) -> Value? {
    let result = Mutex<Value?>(nil)
    Task(executorPreference: self) {
      let value = await body()
      result.withLock { $0 = value }
    }
    var steps = 0
    while result.withLock({ $0 == nil }), steps < stepsMax, step() { steps += 1 }
    return result.withLock { $0 }
  }

  private func step() -> Bool {
    if let job = nextJob() {
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      return true
    }
    let wake = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let next = state.sleepers.popLast() else { return nil }
      state.now = max(state.now, next.deadline)
      return next.wake
    }
    wake?.resume()
    return wake != nil
  }

  private func nextJob() -> UnownedJob? {
    state.withLock { state in
      guard state.nextJob < state.jobs.count else {
        state.jobs.removeAll(keepingCapacity: true)
        state.nextJob = 0
        return nil
      }
      defer { state.nextJob += 1 }
      return state.jobs[state.nextJob]
    }
  }
}
