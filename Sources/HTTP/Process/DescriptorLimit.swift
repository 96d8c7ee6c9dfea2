import Glibc

/// How many files and sockets the process may have open.
package enum DescriptorLimit {
  /// Raises the process's own limit to `wanted`, or as far as the system lets it; never lowers it.
  /// Returns the limit that now holds.
  package static func raise(to wanted: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    let raised = min(limit.rlim_max, rlim_t(wanted))
    guard raised > limit.rlim_cur else { return Int(clamping: limit.rlim_cur) }
    let before = limit.rlim_cur
    limit.rlim_cur = raised
    let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    return Int(clamping: isRaised ? raised : before)
  }
}
