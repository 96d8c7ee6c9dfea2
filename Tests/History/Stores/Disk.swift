import Feed
import SQLiteStore
import Synchronization

/// What outlives a process: a store in memory, or one in a file that every process opens anew.
final class Disk: Sendable {
  private enum Medium {
    case memory(MemoryStore)
    case file(TemporaryDirectory)
  }
  private let medium: Medium
  private let opened = Mutex<TimelineDatabase?>(nil)

  init(isFile: Bool) throws {
    medium = isFile ? .file(try TemporaryDirectory("tsugi-history")) : .memory(MemoryStore())
  }

  deinit {
    opened.withLock { $0?.close() }
  }

  /// The store as the next process finds it; the process before it has it no longer.
  func open() throws -> any FeedStore {
    switch medium {
    case .memory(let store): return store
    case .file(let directory):
      return try opened.withLock { opened in
        opened?.close()
        let next = try TimelineDatabase(
          path: directory.path + "/tsugi.sqlite", durability: .processOnly)
        opened = next
        return next
      }
    }
  }
}
