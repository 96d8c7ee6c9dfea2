import Glibc

/// Files read whole.
enum FileContents {
  /// How long is waited for what comes through a pipe.
  static let waitSeconds = 5

  /// The bytes of a file, or of what comes through a pipe within five seconds: nothing that is read
  /// while a server runs may wait for a writer that never comes.
  ///
  /// - Throws: `.unreadable` with the system's reason, also for more than `bytesMax` bytes.
  static func read(_ path: String, bytesMax: Int) throws(CommandError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .unreadable(path: path, reason: SystemError.text(errno)) }
    defer { close(file) }
    let deadline = ContinuousClock.now + .seconds(waitSeconds)
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let left = Int32(max(0, (deadline - .now) / .milliseconds(1)))
      var look = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      guard poll(&look, 1, left) != 0 else {
        throw .unreadable(path: path, reason: "nothing came within \(waitSeconds) seconds")
      }
      let count = Glibc.read(file, &chunk, chunk.count)
      guard count != 0 else { return contents }
      guard count > 0 else {
        if errno == EAGAIN || errno == EINTR { continue }
        throw .unreadable(path: path, reason: SystemError.text(errno))
      }
      contents += chunk[..<count]
      guard contents.count <= bytesMax else {
        throw .unreadable(path: path, reason: "more than \(bytesMax) bytes")
      }
    }
  }
}
