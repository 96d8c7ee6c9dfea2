import Dispatch
import Synchronization

/// What is to be written to a log, in order, on a queue of its own: a slow reader of the log,
/// or none at all, slows no request.
final class LogQueue<Element: Sendable>: Sendable {
  private struct State {
    var pending: [Element] = []
    var dropped = 0
    /// Of those that wait, and those being written.
    var bytes = 0
  }

  /// The most bytes that wait or are being written, together.
  static var bytesMax: Int { 4 << 20 }

  private let pendingMax: Int
  private let size: @Sendable (Element) -> Int
  private let queue: DispatchQueue
  private let write: @Sendable (_ pending: [Element], _ dropped: Int) -> Void
  private let state = Mutex(State())

  /// A queue on which at most `pendingMax` wait, and at most ``bytesMax`` by their `size`; those
  /// beyond are counted only. `write` is given what waits, and how many were dropped behind that.
  init(
    pendingMax: Int, on queue: DispatchQueue, size: @escaping @Sendable (Element) -> Int,
    write: @escaping @Sendable (_ pending: [Element], _ dropped: Int) -> Void
  ) {
    self.pendingMax = pendingMax
    self.queue = queue
    self.size = size
    self.write = write
  }

  /// Has one more written; never blocks.
  func append(_ element: Element) {
    let size = size(element)
    let isFirst = state.withLock { state in
      guard state.pending.count < pendingMax, state.bytes + size <= Self.bytesMax else {
        state.dropped += 1
        return false
      }
      state.bytes += size
      state.pending.append(element)
      return state.pending.count == 1
    }
    if isFirst { queue.async { self.writePending() } }
  }

  /// Has what waits written before it returns, as far as that can be done in some milliseconds: a
  /// log without a reader does not keep the process.
  func flush(milliseconds: Int) {
    let work = DispatchWorkItem { self.writePending() }
    queue.async(execute: work)
    _ = work.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  private func writePending() {
    let taken = state.withLock { state in
      defer { state = State(bytes: state.bytes) }
      return state
    }
    guard !taken.pending.isEmpty else { return }
    write(taken.pending, taken.dropped)
    let written = taken.pending.reduce(0) { $0 + size($1) }
    state.withLock { $0.bytes -= written }
  }
}
