import Dispatch
import Logging
import Proxy

/// The output of a log: all lines, in order.
final class LogOutput: Sendable {
  /// The most lines that wait to be written; beyond, they are counted only.
  static let pendingMax = 10_000

  private let queue: LogQueue<[UInt8]>
  private let format: LogFormat
  private let level: Logger.Level

  /// An output of what is of a `level` at least to `write`, which is given whole lines and may
  /// block.
  init(
    as format: LogFormat = .json, from level: Logger.Level = .info,
    on queue: DispatchQueue = DispatchQueue(label: "tsugi.log"),
    to write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    (self.format, self.level) = (format, level)
    self.queue = LogQueue(pendingMax: LogOutput.pendingMax, on: queue, size: \.count) {
      lines, dropped in
      for line in lines { write(line) }
      if dropped > 0 {
        Logger(label: "tsugi") { LogOutput.handler($0, format, level, write) }.warning(
          "the log is read more slowly than it is written; so many lines are not in it",
          metadata: ["lines": .stringConvertible(dropped)])
      }
    }
  }

  /// A handler that writes here by the machine's clock; never blocks.
  @Sendable func handler(label: String) -> any LogHandler {
    LogOutput.handler(label, format, level) { self.queue.append($0) }
  }

  /// Writes lines for people, as they are.
  func tell(_ lines: [String]) {
    for line in lines { queue.append(Array("\(line)\n".utf8)) }
  }

  /// Writes what waits before it returns, as far as that can be done in some milliseconds.
  func flush(milliseconds: Int) { queue.flush(milliseconds: milliseconds) }

  private static func handler(
    _ label: String, _ format: LogFormat, _ level: Logger.Level,
    _ write: @escaping @Sendable ([UInt8]) -> Void
  ) -> any LogHandler {
    let time = SystemTime()
    return LineLogHandler(
      label: label, format: format, level: level, now: { time.now }, write: write)
  }
}
