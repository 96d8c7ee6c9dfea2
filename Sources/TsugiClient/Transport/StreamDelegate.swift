#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// Reads a body in parts where the session has no call for it.
  ///
  /// One for each stream, in a session of its own that ends with it.
  final class StreamDelegate: NSObject, URLSessionDataDelegate {
    private typealias Head = (status: Int, headers: [String: String])

    private let head: AsyncThrowingStream<Head, any Error>.Continuation
    private let parts: AsyncThrowingStream<Data, any Error>.Continuation

    private init(
      head: AsyncThrowingStream<Head, any Error>.Continuation,
      parts: AsyncThrowingStream<Data, any Error>.Continuation
    ) {
      self.head = head
      self.parts = parts
    }

    /// Opens a stream; it ends with the last reference to its body.
    ///
    /// - Throws: `TransportFailure`.
    static func stream(
      _ request: URLRequest, configuration: URLSessionConfiguration
    ) async throws -> TransportStream {
      let (heads, head) = AsyncThrowingStream<Head, any Error>.makeStream()
      let (body, parts) = URLSessionTransport.makeParts()
      let session = URLSession(
        configuration: configuration, delegate: StreamDelegate(head: head, parts: parts),
        delegateQueue: nil)
      let task = session.dataTask(with: request)
      parts.onTermination = { _ in
        // Not here and now: this may run under the lock of the task that read, see `ReplySession`.
        Task {
          task.cancel()
          session.finishTasksAndInvalidate()
        }
      }
      task.resume()
      for try await head in heads {
        return TransportStream(status: head.status, headers: head.headers, body: body)
      }
      task.cancel()
      throw TransportFailure(.cancelled, "cancelled")
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
      do {
        head.yield(try URLSessionTransport.head(of: response))
        completionHandler(.allow)
      } catch {
        head.finish(throwing: error)
        completionHandler(.cancel)
      }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(RedirectGuard.follows(request.url, from: response.url) ? request : nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      URLSessionTransport.hand(data, to: parts)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let failure = error.map(TransportFailure.init(session:))
      head.finish(throwing: failure)
      parts.finish(throwing: failure)
    }
  }
#endif
