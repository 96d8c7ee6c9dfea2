import Feed
import Glibc

/// Holds a store for one owner: as long as it lives, no other can take the same one, in this
/// process or another. The system frees it when the process ends in whatever way.
///
/// The lock is on a file of its own, `<path>-lock`, which stays behind: closing a descriptor of
/// the database file itself would drop the locks that SQLite holds on it.
struct StoreLock: ~Copyable {
  private let descriptor: Int32

  /// Takes the lock of the store at `path`, or throws ``StoreError/locked(path:)`` at once.
  init(path: String) throws(StoreError) {
    let opened = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .failed(errno: errno, "opening \(path)-lock") }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      guard code != EWOULDBLOCK else { throw .locked(path: path) }
      throw .failed(errno: code, "locking \(path)-lock")
    }
    descriptor = opened
  }

  deinit {
    // Nothing was written through it, so closing has nothing to report.
    close(descriptor)
  }
}
