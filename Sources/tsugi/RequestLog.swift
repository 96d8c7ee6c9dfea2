import Dispatch
import HTTP
import Logging
import Proxy
import Synchronization

/// Logs what was answered, on a queue of its own: whoever reads the log slowly slows no loop.
final class RequestLog: Sendable {
  /// The most requests that wait to be written; beyond, they are counted only.
  static let pendingMax = 10_000

  private struct State {
    var pending: [AnsweredRequest] = []
    var dropped = 0
  }

  private let logger: Logger
  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// A log that writes to `logger`.
  init(_ logger: Logger, on queue: DispatchQueue = DispatchQueue(label: "tsugi.access-log")) {
    self.logger = logger
    self.queue = queue
  }

  /// Notes a request that was answered; never blocks.
  func note(_ request: AnsweredRequest) {
    let isFirst = state.withLock { state in
      guard state.pending.count < RequestLog.pendingMax else {
        state.dropped += 1
        return false
      }
      state.pending.append(request)
      return state.pending.count == 1
    }
    if isFirst { queue.async { self.write() } }
  }

  /// Writes what waits before it returns, as far as that can be done in some milliseconds: a log
  /// that nobody reads keeps no process.
  func flush(milliseconds: Int) {
    let work = DispatchWorkItem { self.write() }
    queue.async(execute: work)
    _ = work.wait(timeout: .now() + .milliseconds(milliseconds))
  }

  /// Writes what waits.
  private func write() {
    let taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    for request in taken.pending { logger.info("request", metadata: request.metadata) }
    if taken.dropped > 0 {
      logger.warning(
        "requests came faster than the log is read; so many are not in it",
        metadata: ["requests": .stringConvertible(taken.dropped)])
    }
  }
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
