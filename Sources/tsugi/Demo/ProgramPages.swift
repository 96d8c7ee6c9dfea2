import Glibc

/// The pages of memory that are files: the program itself and the libraries it is linked with.
enum ProgramPages {
  /// The most bytes of the system's list of a process's memory.
  private static let listBytesMax = 4 << 20

  /// What says, with a number other than 0, that a page was changed.
  private static let changes = ["Private_Dirty:", "Shared_Dirty:", "Swap:"]

  /// Lets go of those that are as they are in their files.
  ///
  /// A start runs through much that serving does not need again: of 22 MB two thirds go, and what
  /// is needed comes back from the system's cache, 64 KB at a time (madvise(2), `MADV_DONTNEED`).
  static func release() {
    // Without the list they stay; nothing else hangs on it.
    guard let list = try? FileContents.read("/proc/self/smaps", bytesMax: listBytesMax) else {
      return
    }
    for range in unchanged(in: String(decoding: list, as: UTF8.self)) {
      madvise(
        UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// The ranges of addresses that hold a file's bytes, may not be written to, and were never
  /// changed for this process alone: what proc(5) calls private, clean and not swapped.
  static func unchanged(in list: String) -> [Range<UInt>] {
    var ranges: [Range<UInt>] = []
    var candidate: Range<UInt>?
    for line in list.utf8.split(separator: UInt8(ascii: "\n")) {
      let name = line.prefix { $0 != UInt8(ascii: " ") }
      if name.last != UInt8(ascii: ":") {
        if let candidate { ranges.append(candidate) }
        candidate = range(ofFile: Substring(line).split(separator: " "))
      } else if candidate != nil, changes.contains(where: { name.elementsEqual($0.utf8) }) {
        let size = line[name.endIndex...].first { $0 != UInt8(ascii: " ") }
        if size != UInt8(ascii: "0") { candidate = nil }
      }
    }
    if let candidate { ranges.append(candidate) }
    return ranges
  }

  /// `7f0c1a000000-7f0c1a0f0000 r-xp 00022000 08:01 1234 /usr/lib/libcurl.so.4`: the addresses, for
  /// a private mapping of a file (whose inode is not 0) that may not be written to.
  private static func range(ofFile words: [Substring]) -> Range<UInt>? {
    guard words.count >= 6, words[1] == "r-xp" || words[1] == "r--p", words[4] != "0" else {
      return nil
    }
    let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
    return bounds[0]..<bounds[1]
  }
}
