import Feed
import History
import SQLiteStore
import Support
import Synchronization
import Testing

@Suite struct PausingTests {
  private final class Pauses: Sendable {
    let count = Atomic(0)
  }

  /// Whoever writes much lets others work in between, and writes the same.
  @Test func aLargeAnswerIsWrittenInPieces() throws {
    let (sandbox, paced) = (try Sandbox(), try Sandbox())
    let pauses = Pauses()
    let stores = [
      try sandbox.open(),
      try TimelineDatabase(
        path: paced.path, durability: .processOnly,
        pause: { pauses.count.add(1, ordering: .relaxed) }),
    ]
    let before = pauses.count.load(ordering: .relaxed)
    // Statements that are short are counted together, one use after another.
    for sentAt in 1...10 as ClosedRange<Int64> {
      let answer = merge(sentAt: sentAt, seen: (0..<100).map { seen("\($0)", Int64($0)) })
      for store in stores { _ = try store.commit(answer, budget: nil) }
    }
    #expect(pauses.count.load(ordering: .relaxed) - before > 10)
    #expect(try stores[0].elements() == stores[1].elements())
    #expect(try stores[1].elements().count == 100)
  }
}
