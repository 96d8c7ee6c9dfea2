import Glibc

@testable import HTTP

/// The descriptors this process has open, as the kernel lists them.
enum OpenDescriptors {
  static func count() throws -> Int {
    guard let directory = opendir("/proc/self/fd") else {
      throw ServerError.systemCall(name: "opendir", errno: errno)
    }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
