import Dispatch
import Glibc
import Synchronization

/// The wish that the process end: SIGTERM, as a supervisor sends it, or SIGINT from a keyboard.
///
/// The first one is for the command to hear and end in order; a second one ends the process at
/// once, with 1. They are taken over when a value is made, and from then on.
final class EndSignals: Sendable {
  private let first: AsyncStream<Int32>
  // Safe because the sources are only kept alive here: nothing is called on them after `resume`.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  init() {
    let (first, arrival) = AsyncStream.makeStream(of: Int32.self)
    let queue = DispatchQueue(label: "tsugi.signals")
    let count = Arrivals()
    self.first = first
    sources = [SIGTERM, SIGINT].map { number in
      // The default action would come before the source; an ignored signal still reaches it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        guard count.isFirst() else { _exit(1) }
        arrival.yield(number)
      }
      source.resume()
      return source
    }
  }

  /// Returns when the first one has arrived, with its name; called once.
  func wait() async -> String {
    for await number in first { return number == SIGINT ? "SIGINT" : "SIGTERM" }
    return "cancelled"
  }
}

/// Counts signals.
private final class Arrivals: Sendable {
  private let count = Atomic(0)

  /// Whether this is the first one counted.
  func isFirst() -> Bool { count.add(1, ordering: .relaxed).newValue == 1 }
}
