import Dispatch
import Glibc
import Synchronization

/// Shutdown and reload signals: that it end, by SIGTERM, as a supervisor sends it, or SIGINT from
/// a keyboard; and, where it can, that it read its configuration again, by SIGHUP.
///
/// The first wish to end is for the command to hear and end in order; a second one ends the process
/// immediately, with 1. They are taken over when a value is made, and from then on.
final class ProcessSignals: Sendable {
  /// One for each wish to read the configuration again; those that come while one waits are one.
  let reloads: AsyncStream<Void>
  private let first: AsyncStream<Int32>
  // Safe because the source is only kept alive here: nothing is called on it after `resume`.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Takes the signals over; without `handlesSIGHUP` SIGHUP does what it always does, it ends.
  init(handlesSIGHUP: Bool = false) {
    let (first, arrival) = AsyncStream.makeStream(of: Int32.self)
    let (reloads, reload) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let count = Arrivals()
    self.first = first
    self.reloads = reloads
    let output = SignalPipe.take([SIGTERM, SIGINT] + (handlesSIGHUP ? [SIGHUP] : []))
    source = DispatchSource.makeReadSource(
      fileDescriptor: output, queue: DispatchQueue(label: "tsugi.signals"))
    source.setEventHandler {
      var byte: UInt8 = 0
      guard read(output, &byte, 1) == 1 else { return }
      let number = Int32(byte)
      guard number != SIGHUP else {
        reload.yield()
        return
      }
      guard count.isFirst() else { _exit(1) }
      arrival.yield(number)
    }
    source.resume()
  }

  /// Returns when the first wish to end has arrived, with its name; called once.
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

/// Signals as bytes in a pipe. A handler runs on whatever thread the kernel picks, whereas a signal
/// that is ignored, for a dispatch source to see, is lost where that thread does not block it.
private enum SignalPipe {
  // Safe because it is written once, before any handler is set, and only read afterwards.
  private nonisolated(unsafe) static var input: Int32 = -1

  /// Catches these signals from now on; returns the end of the pipe from which their numbers can
  /// be read, one byte each.
  static func take(_ numbers: [Int32]) -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    input = ends[1]
    for number in numbers {
      signal(number) { number in
        // Nothing else may be called in a handler, which interrupts anything.
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.input, &byte, 1)
        errno = before
      }
    }
    return ends[0]
  }
}
