import Dispatch
import Feed
import HTTP
import Logging
import Proxy
import Synchronization
import Testing

@testable import tsugi

struct RequestLogTests {
  private final class Written: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: [UInt8]) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    var all: [String] { lines.withLock { $0 } }
  }

  private func request(_ path: String) throws -> AnsweredRequest {
    AnsweredRequest(
      client: try #require(Peer("192.0.2.1")), method: "GET", path: path, route: "slice",
      status: 200, bytes: 512, duration: .microseconds(1_234), requestID: "r")
  }

  /// A log whose queue has yet to be activated.
  private func log(to written: Written) -> (RequestLog, DispatchQueue) {
    let queue = DispatchQueue(label: "test.log", attributes: .initiallyInactive)
    let logger = Logger(label: "test") { label in
      LineLogHandler(
        label: label, now: { Timestamp(milliseconds: 1_795_219_200_007) }, write: written.append)
    }
    return (RequestLog(logger, on: queue), queue)
  }

  /// Notes requests while nothing is written, and gives what is written then.
  private func lines(_ requests: [AnsweredRequest]) -> [String] {
    let written = Written()
    let (log, queue) = log(to: written)
    for request in requests { log.note(request) }
    queue.activate()
    queue.sync {}
    return written.all
  }

  @Test func writesOneObjectALine() throws {
    #expect(
      lines([try request("/v1/a\"b")]) == [
        """
        {"time":"2026-11-21T00:00:00.007Z","level":"info","label":"test","message":"request",\
        "bytes":512,"client":"192.0.2.1","method":"GET","microseconds":1234,\
        "path":"/v1/a\\"b","requestId":"r","route":"slice","status":200}

        """
      ])
  }

  @Test(arguments: [(RequestLog.pendingMax, 0), (RequestLog.pendingMax + 3, 3)])
  func keepsSoManyForASlowReader(count: Int, dropped: Int) throws {
    let lines = lines(Array(repeating: try request("/v1"), count: count))
    #expect(lines.count { $0.contains(#""message":"request""#) } == RequestLog.pendingMax)
    #expect(lines.count == RequestLog.pendingMax + (dropped > 0 ? 1 : 0))
    #expect(dropped == 0 || lines.last?.contains(#""requests":\#(dropped)}"#) == true)
  }

  /// Paths as long as a request may have.
  @Test func keepsSoManyBytesForASlowReader() throws {
    let request = try request("/v1/" + String(repeating: "é", count: 8_000))
    let lines = lines(Array(repeating: request, count: RequestLog.pendingMax))
    let logged = lines.filter { $0.contains(#""message":"request""#) }
    #expect(logged.allSatisfy { $0.utf8.count < RequestLog.pathBytesMax + 256 })
    #expect(logged.count < RequestLog.pendingMax)
    #expect(logged.reduce(0) { $0 + $1.utf8.count } <= 4 << 20)
    #expect(lines.last?.contains("\(RequestLog.pendingMax - logged.count)}") == true)
  }

  /// At the end what waits is written, unless nothing can be.
  @Test func writesWhatWaitsBeforeItEnds() throws {
    let written = Written()
    let (log, queue) = log(to: written)
    for _ in 0..<1_000 { log.note(try request("/v1")) }
    log.flush(milliseconds: 1)
    #expect(written.all.isEmpty)
    queue.activate()
    log.flush(milliseconds: 60_000)
    #expect(written.all.count == 1_000)
  }
}
