import Testing

@testable import HTTP

@Suite struct CPUQuotaTests {
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
    let quota = CPUQuota.least(groups: machine.groups) { path in
      path.hasPrefix("/sys/fs/cgroup")
        ? machine.files[String(path.dropFirst("/sys/fs/cgroup".count))] : nil
    }
    #expect(quota == machine.quota)
  }

  @Test func thereIsOneAtLeastAndNotMoreThanTheMost() {
    #expect((1...Processors.countMax).contains(Processors.count))
  }
}
