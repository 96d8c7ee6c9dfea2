import Support
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
    var random = SeededGenerator(seed: seed)
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
}
