import Dispatch
package import Feed
import HTTP

/// The machine's own clock, but for its falls: one for the whole process.
package struct SystemTime: TimeSource {
  /// The clock.
  package init() {}

  package var now: Timestamp { SteadyClock.system.now }

  package var lead: Duration { SteadyClock.system.lead }

  package func reach(_ instant: Timestamp) {
    SteadyClock.system.reach(instant)
  }

  package func sleep(until deadline: Timestamp) async {
    let rest = deadline - now
    guard rest > .zero else { return }
    // Being cancelled is a way to wake up early, which is what the port says.
    try? await Task.sleep(for: rest)
  }
}

/// Runs an actor, and its flights, on a serial queue of its own: what it does there may block, and
/// gives way to the event loops.
package final class QueueExecutor: SerialExecutor, TaskExecutor {
  private let queue: DispatchQueue

  /// An executor whose queue is named `label`.
  package init(label: String) {
    queue = DispatchQueue(label: label)
  }

  /// Runs a job on the queue, soon.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      LoopPriority.lowerThread()
      job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
    }
  }

  /// This executor as a serial one.
  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
