import Dispatch
import HTTP
import Logging
import Proxy

/// Logs what was answered; a line is made beside the loop that answered.
final class RequestLog: Sendable {
  /// The most requests that wait to be logged; beyond, they are counted only.
  static let pendingMax = 10_000

  private let queue: LogQueue<AnsweredRequest>

  /// A log that writes to `logger`.
  init(_ logger: Logger, on queue: DispatchQueue = DispatchQueue(label: "tsugi.access-log")) {
    self.queue = LogQueue(pendingMax: RequestLog.pendingMax, on: queue) { requests, dropped in
      for request in requests { logger.info("request", metadata: request.metadata) }
      if dropped > 0 {
        logger.warning(
          "requests came faster than the log is read; so many are not in it",
          metadata: ["requests": .stringConvertible(dropped)])
      }
    }
  }

  /// Notes a request that was answered; never blocks.
  func note(_ request: AnsweredRequest) { queue.append(request) }

  /// Writes what waits before it returns, as far as that can be done in some milliseconds.
  func flush(milliseconds: Int) { queue.flush(milliseconds: milliseconds) }
}

extension AnsweredRequest {
  /// Its members as a log line has them.
  fileprivate var metadata: Logger.Metadata {
    let microseconds = Int(duration / .microseconds(1))
    return [
      "client": .string(client.description), "method": .string(method), "path": .string(path),
      "route": .string(route), "status": .stringConvertible(status),
      "bytes": .stringConvertible(bytes), "microseconds": .stringConvertible(microseconds),
      "requestId": .string(requestID),
    ]
  }
}
