import Dispatch
import Synchronization

/// What is to be written to a log, in order, on a queue of its own: whoever reads the log slowly,
/// or not at all, slows nobody.
final class LogQueue<Element: Sendable>: Sendable {
  private struct State {
    var pending: [Element] = []
    var dropped = 0
  }

  private let pendingMax: Int
  private let queue: DispatchQueue
  private let write: @Sendable (_ pending: [Element], _ dropped: Int) -> Void
  private let state = Mutex(State())

  /// A queue on which at most `pendingMax` wait; those beyond are counted only. `write` is given
  /// what waits, and how many were dropped behind that.
  init(
    pendingMax: Int, on queue: DispatchQueue,
    write: @escaping @Sendable (_ pending: [Element], _ dropped: Int) -> Void
  ) {
    self.pendingMax = pendingMax
    self.queue = queue
    self.write = write
  }

  /// Has one more written; never blocks.
  func append(_ element: Element) {
    let isFirst = state.withLock { state in
      guard state.pending.count < pendingMax else {
        state.dropped += 1
        return false
      }
      state.pending.append(element)
      return state.pending.count == 1
    }
    if isFirst { queue.async { self.writePending() } }
  }

  /// Has what waits written before it returns, as far as that can be done in some milliseconds: a
  /// log that nobody reads keeps no process.
  func flush(milliseconds: Int) {
    let work = DispatchWorkItem { self.writePending() }
    queue.async(execute: work)
    _ = work.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  private func writePending() {
    let taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    if !taken.pending.isEmpty { write(taken.pending, taken.dropped) }
  }
}
