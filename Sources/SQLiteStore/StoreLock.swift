import Feed
import Glibc

/// Holds a store for one owner: as long as it lives, no other can take the same one, in this
/// process or another. The system frees it when the process ends in whatever way.
///
/// The lock is on a file of its own, `<path>-lock`, which stays behind; `path` is the one that
/// symbolic links lead to. ``FileLock`` holds the database file itself.
struct StoreLock: ~Copyable {
  private let descriptor: Int32

  /// Where a store at `path` really is: where a symbolic link of that name leads. Its companions
  /// stand there, so links to its directory make no difference.
  static func realPath(_ path: String) -> String {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let real = realpath(path, nil)
    else { return path }
    defer { free(real) }
    return String(cString: real)
  }

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
