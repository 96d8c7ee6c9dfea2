import Testing

@testable import Settings

@Suite struct ConfigurationDamageTests {
  @Test func everyShorterFileIsAProblem() {
    let bytes = Array(exampleConfiguration.utf8)
    for count in 0..<bytes.count {
      #expect(throws: Configuration.Problems.self) {
        try Configuration.read(Array(bytes[..<count]))
      }
    }
  }

  @Test(arguments: UInt64(1)...40)
  func damagedFilesAreReadOrRefused(seed: UInt64) {
    var random = SplitMix(state: seed)
    let pieces = Array("{}[],:\"\\${}0-.eE\u{0}é".utf8) + [0xFF, 0xED, 0x80]
    for _ in 0..<50 {
      var bytes = Array(exampleConfiguration.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(piece, at: place)
        case 2: bytes[place] = piece
        default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
        }
      }
      do throws(Configuration.Problems) {
        let read = try Configuration.read(bytes)
        #expect(!read.resolved().isEmpty)
      } catch {
        #expect(!error.all.isEmpty)
        #expect(!error.description.isEmpty)
      }
    }
  }

  /// The same numbers for the same seed, on every machine.
  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}
