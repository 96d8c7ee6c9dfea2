import Support
import Testing

@testable import Feed

@Suite struct KeyUnitTests {
  @Test(arguments: [KeyUnit.seconds, .milliseconds], [Int64.min, -7, -1, 0, 1_700_000_000, .max])
  func aSecondHasItsKeysAndNoOthers(unit: KeyUnit, second: Int64) throws {
    let keys = try #require(unit.keys(in: second))
    #expect(keys.count == (unit == .seconds ? 1 : 1_000))
    #expect(keys.allSatisfy { unit.second(of: $0) == unit.second(of: keys.lowerBound) })
    #expect(unit.second(of: keys.upperBound + 1) != unit.second(of: keys.lowerBound))
    #expect(unit.second(of: keys.lowerBound - 1) != unit.second(of: keys.lowerBound))
    #expect(KeyUnit.keys.contains(keys.lowerBound) && KeyUnit.keys.contains(keys.upperBound))
    if abs(Double(second)) < 1e12 { #expect(unit.second(of: keys.lowerBound) == second) }
  }

  @Test func numbersTellNoTime() {
    #expect(KeyUnit.number.keys(in: 5) == nil && KeyUnit.number.second(of: 5) == nil)
  }
}

/// Down from where a window of the top shows everything.
@Suite struct SettledTopTests {
  private let clock: Int64 = 1_000

  @Test(arguments: [
    (KeyUnit.seconds, 990 as Int64, 998 as Int64), (.seconds, 1_060, 998), (.seconds, 1_061, 1_061),
    (.milliseconds, 990_000, 998_999), (.milliseconds, 1_060_999, 998_999),
    (.milliseconds, 1_061_000, 1_061_000), (.number, 7, 7), (.number, .max - 1, .max - 1),
  ])
  func itIsSettledAsTheUnitAllows(unit: KeyUnit, first: Int64, key: Int64) {
    #expect(SettledTop(at: clock, in: unit).key(first: first) == key)
  }

  @Test func whatIsShownIsSettledWhereNobodyTellsTheTime() {
    var top = SettledTop(at: clock, in: .milliseconds)
    top.settle(shown: 999_500)
    #expect(top.key(first: 999_500) == 999_500)
    top.settle(shown: 5)
    #expect(top.key(first: 5) == 999_500)
  }

  @Test(arguments: KeyUnit.allCases, [Int64.min, .max])
  func noClockIsTooFar(unit: KeyUnit, clock: Int64) {
    let key = SettledTop(at: clock, in: unit).key(first: nil)
    #expect(key < .max)
  }
}
