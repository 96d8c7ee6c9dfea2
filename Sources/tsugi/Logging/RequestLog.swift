import Dispatch
import HTTP
import Logging
import Proxy

/// Logs what was answered; a line is made off the loop that replied.
final class RequestLog: Sendable {
  /// The most requests that wait to be logged; beyond, they are counted only.
  static let pendingMax = 10_000

  private let queue: LogQueue<AnsweredRequest>

  /// A log that writes to `logger`.
  init(_ logger: Logger, on queue: DispatchQueue = DispatchQueue(label: "tsugi.access-log")) {
    self.queue = LogQueue(pendingMax: RequestLog.pendingMax, on: queue, size: \.logBytes) {
      requests, dropped in
      for request in requests { logger.info("request", metadata: request.metadata) }
      if dropped > 0 {
        logger.warning(
          "requests came faster than the log is read; so many are not in it",
          metadata: ["requests": .stringConvertible(dropped)])
      }
    }
  }

  /// The most bytes of a path that are logged; the rest is cut off.
  static let pathBytesMax = 1_024

  /// Notes a request that was answered; never blocks.
  func note(_ request: AnsweredRequest) {
    var request = request
    if request.path.utf8.count > RequestLog.pathBytesMax {
      request.path = String(
        decoding: request.path.utf8.prefix(RequestLog.pathBytesMax), as: UTF8.self)
    }
    queue.append(request)
  }

  /// Writes what waits before it returns, as far as that can be done in some milliseconds.
  func flush(milliseconds: Int) { queue.flush(milliseconds: milliseconds) }
}

extension AnsweredRequest {
  /// What it takes in memory while it waits, and what its line takes, about.
  fileprivate var logBytes: Int { 256 + path.utf8.count + requestID.utf8.count }

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
