import CEpoll
import Glibc

/// The number of processors that this process may use.
package enum Processors {
  /// The most loops a server is given by itself: more cost memory for what one already saturates.
  package static let countMax = 16

  /// How many this process may use, 1 to ``countMax``: fewer than there are where it is held to
  /// some (`taskset`, a container's `--cpuset-cpus`) or to a share of their time (`--cpus`),
  /// rounded up.
  package static var count: Int {
    let affine = affinityCount
    let share = ControlGroups.ofThisProcess?.processors.map { Int($0.rounded(.up)) } ?? affine
    return min(max(1, min(affine, share)), countMax)
  }

  private static var affinityCount: Int {
    // Room for 4,096 processors; the system refuses a mask that has fewer bits than it has.
    var mask = [UInt64](repeating: 0, count: 64)
    let size = mask.count * MemoryLayout<UInt64>.size
    guard sched_getaffinity(0, size, &mask) >= 0 else {
      return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
    return max(1, mask.reduce(0) { $0 + $1.nonzeroBitCount })
  }
}
