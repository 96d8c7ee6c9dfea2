import Feed
import Synchronization

/// One thread on which everything runs, and a clock that jumps to the next thing to happen.
///
/// Jobs run in the order they came; when none is left, the earliest sleeper is woken. So a
/// history depends on nothing but its inputs.
final class VirtualTime: SerialExecutor, TaskExecutor, TimeSource {
  private struct State {
    var now: Timestamp
    var jobs: [UnownedJob] = []
    var sleepers: [Int: (deadline: Timestamp, wake: CheckedContinuation<Void, Never>)] = [:]
    var lastSleeper = 0
  }
  private let state: Mutex<State>

  init(now: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    state = Mutex(State(now: now))
  }

  var now: Timestamp { state.withLock(\.now) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Cancelling does not wake it early: what a woken sleeper does then must not matter.
  func sleep(until deadline: Timestamp) async {
    await withCheckedContinuation { wake in
      state.withLock { state in
        state.lastSleeper += 1
        state.sleepers[state.lastSleeper] = (deadline, wake)
      }
    }
  }

  /// Sleeps for a while.
  func sleep(_ duration: Duration) async {
    await sleep(until: now + duration)
  }

  /// Runs `body` and everything it causes, until it is done, and returns what it returned.
  @discardableResult
  func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
    let result = Mutex<Value?>(nil)
    Task(executorPreference: self) {
      let value = await body()
      result.withLock { $0 = value }
    }
    while result.withLock({ $0 == nil }), step() {}
    return result.withLock { $0 }
  }

  private func step() -> Bool {
    let job = state.withLock { state -> UnownedJob? in
      state.jobs.isEmpty ? nil : state.jobs.removeFirst()
    }
    if let job {
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      return true
    }
    let wake = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard
        let next = state.sleepers.min(by: {
          ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key)
        })
      else { return nil }
      state.sleepers[next.key] = nil
      state.now = max(state.now, next.value.deadline)
      return next.value.wake
    }
    wake?.resume()
    return wake != nil
  }
}

/// A small generator with a seed: the same numbers on every machine (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// True with a chance of `percent` in a hundred.
  mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
