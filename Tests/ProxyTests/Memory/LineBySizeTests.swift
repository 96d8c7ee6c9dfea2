import History
import Support
import Testing

@testable import Proxy

@Suite struct LineBySizeTests {
  @Test func servesTheSmallestFirstAndThoseOfOneSizeAsTheyCame() {
    var line = LineBySize<String>()
    for (name, bytes) in [("large", 3_000), ("small", 40), ("middle", 600), ("alike", 33)] {
      line.add(name, bytes: bytes)
    }
    #expect(!line.isEmpty)
    #expect((0..<4).map { _ in line.takeNext() } == ["small", "alike", "middle", "large"])
    #expect(line.takeNext() == nil)
    #expect(line.isEmpty)
  }

  @Test func nobodyWaitsForEver() {
    var line = LineBySize<Int>()
    line.add(-1, bytes: 1 << 30)
    for number in 0..<3 { line.add(number, bytes: 1) }
    var served: [Int] = []
    for number in 3..<20 {
      line.add(number, bytes: 1)
      if let next = line.takeNext() { served.append(next) }
    }
    #expect(served.firstIndex(of: -1) == LineBySize<Int>.turnsToFirst - 1)
  }

  /// Whatever comes and goes, of whatever size: each is served once, those of one size in their
  /// order, and the one who came first of all after no more than so many others.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func servesEachOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var line = LineBySize<(number: Int, bytes: Int)>()
    var waiting: [Int: Int] = [:]
    var (added, turnsOfOldest, oldest) = (0, 0, 0)
    for _ in 0..<500 {
      if Bool.random(using: &random) {
        let bytes = Int.random(in: 0...Int.random(in: 0...1 << 24, using: &random), using: &random)
        line.add((added, bytes), bytes: bytes)
        waiting[added] = bytes
        added += 1
      } else if let next = line.takeNext() {
        #expect(waiting.removeValue(forKey: next.number) == next.bytes)
        let alike = waiting.filter { $0.value.bitWidthUsed == next.bytes.bitWidthUsed }
        #expect(alike.keys.allSatisfy { $0 > next.number })
        let first = waiting.keys.min() ?? added
        turnsOfOldest = first == oldest ? turnsOfOldest + 1 : 0
        oldest = first
        #expect(turnsOfOldest < LineBySize<Int>.turnsToFirst)
      } else {
        #expect(waiting.isEmpty)
      }
      #expect(line.isEmpty == waiting.isEmpty)
    }
  }
}

extension Int {
  fileprivate var bitWidthUsed: Int { Int.bitWidth - leadingZeroBitCount }
}
