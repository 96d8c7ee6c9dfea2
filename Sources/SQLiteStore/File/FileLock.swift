import Feed
import Glibc
import Synchronization

/// Holds database files for one owner by what they are, not by what they are called: a process that
/// comes to one by a hard link, or after `<path>-lock` was removed, finds it taken.
///
/// `flock` is apart from the locks that SQLite takes with `fcntl`. But closing any descriptor of a
/// file drops all of the latter that this process has on it (POSIX, `fcntl`), so a descriptor stays
/// open for as long as anybody here may read the file: until the last who refers to this has gone.
final class FileLock: Sendable {
  private struct Held {
    var device: dev_t
    var inode: ino_t
    var descriptor: Int32
  }
  private let held = Mutex<[Held]>([])

  /// Nothing is held yet.
  init() {}

  deinit {
    held.withLock { held in
      // Nothing was written through them, so closing has nothing to report.
      for file in held { close(file.descriptor) }
    }
  }

  /// Takes the regular file at `path`, made where there is none, readable by its owner only. Throws
  /// ``StoreError/locked(path:)`` immediately where another has it.
  func take(_ path: String) throws(StoreError) {
    var status = stat()
    let exists = stat(path, &status) == 0
    // Anything else is no database; SQLite says so.
    guard !exists || status.st_mode & S_IFMT == S_IFREG else { return }
    let isHeld = held.withLock { held in
      exists && held.contains { $0.device == status.st_dev && $0.inode == status.st_ino }
    }
    guard !isHeld else { return }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .failed(errno: errno, "opening \(path)") }
    guard fstat(descriptor, &status) == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code != EWOULDBLOCK else { throw .locked(path: path) }
      throw .failed(errno: code, "locking \(path)")
    }
    // A file of an earlier version, or one that was copied here: it may hold private items.
    if status.st_mode & 0o007 != 0 { fchmod(descriptor, status.st_mode & 0o770) }
    let file = Held(device: status.st_dev, inode: status.st_ino, descriptor: descriptor)
    held.withLock { $0.append(file) }
  }

  /// Lets others take the files; who reads them still may.
  func release() {
    held.withLock { held in
      for file in held { flock(file.descriptor, LOCK_UN) }
    }
  }
}
