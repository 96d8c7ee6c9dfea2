import Testing

@testable import Simulator

@Suite struct SeededGeneratorTests {
  @Test func permutationMeetsEachNumberOnce() {
    for count in 0..<60 {
      let permutation = Permutation(of: count, seed: UInt64(count) &* 7919)
      #expect(Set((0..<count).map { permutation[$0] }) == Set(0..<count))
    }
  }

  @Test(arguments: [(0.0, 0...0), (0.1, 800...1_200), (1.0, 10_000...10_000)])
  func strikesByItsProbability(probability: Double, expected: ClosedRange<Int>) {
    var generator = SeededGenerator(seed: 1)
    #expect(expected ~= (0..<10_000).count { _ in generator.chance(probability) })
  }

  @Test func neverLeavesItsLimit() {
    var generator = SeededGenerator(seed: 1)
    #expect((0..<1_000).allSatisfy { _ in 0..<3 ~= generator.below(3) })
    #expect(generator.below(1) == 0)
    #expect(generator.below(0) == 0)
  }
}
