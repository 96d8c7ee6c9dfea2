import Bytes
import Testing

@testable import HTTP

@Suite struct GrammarTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

  @Test func tokenIsWhatTheRFCLists() {
    let expected = Set((Self.letters + "!#$%&'*+-.^_`|~").utf8)
    #expect(Set((0...255).filter(FieldGrammar.isToken)) == expected)
  }

  @Test func hostIsWhatTheRFCLists() {
    let expected = Set((Self.letters + "-._~!$&'()*+,;=").utf8)
    #expect(Set((0...255).filter(Grammar.isHost)) == expected)
  }

  @Test(arguments: [
    "a", "a.b-c_d~", "127.0.0.1", "a%2Fb", "%e5%90%8d", "a:", "a:0", "a:65535", "a:000080",
    "[::1]", "[::1]:8080", "[::]", "[2001:db8::ffff:1.2.3.4]", "[1:2:3:4:5:6:7:8]", "[v1.a:b]",
    "[VF.~]:1",
  ])
  func takesAnAuthority(_ text: String) {
    #expect(Grammar.isAuthority(Array(text.utf8)))
  }

  @Test(arguments: [
    "", ":", ":80", "a:65536", "a:1a", "a:-1", "a:1:2", "u@a", "a/b", "a b", "%", "a%", "a%2",
    "%zz",
    "a%2g", "a%%41", "[", "[]", "[:]", "[1:2]", "[::::::]", "[::1::2]", "[12345::1]",
    "[1:2:3:4:5:6:7:8:9]", "[1.2.3.4]", "[::1.2.3]", "[::1", "[::1]a", "[::1]80", "[h]", "[v.a]",
    "[v1.]", "[v1a]", "[::1%25eth0]", "[::1\0]", "[\(String(repeating: "1:", count: 30))]",
  ])
  func takesNothingElseForAnAuthority(_ text: String) {
    #expect(!Grammar.isAuthority(Array(text.utf8)))
  }

  @Test func controlsAreNoFieldContentAndNoTarget() {
    let controls = Set<UInt8>(0...31).union([0x7F])
    let refused = Set((0...255).filter { !Grammar.isFieldContent($0) })
    #expect(refused == controls.subtracting([9]))
    for padding in [0, 3, 8, 20] {
      func bad(_ isGood: (Slice<UnsafeRawBufferPointer>) -> Bool) -> Set<UInt8> {
        Set(
          (0...255).filter { byte in
            let text = Array(repeating: UInt8(ascii: "a"), count: padding) + [byte]
            return !text.withUnsafeBytes { isGood($0[...]) }
          })
      }
      #expect(bad(Grammar.isTarget) == controls.union(" #".utf8))
      #expect(bad(Grammar.isFieldContent) == controls.subtracting([9]))
    }
  }

  /// Each byte at each place of texts around eight bytes long, between neighbours that could hide
  /// it or be taken for it.
  @Test(arguments: [(0x20, 0x7F, 0x7F), (0x20, 0x22, 0x5C), (0x80, 0xFF, 0x80), (1, 0xA2, 0)])
  func findsABadByteWhereverItStands(bound: UInt8, one: UInt8, another: UInt8) {
    for count in 0...17 {
      for neighbour: UInt8 in [bound, 0x9F, 0xFE, one &+ 1, another &- 1] {
        var bytes = [UInt8](repeating: neighbour, count: count)
        for index in -1..<count {
          for byte: UInt8 in 0...255 {
            if index >= 0 { bytes[index] = byte } else if byte > 0 { break }
            let expected = bytes.contains { $0 < bound || $0 == one || $0 == another }
            let found = bytes.withUnsafeBufferPointer { $0.holds(below: bound, or: one, another) }
            if found != expected { Issue.record("\(bytes): \(bound), \(one), \(another)") }
          }
          if index >= 0 { bytes[index] = neighbour }
        }
      }
    }
  }
}
