import Feed
import Support
import Testing

@testable import SQLiteStore

/// What is left when the process ends between any two bytes it writes.
@Suite struct CrashTests {
  /// All that a store tells of a feed.
  struct Content: Equatable {
    var timeline: Timeline?
    var known: [KnownElement]
    var elements: [Element]

    init(of store: TimelineDatabase) throws {
      timeline = try store.timeline(of: items)
      known = try store.known(in: items, below: .top, above: .bottom)
      elements = try store.elements()
    }
  }

  /// One answer's worth of random changes.
  private func change(_ number: Int, by random: inout SeededGenerator) -> Merge {
    var change = merge(sentAt: Int64(number))
    for _ in 0..<random.next(below: 8) {
      let id = "item \(random.next(below: 40))"
      let content = String(repeating: "\(number) ", count: random.next(below: 9000))
      change.seen.append(seen(id, Int64(random.next(below: 5)), content: content))
    }
    change.timeline.lookedAt = instant(Int64(number))
    change.timeline.proofs = (0...random.next(below: 5)).map {
      let order = Int64(100 - $0)
      return Proof(
        upper: .below(key: order + 1), lower: .below(key: order),
        provenAt: instant(Int64(number)), count: number, rankBelow: $0)
    }
    return change
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func opensWithWholeCommitsWhereverTheLogWasCut(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sandbox = try Sandbox()
    let store = try sandbox.open()
    var history = [try Content(of: store)]
    var movedToFile = 0
    for number in 1...12 {
      _ = try store.commit(change(number, by: &random), budget: nil)
      history.append(try Content(of: store))
      if random.next(below: 5) == 0 {
        let connection = try Connection(path: sandbox.path, access: .readWrite)
        #expect(try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        movedToFile = number
      }
      let file = try sandbox.bytes(sandbox.path)
      let log = try sandbox.bytes("\(sandbox.path)-wal")
      for kept in [log.count, random.next(below: log.count + 1), random.next(below: log.count + 1)]
      {
        let left = try reopened(file: file, log: log[..<kept])
        let commits = Int(left.timeline?.lookedAt?.seconds ?? 0)
        #expect(left == history[commits], "seed \(seed), commit \(number), cut at \(kept)")
        #expect(commits >= movedToFile)
        #expect(kept < log.count || commits == number)
      }
    }
  }

  /// What a store says whose owner ended with these bytes in its file and log.
  private func reopened(
    file: [UInt8], log: ArraySlice<UInt8>
  ) throws -> Content {
    let sandbox = try Sandbox()
    try sandbox.write(file, to: sandbox.path)
    try sandbox.write(log, to: "\(sandbox.path)-wal")
    let store = try sandbox.open()
    #expect(store.setAside == nil)
    let content = try Content(of: store)
    store.close()
    let connection = try Connection(path: sandbox.path, access: .readOnly)
    #expect(try connection.text("PRAGMA integrity_check") == "ok")
    return content
  }
}
