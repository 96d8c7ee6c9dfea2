import Feed
import Synchronization

/// What happened, line by line, kept only when it is asked for; and a sum of it by which two runs
/// of one seed are compared.
package final class Trace: Sendable {
  /// How much of what happens is kept.
  package enum Extent: Sendable {
    /// No line.
    case nothing
    /// Each upstream call, and each slice or error that a client gets: what is seen from outside.
    case exchanges
    /// That, and all that explains it.
    case everything
  }
  /// The most lines kept; the first ones go.
  static let linesMax = 100_000

  private struct State {
    var lines: [String] = []
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
  }
  private let state = Mutex(State())
  private let time: VirtualTime
  private let extent: Extent

  /// An empty trace.
  package init(time: VirtualTime, _ extent: Extent) {
    self.time = time
    self.extent = extent
  }

  /// The lines so far.
  package var lines: [String] { state.withLock(\.lines) }
  /// A sum over everything noted (FNV-1a); 0 where nothing is kept.
  package var sum: UInt64 { extent == .nothing ? 0 : state.withLock(\.sum) }

  /// Keeps a line that explains what happens.
  func note(_ line: () -> String) {
    if extent == .everything { keep(line()) }
  }

  /// Keeps a line about an exchange with the upstream or with a client.
  func noteExchange(_ line: () -> String) {
    if extent != .nothing { keep(line()) }
  }

  private func keep(_ line: String) {
    let text = "\(time.now.milliseconds - 1_800_000_000_000) \(line)"
    state.withLock { state in
      for byte in text.utf8 { state.sum = (state.sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      if state.lines.count == Trace.linesMax { state.lines.removeFirst(Trace.linesMax / 2) }
      state.lines.append(text)
    }
  }
}
