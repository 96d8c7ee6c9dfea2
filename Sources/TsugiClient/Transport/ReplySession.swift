#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import Synchronization

  /// Asks for whole replies, whose bodies are collected up to a limit.
  ///
  /// A session with a completion handler reads a body of any size, and its own `data(for:)` stands
  /// still for ever when a task is cancelled as its reply lands: it waits for the session's queue
  /// under the lock of the task, and the queue waits for that lock to hand the reply over. Here
  /// nothing is waited for under the lock.
  final class ReplySession: Sendable {
    private let session: URLSession
    private let collector: ReplyCollector

    /// A session of its own, which ends with it.
    init(configuration: URLSessionConfiguration, bodyBytesMax: Int) {
      collector = ReplyCollector(bodyBytesMax: bodyBytesMax)
      session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
    }

    deinit {
      session.finishTasksAndInvalidate()
    }

    /// The whole reply to a request.
    func reply(to request: URLRequest) async throws -> (Data, URLResponse) {
      let (replies, landing) = AsyncThrowingStream<(Data, URLResponse), any Error>.makeStream()
      let task = session.dataTask(with: request)
      collector.begin(task, landing)
      task.resume()
      for try await reply in replies { return reply }
      // The caller was cancelled.
      task.cancel()
      throw CancellationError()
    }
  }

  /// Collects the bodies of replies in progress. One that passes the limit is dropped, and its
  /// request cancelled.
  private final class ReplyCollector: NSObject, URLSessionDataDelegate {
    typealias Landing = AsyncThrowingStream<(Data, URLResponse), any Error>.Continuation

    private let bodyBytesMax: Int
    private let replies = Mutex<[Int: (body: Data, landing: Landing)]>([:])

    init(bodyBytesMax: Int) {
      self.bodyBytesMax = bodyBytesMax
    }

    func begin(_ task: URLSessionTask, _ landing: Landing) {
      replies.withLock { $0[task.taskIdentifier] = (Data(), landing) }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(RedirectGuard.follows(request.url, from: response.url) ? request : nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let fits = replies.withLock { replies in
        guard let count = replies[dataTask.taskIdentifier]?.body.count else { return true }
        guard data.count <= bodyBytesMax - count else { return false }
        replies[dataTask.taskIdentifier]?.body += data
        return true
      }
      guard !fits else { return }
      end(dataTask)?.landing.finish(throwing: TransportFailure(bodyBytesMax: bodyBytesMax))
      dataTask.cancel()
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      guard let reply = end(task) else { return }
      if let response = task.response, error == nil {
        reply.landing.yield((reply.body, response))
      }
      reply.landing.finish(throwing: error)
    }

    private func end(_ task: URLSessionTask) -> (body: Data, landing: Landing)? {
      replies.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
  }
#endif
