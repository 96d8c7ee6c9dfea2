import Foundation
import Synchronization
import TsugiClient

/// The network of an app, whose long replies can be cut anywhere.
final class RelayTransport: HTTPTransport {
  private struct State {
    var requests: [TransportRequest] = []
    var parts = 0
    var open: [Int: AsyncThrowingStream<Data, any Error>.Continuation] = [:]
  }

  private let network = URLSessionTransport()
  private let bytesMax: Int
  private let state = Mutex(State())

  /// A network that cuts each long reply after so many bytes.
  init(bytesMax: Int = .max) {
    self.bytesMax = bytesMax
  }

  /// What long replies were asked for.
  var streamRequests: [TransportRequest] { state.withLock { $0.requests } }

  /// Waits until so many parts of long replies have come.
  func parts(_ count: Int) async throws {
    while state.withLock({ $0.parts }) < count { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Cuts what is open.
  func cut() {
    let open = state.withLock { state in
      defer { state.open = [:] }
      return state.open
    }
    for parts in open.values { parts.finish(throwing: TransportFailure(.interrupted, "cut")) }
  }

  func send(_ request: TransportRequest) async throws -> TransportReply {
    try await network.send(request)
  }

  func stream(_ request: TransportRequest) async throws -> TransportStream {
    let number = state.withLock { state in
      state.requests.append(request)
      return state.requests.count
    }
    let stream = try await network.stream(request)
    let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
    state.withLock { $0.open[number] = parts }
    let relaying = Task {
      var left = bytesMax
      do {
        for try await part in stream.body {
          parts.yield(part.prefix(left))
          state.withLock { $0.parts += 1 }
          left -= part.count
          if left <= 0 { throw TransportFailure(.interrupted, "cut") }
        }
        parts.finish()
      } catch {
        parts.finish(throwing: error)
      }
      _ = state.withLock { $0.open.removeValue(forKey: number) }
    }
    parts.onTermination = { _ in relaying.cancel() }
    return TransportStream(status: stream.status, headers: stream.headers, body: body)
  }
}
