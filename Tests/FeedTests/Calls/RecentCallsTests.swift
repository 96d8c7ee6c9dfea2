import Testing

@testable import Feed

@Suite struct RecentCallsTests {
  private let start = Timestamp(seconds: 1_800_000_000)
  private let hour = Duration.seconds(3_600)

  private func taken(_ seconds: [Int64]) -> RecentCalls {
    var calls = RecentCalls()
    for second in seconds { calls.take(at: start + .seconds(second), over: hour) }
    return calls
  }

  /// Each counts for an hour and the rest of its 72 seconds.
  @Test(arguments: [(0, 6), (3_600, 6), (3_671, 6), (3_672, 0)] as [(Int64, Int)])
  func countForAPeriodFromTheirSlotsEnd(second: Int64, count: Int) {
    let calls = taken([0, 1, 2, 3, 4, 71])
    #expect(calls.count(at: start + .seconds(second), over: hour) == count)
    #expect(calls.emptyAt(from: start, over: hour) == start + .seconds(3_672))
  }

  /// 3 in the first slot, 2 in the next.
  @Test(arguments: [(1, 3_744), (2, 3_744), (3, 3_672), (5, 3_672), (6, 0)] as [(Int, Int64)])
  func sayWhenFewerCount(limit: Int, second: Int64) {
    let instant = taken([0, 1, 2, 72, 73]).isBelow(limit, from: start, over: hour)
    #expect(instant == start + .seconds(second))
  }

  @Test func giveBackWhatWasTakenThen() {
    var calls = taken([0, 30, 73])
    calls.giveBack(takenAt: start + .seconds(71), over: hour)
    #expect(calls == taken([0, 73]))
    calls.giveBack(takenAt: start + .seconds(143), over: hour)
    #expect(calls == taken([0]))
    calls.giveBack(takenAt: start + .seconds(143), over: hour)
    #expect(calls == taken([0]))
    calls.giveBack(takenAt: start, over: hour)
    #expect(calls == RecentCalls())
  }

  /// However long they go on, a period of them is kept, and no more.
  @Test func areKeptForAPeriod() {
    let calls = taken((0..<10_000).map { $0 * 7 })
    #expect(calls.text.split(separator: " ").count <= 52)
  }

  @Test func loseNoneWhenThePeriodGrows() {
    var calls = RecentCalls()
    for millisecond in 0..<20_000 as Range<Int64> {
      calls.take(at: start + .milliseconds(millisecond), over: .seconds(10))
    }
    let before = calls.count(at: start + .seconds(20), over: .seconds(10))
    calls.take(at: start + .seconds(20), over: hour)
    #expect(calls.count(at: start + .seconds(20), over: hour) > before)
  }

  /// A clock that was set back goes on in the last slot; one that was wrong by far is forgotten.
  @Test(arguments: [(30, 2), (3_500, 2), (7_200 + 72, 1), (900_000_000, 1)] as [(Int64, Int)])
  func countWhatAClockAheadHasCounted(seconds: Int64, count: Int) {
    var calls = taken([seconds])
    calls.take(at: start, over: hour)
    #expect(calls.count(at: start, over: hour) == count)
  }

  @Test(arguments: [[], [0], [0, 0, 61, 3_000, 3_001]] as [[Int64]])
  func areReadAsTheyWereKept(seconds: [Int64]) {
    let calls = taken(seconds)
    #expect(RecentCalls(text: calls.text) == calls)
  }

  @Test(arguments: [
    "x", "1", "1:", "-1:2", "1:0", "1:1000000000", "1:2:3", "99999999999999999999:1",
    "9223372036854775807:1", "-9223372036854775808:1", ":1:2",
  ])
  func whatIsNoSlotIsLeftOut(text: String) {
    #expect(RecentCalls(text: text) == RecentCalls())
    #expect(RecentCalls(text: text + " 30000000:2") == RecentCalls(text: "30000000:2"))
  }

  @Test func ofMoreSlotsThanAreKeptTheLastCount() {
    let text = (1...1_000).map { "\($0):1" }.joined(separator: " ")
    #expect(RecentCalls(text: text).text.split(separator: " ").count == RecentCalls.slotsMax)
  }
}
