import Feed
import Synchronization
import Testing

@testable import Proxy

/// A clock over one that is set forwards and back.
@Suite struct SteadyClockTests {
  /// The two clocks below, in seconds.
  private final class Clocks: Sendable {
    let wall: Mutex<Int64>
    let uptime: Mutex<Int64>

    init(wall: Int64, uptime: Int64) {
      self.wall = Mutex(wall)
      self.uptime = Mutex(uptime)
    }

    func pass(_ seconds: Int64, wallStep: Int64 = 0) {
      wall.withLock { $0 += seconds + wallStep }
      uptime.withLock { $0 += seconds }
    }

    var steady: SteadyClock {
      SteadyClock(
        wall: { self.wall.withLock { $0 * 1_000_000_000 } },
        uptime: { self.uptime.withLock { $0 * 1_000_000_000 } })
    }
  }

  @Test func goesWithTheWallClock() {
    let clocks = Clocks(wall: 1_000, uptime: 7)
    let steady = clocks.steady
    for step in [0, 5, 60, 3_600] as [Int64] {
      clocks.pass(10, wallStep: step)
      #expect(steady.now == Timestamp(seconds: clocks.wall.withLock { $0 }))
    }
  }

  @Test func goesOnWhereTheWallClockIsSetBack() {
    let clocks = Clocks(wall: 10_000, uptime: 7)
    let steady = clocks.steady
    clocks.pass(10, wallStep: -3_600)
    #expect(steady.now == Timestamp(seconds: 10_010) && steady.lead == .seconds(3_600))
    clocks.pass(100)
    #expect(steady.now == Timestamp(seconds: 10_110))
    clocks.pass(0, wallStep: 3_600)
    #expect(steady.now == Timestamp(seconds: 10_110))
    clocks.pass(0, wallStep: 1)
    #expect(steady.now == Timestamp(seconds: 10_111))
  }

  @Test func neverFallsHoweverTheWallClockIsSet() {
    var random = SystemRandomNumberGenerator()
    let clocks = Clocks(wall: 1_000_000, uptime: 7)
    let steady = clocks.steady
    var last = steady.now
    for _ in 0..<10_000 {
      let passed = Int64.random(in: 0...9, using: &random)
      clocks.pass(passed, wallStep: Int64.random(in: -500...500, using: &random))
      #expect(steady.now >= last + .seconds(passed))
      last = steady.now
    }
  }

  @Test func goesOnFromWhatItIsToldToReach() {
    let clocks = Clocks(wall: 1_000, uptime: 7)
    let steady = clocks.steady
    steady.reach(Timestamp(seconds: 900))
    #expect(steady.now == Timestamp(seconds: 1_000))
    steady.reach(Timestamp(seconds: 5_000))
    clocks.pass(5)
    #expect(steady.now == Timestamp(seconds: 5_005))
  }

  @Test func goesOnFromNoInstantThatNeverWas() {
    for milliseconds in [Int64.min, -1, SteadyClock.last.milliseconds + 1, 9_223_372_036_854, .max]
    {
      let clocks = Clocks(wall: 1_000, uptime: 7)
      let steady = clocks.steady
      steady.reach(Timestamp(milliseconds: milliseconds))
      clocks.pass(5)
      #expect(steady.now == Timestamp(seconds: 1_005))
    }
    let clocks = Clocks(wall: SteadyClock.last.seconds - 86_400, uptime: 7)
    let steady = clocks.steady
    steady.reach(SteadyClock.last)
    clocks.pass(5)
    #expect(steady.now == SteadyClock.last + .seconds(5))
  }

  @Test(arguments: [(86_400, 86_400), (86_401, 0), (30 * 366 * 86_400, 0)])
  func reachesNoFurtherAheadThanADay(ahead: Int64, reached: Int64) {
    let clocks = Clocks(wall: 1_000, uptime: 7)
    let steady = clocks.steady
    steady.reach(Timestamp(seconds: 1_000 + ahead))
    #expect(steady.now == Timestamp(seconds: 1_000 + reached))
  }

  @Test func believesNoLeapThatPassesWithinAMinute() {
    let clocks = Clocks(wall: 1_000, uptime: 7)
    let steady = clocks.steady
    let leap: Int64 = 30 * 366 * 86_400
    for _ in 0..<3 {
      clocks.pass(1, wallStep: leap)
      let before = steady.now
      clocks.pass(59)
      #expect(steady.now == before + .seconds(59))
      clocks.pass(1, wallStep: -leap)
      #expect(steady.now == before + .seconds(60) && steady.lead == .zero)
    }
    #expect(steady.now == Timestamp(seconds: clocks.wall.withLock { $0 }))
  }

  @Test(arguments: [
    (86_400, 0, true), (86_401, 0, false), (86_401, 59, false), (86_401, 60, true),
  ])
  func believesALeapThatStands(leap: Int64, seconds: Int64, isBelieved: Bool) {
    let clocks = Clocks(wall: 1_000, uptime: 7)
    let steady = clocks.steady
    clocks.pass(0, wallStep: leap)
    _ = steady.now
    clocks.pass(seconds)
    #expect(steady.now == Timestamp(seconds: 1_000 + seconds + (isBelieved ? leap : 0)))
  }
}
