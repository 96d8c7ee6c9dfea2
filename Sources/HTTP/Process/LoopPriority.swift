import Glibc
import Synchronization

/// The priority of event loops over background threads, where they compete for a processor.
///
/// What the rest of the process does, such as taking a page of 3 MB apart or compressing a large
/// answer, takes milliseconds; a loop that waits behind it holds up all its clients. Linux knows a
/// niceness of each thread. It can be raised by anybody and lowered by root only, so the loops have
/// the one they were started with and the others get a higher one, once the loops run: no loop's
/// thread may be made from theirs.
package enum LoopPriority {
  /// The niceness of background threads: on a busy processor they get one share, loops nine.
  package static let nicenessBesideLoops: Int32 = 10

  private static let isLoops = Atomic(false)

  /// From now on, threads that give way are nicer than the loops, which have all been started.
  package static func enable() {
    isLoops.store(true, ordering: .relaxed)
  }

  /// How long a background thread sleeps between two chunks of work.
  package static let pauseMicroseconds: UInt32 = 50

  /// As ``lowerThread()``, and lies down for a moment, if the loops have precedence. A thread that
  /// works on without that keeps its processor until the system's next tick, 4 ms at worst, however
  /// nice it is.
  package static func yield() {
    guard isLoops.load(ordering: .relaxed) else { return }
    lowerThread()
    usleep(pauseMicroseconds)
  }

  /// Lets the calling thread give way to the loops from now on, if they have precedence; for
  /// threads that no loop runs on. Costs a system call, a quarter of a microsecond.
  package static func lowerThread() {
    guard isLoops.load(ordering: .relaxed) else { return }
    // 0 is the calling thread. A process that was started nicer than this stays as it is.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nicenessBesideLoops)
  }
}
