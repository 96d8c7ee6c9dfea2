import Testing

@testable import HTTP

@Suite struct GrammarTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

  @Test func tokenIsWhatTheRFCLists() {
    let expected = Set((Self.letters + "!#$%&'*+-.^_`|~").utf8)
    #expect(Set((0...255).filter(Grammar.isToken)) == expected)
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
    #expect(Set((0...255).filter { !Grammar.isTarget($0) }) == controls.union(" #".utf8))
  }
}
