import Glibc

/// What the system says of this process, under the names that Prometheus' own clients give it. What
/// cannot be read is left out.
struct ProcessFigures {
  /// Processor time, of the user and the system together. Seconds.
  let cpuSeconds: Double
  /// Memory that is in use. Bytes.
  let residentBytes: Int?
  /// Open files and sockets.
  let openDescriptors: Int?
  /// How many may be open.
  let maxDescriptors: Int?

  /// Reads them now; some twenty microseconds, and one for each open descriptor.
  init() {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    cpuSeconds = ProcessFigures.seconds(usage.ru_utime) + ProcessFigures.seconds(usage.ru_stime)
    residentBytes = ProcessFigures.residentPages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    openDescriptors = ProcessFigures.descriptorCount
    var limit = rlimit()
    let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    maxDescriptors = hasLimit ? Int(clamping: limit.rlim_cur) : nil
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// The second number of `/proc/self/statm`.
  private static var residentPages: Int? {
    guard let file = fopen("/proc/self/statm", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let words = text.split(separator: " ")
    return words.count > 1 ? Int(words[1]) : nil
  }

  /// The entries of `/proc/self/fd`, without the one that reading it takes.
  private static var descriptorCount: Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return max(0, count - 1)
  }
}
