import Feed
import Synchronization

/// What happened, line by line, kept only when somebody wants to read it; and a sum of it by which
/// two runs of one seed are compared.
package final class Trace: Sendable {
  /// The most lines kept; the first ones go.
  static let linesMax = 100_000

  private struct State {
    var lines: [String] = []
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
  }
  private let state = Mutex(State())
  private let time: VirtualTime
  private let isKept: Bool

  /// An empty trace.
  package init(time: VirtualTime, isKept: Bool) {
    self.time = time
    self.isKept = isKept
  }

  /// The lines so far.
  package var lines: [String] { state.withLock(\.lines) }
  /// A sum over everything noted (FNV-1a); 0 where nothing is kept.
  package var sum: UInt64 { isKept ? state.withLock(\.sum) : 0 }

  func note(_ line: () -> String) {
    guard isKept else { return }
    let text = "\(time.now.milliseconds - 1_800_000_000_000) \(line())"
    state.withLock { state in
      for byte in text.utf8 { state.sum = (state.sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      if state.lines.count == Trace.linesMax { state.lines.removeFirst(Trace.linesMax / 2) }
      state.lines.append(text)
    }
  }
}
