internal import Feed
private import Glibc

/// A regular file read whole, with what shows whether it has changed since.
enum RegularFile {
  /// What changes when a file does: another file under its name, another size, another time.
  struct Stamp: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modifiedNanoseconds: Int64
    var changedNanoseconds: Int64

    /// Whether the file may change once more without changing this: the system's clock for files
    /// moves in steps. `now` is that clock, in milliseconds since 1970.
    func isRecent(at now: Timestamp) -> Bool {
      abs(now.milliseconds - changedNanoseconds / 1_000_000) < 2_000
    }
  }

  /// Times a file is read again when it changed meanwhile.
  private static let triesMax = 3

  /// The stamp of the file at a path now.
  ///
  /// - Throws: `.unreachable` with the system's reason.
  static func stamp(of path: String) throws(FetchError) -> Stamp {
    var status = stat()
    guard stat(path, &status) == 0 else { throw unreachable() }
    return try Stamp(status)
  }

  /// The bytes of the file at a path, and the stamp they were read under.
  ///
  /// - Throws: `.unreachable` with the system's reason, `.tooLarge`.
  static func read(
    _ path: String, bytesMax: Int
  ) throws(FetchError) -> (bytes: [UInt8], stamp: Stamp) {
    for _ in 0..<triesMax {
      // A pipe of that name must not make us wait for its writer.
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard descriptor >= 0 else { throw unreachable() }
      defer { close(descriptor) }
      let before = try stamp(of: descriptor)
      guard before.size <= Int64(bytesMax) else { throw .tooLarge(limitBytes: bytesMax) }
      let bytes = try read(descriptor, count: Int(before.size))
      if bytes.count == Int(before.size), try stamp(of: descriptor) == before {
        return (bytes, before)
      }
    }
    throw .unreachable(reason: "it was written to while it was read")
  }

  private static func stamp(of descriptor: Int32) throws(FetchError) -> Stamp {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreachable() }
    return try Stamp(status)
  }

  /// Up to `count` bytes, less where the file ends.
  private static func read(_ descriptor: Int32, count: Int) throws(FetchError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw unreachable() }
      if got == 0 { break }
      filled += got
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  private static func unreachable() -> FetchError {
    .unreachable(reason: String(cString: strerror(errno)))
  }
}

extension RegularFile.Stamp {
  fileprivate init(_ status: stat) throws(FetchError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unreachable(reason: "no regular file") }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modifiedNanoseconds = Self.nanoseconds(status.st_mtim)
    changedNanoseconds = Self.nanoseconds(status.st_ctim)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
