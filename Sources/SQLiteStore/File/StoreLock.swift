import Feed
import Glibc

/// Holds a store for one owner: as long as it exists, no other can take the same one, in this
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

  /// Throws ``StoreError/foreign(path:)`` where the file at `path` has something in it, but not the
  /// beginning of a database (SQLite, "Database File Format" §1.3.1): somebody's notes, say. Where
  /// a store's lock lies beside it, it was one, and is damaged.
  static func refuseForeignFile(at path: String) throws(StoreError) {
    guard access("\(path)-lock", F_OK) != 0 else { return }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    // Opening it to write reports what cannot be read.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let magic = Array("SQLite format 3\0".utf8)
    let begin = [UInt8](unsafeUninitializedCapacity: magic.count) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
    guard begin.isEmpty || begin == magic else { throw .foreign(path: path) }
  }

  /// Whether a server holds the store at `path` now. The lock is had for an instant to see that.
  static func isTaken(_ path: String) -> Bool {
    let descriptor = open("\(path)-lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
    flock(descriptor, LOCK_UN)
    return false
  }

  /// Takes the lock of the store at `path`, or throws ``StoreError/locked(path:)`` immediately.
  init(path: String) throws(StoreError) {
    let opened = open("\(path)-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      guard errno != ENOENT else { throw .noFolder(path: path) }
      throw .failed(errno: errno, "opening \(path)-lock")
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(opened)
      guard code != EWOULDBLOCK else { throw .locked(path: path) }
      throw .failed(errno: code, "locking \(path)-lock")
    }
    descriptor = opened
  }

  deinit {
    // Closing alone does not free it while a process that is just being started still has a copy of
    // the descriptor (flock(2)). Nothing was written through it, so closing has nothing to report.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
