import CEpoll
import Glibc

/// The processors of the machine, as far as this process may use them.
package enum Processors {
  /// The most loops a server is given by itself: more cost memory for what one already saturates.
  package static let countMax = 16

  /// How many this process may use, 1 to ``countMax``: fewer than there are where it is held to
  /// some (`taskset`, a container's `--cpuset-cpus`) or to a share of their time (`--cpus`),
  /// rounded up.
  package static var count: Int {
    let affine = affinityCount
    let share = CPUQuota.ofThisProcess.map { Int($0.rounded(.up)) } ?? affine
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

/// The share of processor time that control groups leave a process (cgroups(7)): the least of its
/// own group and of those around it.
enum CPUQuota {
  /// Processors' worth of time, such as 0.5; nil where nothing limits it.
  static var ofThisProcess: Double? {
    guard let groups = contents(of: "/proc/self/cgroup") else { return nil }
    return least(groups: groups) { contents(of: $0) }
  }

  /// The least quota of all groups named in `/proc/self/cgroup`, whose files `read` brings: of
  /// version 2 (`0::/path`, `cpu.max`) and of version 1 (`4:cpu,cpuacct:/path`, two files).
  static func least(groups: String, read: (String) -> String?) -> Double? {
    var quotas: [Double] = []
    for line in groups.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      if fields[0] == "0", controllers.isEmpty {
        for path in ancestors(of: fields[2]) {
          let text = read("/sys/fs/cgroup\(path)/cpu.max")
          if let quota = text.flatMap(quota(ofVersion2:)) { quotas.append(quota) }
        }
      } else if controllers.contains("cpu") {
        for path in ancestors(of: fields[2]) {
          let folder = "/sys/fs/cgroup/cpu\(path)"
          let quota = quota(
            microseconds: read("\(folder)/cpu.cfs_quota_us"),
            of: read("\(folder)/cpu.cfs_period_us"))
          if let quota { quotas.append(quota) }
        }
      }
    }
    return quotas.min()
  }

  /// What `cpu.max` says: `50000 100000` is 0.5, `max 100000` is nil.
  static func quota(ofVersion2 text: String) -> Double? {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { return nil }
    return quota(microseconds: String(words[0]), of: String(words[1]))
  }

  private static func quota(microseconds text: String?, of period: String?) -> Double? {
    func number(_ text: String?) -> Double? {
      text?.split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
    }
    guard let time = number(text), let period = number(period), time > 0, period > 0 else {
      return nil
    }
    return time / period
  }

  /// `/a/b` is `/a/b`, `/a` and the root, which is the empty path.
  private static func ancestors(of path: Substring) -> [String] {
    let parts = path.split(separator: "/")
    return (0...parts.count).reversed().map { count in
      parts.prefix(count).map { "/\($0)" }.joined()
    }
  }

  /// A small file of the system's; nil where it cannot be read.
  private static func contents(of path: String) -> String? {
    let opened = open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    let descriptor = Descriptor(Int(opened))
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = read(descriptor.number, &bytes, bytes.count)
    return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
