import Dispatch
import Logging
import Synchronization
import Testing

@testable import tsugi

struct LogOutputTests {
  private final class Written: Sendable {
    let lines = Mutex<[String]>([])

    func append(_ line: [UInt8]) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
    }

    func count(_ text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }
  }

  @Test(arguments: [(LogOutput.pendingMax, 0), (LogOutput.pendingMax + 3, 3)])
  func keepsSoManyLinesForASlowReader(count: Int, dropped: Int) {
    let (written, queue) = (Written(), DispatchQueue(label: "test", attributes: .initiallyInactive))
    let output = LogOutput(on: queue, to: written.append)
    let logger = Logger(label: "test", factory: output.handler)
    for number in 0..<count { logger.info("\(number)") }
    queue.activate()
    queue.sync {}
    #expect(written.count(#""level":"info""#) == LogOutput.pendingMax)
    #expect(written.lines.withLock { $0.first?.contains(#""message":"0""#) == true })
    #expect(written.count(#""lines":3"#) == (dropped > 0 ? 1 : 0))
  }

  @Test func keepsSoManyBytesForASlowReader() {
    let (written, queue) = (Written(), DispatchQueue(label: "test", attributes: .initiallyInactive))
    let output = LogOutput(on: queue, to: written.append)
    let logger = Logger(label: "test", factory: output.handler)
    let line = String(repeating: "x", count: 64 << 10)
    for _ in 0..<100 { logger.info("\(line)") }
    queue.activate()
    queue.sync {}
    #expect((60...64).contains(written.count(line)))
    #expect(written.count("so many lines are not in it") == 1)
    // What was written makes room again.
    logger.info("\(line)")
    queue.sync {}
    #expect((61...65).contains(written.count(line)))
  }

  /// Such as a pipe that is full.
  @Test func aWriteThatBlocksHoldsNobodyUp() {
    let (written, gate) = (Written(), DispatchSemaphore(value: 0))
    let output = LogOutput {
      gate.wait()
      written.append($0)
    }
    let logger = Logger(label: "test", factory: output.handler)
    for number in 0..<100 { logger.info("\(number)") }
    output.flush(milliseconds: 1)
    #expect(written.lines.withLock { $0.isEmpty })
    for _ in 0..<100 { gate.signal() }
    output.flush(milliseconds: 60_000)
    #expect(written.count(#""level":"info""#) == 100)
  }
}
