import Synchronization

/// Tasks that go on until they are ended together.
final class TaskBox: Sendable {
  private let tasks = Mutex<[Task<Void, Never>]>([])

  /// Keeps these, too.
  func set(_ more: [Task<Void, Never>]) {
    tasks.withLock { $0 += more }
  }

  /// Ends all, and waits for that.
  func end() async {
    let ended = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in ended { task.cancel() }
    for task in ended { await task.value }
  }
}
