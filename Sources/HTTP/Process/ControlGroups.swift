import Glibc

/// What control groups (cgroups(7)) leave a process: the least of its own group and of those around
/// it, in version 1 and 2.
struct ControlGroups {
  /// What `/proc/self/cgroup` says.
  var text: String
  /// Brings a small file of `/sys/fs/cgroup`; nil where it cannot be read.
  var read: (String) -> String?

  /// Those of this process; nil where the system has none.
  static var ofThisProcess: ControlGroups? {
    contents(of: "/proc/self/cgroup").map { ControlGroups(text: $0, read: contents) }
  }

  /// The folders of this process's groups for a controller, each with whether it is of version 2:
  /// `0::/path` names one of that, `4:cpu,cpuacct:/path` one of version 1.
  func folders(of controller: String) -> [(path: String, isVersion2: Bool)] {
    text.split(separator: "\n").flatMap { line -> [(String, Bool)] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let controllers = fields[1].split(separator: ",")
      let ancestors = ControlGroups.ancestors(of: fields[2])
      if fields[0] == "0", controllers.isEmpty {
        return ancestors.map { ("/sys/fs/cgroup\($0)", true) }
      }
      guard controllers.contains(where: { $0 == controller }) else { return [] }
      return ancestors.map { ("/sys/fs/cgroup/\(controller)\($0)", false) }
    }
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
    let count = Glibc.read(descriptor.number, &bytes, bytes.count)
    return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

extension ControlGroups {
  /// Processors' worth of time, such as 0.5; nil where nothing limits it.
  var processors: Double? {
    folders(of: "cpu").compactMap { path, isVersion2 in
      guard isVersion2 else {
        return ControlGroups.quota(
          read("\(path)/cpu.cfs_quota_us"), of: read("\(path)/cpu.cfs_period_us"))
      }
      // `50000 100000` is 0.5, `max 100000` none.
      let words = read("\(path)/cpu.max")?.split(whereSeparator: \.isWhitespace) ?? []
      return words.count == 2 ? ControlGroups.quota(String(words[0]), of: String(words[1])) : nil
    }.min()
  }

  private static func quota(_ microseconds: String?, of period: String?) -> Double? {
    guard let time = first(of: microseconds).flatMap(Double.init),
      let period = first(of: period).flatMap(Double.init), time > 0, period > 0
    else { return nil }
    return time / period
  }

  /// Bytes of memory; nil where nothing limits it. Version 1 says that by a number near 2⁶³.
  var memoryBytes: Int? {
    folders(of: "memory").compactMap { path, isVersion2 in
      let text = read("\(path)/\(isVersion2 ? "memory.max" : "memory.limit_in_bytes")")
      let bytes = ControlGroups.first(of: text).flatMap { Int($0) }
      return bytes.flatMap { (1..<(1 << 60)).contains($0) ? $0 : nil }
    }.min()
  }

  private static func first(of text: String?) -> Substring? {
    text?.split(whereSeparator: \.isWhitespace).first
  }
}
