import Synchronization

/// Which of the files that follow one another at the store's path is the present one, for all
/// connections to it.
final class FileEpoch: Sendable {
  private struct State {
    var name = ""
    var damaged: String?
  }
  private let state = Mutex(State())
  private let count = Atomic(0)

  /// Counts the files begun; a connection opened under another count is to an earlier file.
  var number: Int { count.load(ordering: .acquiring) }

  /// The present file's epoch.
  var name: String { state.withLock { $0.name } }

  /// Whether the present file was found to be damaged.
  var isDamaged: Bool { state.withLock { $0.damaged == $0.name } }

  /// From now on the file of this epoch, which is in its place, is the present one. A reader of
  /// its name finds that it was counted.
  func begin(_ name: String) {
    count.add(1, ordering: .releasing)
    state.withLock { $0.name = name }
  }

  /// Takes back that damage was met in the present file.
  func forgetDamage() {
    state.withLock { $0.damaged = nil }
  }

  /// Notes that damage was met in the file of an epoch. Returns whether that is the present one.
  func noteDamage(in name: String) -> Bool {
    state.withLock { state in
      guard state.name == name else { return false }
      state.damaged = name
      return true
    }
  }
}
