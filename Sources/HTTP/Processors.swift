import CEpoll
import Glibc

/// The processors of the machine.
package enum Processors {
  /// How many this process may use, which is fewer than there are where it is held to some
  /// (`taskset`, a container's `--cpuset-cpus`); 1 or more.
  package static var count: Int {
    // Room for 4,096 processors; the system refuses a mask that has fewer bits than it has.
    var mask = [UInt64](repeating: 0, count: 64)
    let size = mask.count * MemoryLayout<UInt64>.size
    guard sched_getaffinity(0, size, &mask) >= 0 else {
      return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
    return max(1, mask.reduce(0) { $0 + $1.nonzeroBitCount })
  }
}
