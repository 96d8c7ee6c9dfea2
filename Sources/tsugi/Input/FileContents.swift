import Glibc

/// Files read whole.
enum FileContents {
  /// The bytes of a file.
  ///
  /// - Throws: `.unreadable` with the system's reason, also for more than `bytesMax` bytes.
  static func read(_ path: String, bytesMax: Int) throws(CommandError) -> [UInt8] {
    guard let file = fopen(path, "rbe") else {
      throw .unreadable(path: path, reason: SystemError.text(errno))
    }
    defer { fclose(file) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard ferror(file) == 0 else {
        throw .unreadable(path: path, reason: SystemError.text(errno))
      }
      guard count > 0 else { return contents }
      contents += chunk[..<count]
      guard contents.count <= bytesMax else {
        throw .unreadable(path: path, reason: "more than \(bytesMax) bytes")
      }
    }
  }
}
