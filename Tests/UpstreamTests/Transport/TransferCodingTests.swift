import Support
import Testing

@testable import Upstream

/// The chunked coding of answers (RFC 9112 §7.1).
@Suite struct TransferCodingTests {
  private func decode(_ parts: [[UInt8]]) -> (body: [UInt8], isGood: Bool, isAtEnd: Bool) {
    var coding = TransferCoding()
    var body: [UInt8] = []
    for part in parts {
      let isGood = part.withUnsafeBytes { coding.decode($0, into: &body) }
      guard isGood else { return (body, false, coding.isAtEnd) }
    }
    return (body, true, coding.isAtEnd)
  }

  /// Any content, in any chunks, arriving in any pieces.
  @Test(arguments: 0..<200) func takesTheCodingOff(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let content = (0..<random.next(below: 300)).map { _ in UInt8(random.next(below: 256)) }
    var coded: [UInt8] = []
    var rest = content[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(1 + random.next(below: 40))
      rest = rest[chunk.endIndex...]
      let size = String(chunk.count, radix: 16, uppercase: random.chance(50))
      let zeros = String(repeating: "0", count: random.next(below: 4))
      let note = random.chance(30) ? ";a=\"b\"" : ""
      coded += Array("\(zeros)\(size)\(note)\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    coded += Array("0\r\nX-T: 1\r\n\r\n".utf8)
    var pieces: [[UInt8]] = []
    var left = coded[...]
    while !left.isEmpty {
      let piece = left.prefix(1 + random.next(below: 20))
      left = left[piece.endIndex...]
      pieces.append(Array(piece))
    }
    let decoded = decode(pieces)
    #expect(decoded.body == content && decoded.isGood && decoded.isAtEnd)
    // Cut anywhere before its last line it is not whole.
    let last = coded.count - "\nX-T: 1\r\n\r\n".utf8.count
    let cut = decode([Array(coded.prefix(random.next(below: last)))])
    #expect(!cut.isAtEnd)
  }

  @Test(arguments: [
    "x", "\r\n", "-1\r\n", "5\rx", "1\r\nab\r\n", "1\r\na\rb", "1234567890123456\r\n", "0x1\r\n",
    ";a\r\n", " 1\r\n",
  ])
  func refuses(_ text: String) {
    #expect(!decode([Array(text.utf8)]).isGood)
  }
}
