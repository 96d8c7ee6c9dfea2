/// The tasks of a list, by number; they end with it.
@MainActor final class RunningTasks {
  private var tasks: [Int: Task<Void, Never>] = [:]

  /// Runs a task until it is done or cancelled.
  func run(_ number: Int, _ body: @escaping @MainActor () async -> Void) {
    tasks[number] = Task { [weak self] in
      await body()
      self?.tasks[number] = nil
    }
  }

  /// Cancels a task; nothing happens when it is done.
  func cancel(_ number: Int) {
    tasks.removeValue(forKey: number)?.cancel()
  }

  deinit {
    for task in tasks.values { task.cancel() }
  }
}
