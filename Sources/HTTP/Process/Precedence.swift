import Glibc
import Synchronization

/// Who has the processor where threads of the process compete for one: the event loops.
///
/// What the rest of the process does, such as taking a page of 3 MB apart or compressing a large
/// answer, takes milliseconds; a loop that waits behind it holds up all its clients. Linux knows a
/// niceness of each thread. It can be raised by anybody and lowered by root only, so the loops have
/// the one they were started with and the others get a higher one, once the loops run: no loop's
/// thread may be made from theirs.
package enum Precedence {
  /// The niceness of threads beside the loops: they share a busy processor as 1 to 9.
  package static let nicenessBesideLoops: Int32 = 10

  private static let isLoops = Atomic(false)

  /// From now on, threads that give way are nicer than the loops, which have all been started.
  package static func grantToLoops() {
    isLoops.store(true, ordering: .relaxed)
  }

  /// How long a thread beside the loops lies down between two pieces of its work.
  package static let pauseMicroseconds: UInt32 = 50

  /// As ``giveWay()``, and lies down for a moment, if the loops have precedence. A thread that
  /// works on without that keeps its processor until the system's next tick, 4 ms at worst, however
  /// nice it is.
  package static func takePause() {
    guard isLoops.load(ordering: .relaxed) else { return }
    giveWay()
    usleep(pauseMicroseconds)
  }

  /// Lets the calling thread give way to the loops from now on, if they have precedence; for
  /// threads that no loop runs on. Costs a system call, a quarter of a microsecond.
  package static func giveWay() {
    guard isLoops.load(ordering: .relaxed) else { return }
    // 0 is the calling thread. A process that was started nicer than this stays as it is.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nicenessBesideLoops)
  }
}
