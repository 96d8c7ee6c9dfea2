import Testing

@testable import HTTP

@Suite struct ControlGroupsTests {
  /// Files of `/sys/fs/cgroup`, and the least share of the group that `/proc/self/cgroup` names.
  static let machines: [(groups: String, files: [String: String], quota: Double?)] = [
    ("0::/\n", [:], nil),
    ("0::/\n", ["/cpu.max": "max 100000\n"], nil),
    ("0::/\n", ["/cpu.max": "50000 100000\n"], 0.5),
    ("0::/a/b\n", ["/cpu.max": "800000 100000", "/a/cpu.max": "250000 100000"], 2.5),
    ("0::/a/b\n", ["/a/b/cpu.max": "300000 100000", "/a/cpu.max": "max 100000"], 3),
    (
      "4:memory:/x\n3:cpu,cpuacct:/x\n",
      ["/cpu/x/cpu.cfs_quota_us": "150000\n", "/cpu/x/cpu.cfs_period_us": "100000\n"], 1.5
    ),
    (
      "3:cpu:/\n0::/\n",
      ["/cpu/cpu.cfs_quota_us": "-1\n", "/cpu/cpu.cfs_period_us": "100000\n"], nil
    ),
    ("0::/\n", ["/cpu.max": "garbage"], nil), ("0::/\n", ["/cpu.max": "0 0"], nil),
    ("nonsense", [:], nil), ("", [:], nil),
  ]

  @Test(arguments: machines.indices)
  func isTheLeastOfItsGroups(_ index: Int) {
    let machine = Self.machines[index]
    #expect(groups(machine.groups, machine.files).processors == machine.quota)
  }

  static let memories: [(groups: String, files: [String: String], bytes: Int?)] = [
    ("0::/\n", [:], nil), ("", [:], nil),
    ("0::/a\n", ["/a/memory.max": "max\n"], nil),
    ("0::/a\n", ["/a/memory.max": "268435456\n", "/memory.max": "max"], 268_435_456),
    ("0::/a/b\n", ["/a/b/memory.max": "300", "/a/memory.max": "200"], 200),
    ("9:memory:/x\n", ["/memory/x/memory.limit_in_bytes": "1000\n"], 1_000),
    ("9:memory:/x\n", ["/memory/x/memory.limit_in_bytes": "9223372036854771712\n"], nil),
    ("9:memory:/\n", ["/memory/memory.limit_in_bytes": "-1\n"], nil),
    ("0::/\n", ["/memory.max": "much"], nil), ("0::/\n", ["/memory.max": "0"], nil),
  ]

  @Test(arguments: memories.indices)
  func memoryIsTheLeastOfItsGroups(_ index: Int) {
    let machine = Self.memories[index]
    #expect(groups(machine.groups, machine.files).memoryBytes == machine.bytes)
  }

  private func groups(_ text: String, _ files: [String: String]) -> ControlGroups {
    ControlGroups(text: text) { path in
      path.hasPrefix("/sys/fs/cgroup")
        ? files[String(path.dropFirst("/sys/fs/cgroup".count))] : nil
    }
  }

  @Test func thereIsOneAtLeastAndNotMoreThanTheMost() {
    #expect((1...Processors.countMax).contains(Processors.count))
  }
}
