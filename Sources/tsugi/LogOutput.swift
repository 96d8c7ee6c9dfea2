import Dispatch
import Logging
import Proxy

/// Where all lines of a log go, one after another.
final class LogOutput: Sendable {
  /// The most lines that wait to be written; beyond, they are counted only.
  static let pendingMax = 10_000

  private let queue: LogQueue<[UInt8]>

  /// An output to `write`, which is given whole lines and may block.
  init(
    on queue: DispatchQueue = DispatchQueue(label: "tsugi.log"),
    to write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.queue = LogQueue(pendingMax: LogOutput.pendingMax, on: queue, size: \.count) {
      lines, dropped in
      for line in lines { write(line) }
      if dropped > 0 {
        Logger(label: "tsugi") { LogOutput.handler(label: $0, write) }.warning(
          "the log is read more slowly than it is written; so many lines are not in it",
          metadata: ["lines": .stringConvertible(dropped)])
      }
    }
  }

  /// A handler that writes here by the machine's clock; never blocks.
  @Sendable func handler(label: String) -> any LogHandler {
    LogOutput.handler(label: label) { self.queue.append($0) }
  }

  /// Writes what waits before it returns, as far as that can be done in some milliseconds.
  func flush(milliseconds: Int) { queue.flush(milliseconds: milliseconds) }

  private static func handler(
    label: String, _ write: @escaping @Sendable ([UInt8]) -> Void
  ) -> any LogHandler {
    let time = SystemTime()
    return JSONLogHandler(label: label, now: { time.now }, write: write)
  }
}
