import Testing

@testable import HTTP

@Suite struct GrammarTests {
  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

  @Test func tokenIsWhatTheRFCLists() {
    let expected = Set((Self.letters + "!#$%&'*+-.^_`|~").utf8)
    #expect(Set((0...255).filter(Grammar.isToken)) == expected)
  }

  @Test func hostIsWhatTheRFCLists() {
    let expected = Set((Self.letters + "-._~%!$&'()*+,;=").utf8)
    #expect(Set((0...255).filter(Grammar.isHost)) == expected)
  }

  @Test func controlsAreNoFieldContentAndNoTarget() {
    let controls = Set<UInt8>(0...31).union([0x7F])
    let refused = Set((0...255).filter { !Grammar.isFieldContent($0) })
    #expect(refused == controls.subtracting([9]))
    #expect(Set((0...255).filter { !Grammar.isTarget($0) }) == controls.union(" #".utf8))
  }
}
