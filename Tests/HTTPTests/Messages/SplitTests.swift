import Support
import Testing

@testable import HTTP

/// However the input is split, the same requests and the same refusal come out of it.
@Suite struct SplitTests {
  /// Small limits, so that their edges lie inside short inputs.
  private static let limits = {
    var limits = Limits()
    limits.requestLineBytes = 60
    limits.headBytes = 120
    limits.fieldCount = 5
    limits.bodyBytes = 12
    limits.droppedBodyBytes = 6
    limits.chunkLineBytes = 8
    limits.trailerBytes = 10
    return limits
  }()

  private static let accepted = [
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "\r\n\r\nPOST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcdeHEAD /b HTTP/1.0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "3;a=\"b\"\r\nabc\r\n2\r\nde\r\n0\r\nA: b\r\n\r\nGET /\u{540D} HTTP/1.1\r\nHost: h\r\n\r\n",
  ]

  private static let corpus: [[UInt8]] = {
    let lengths = (0..<40).flatMap { extra in
      let filler = String(repeating: "x", count: extra)
      return [
        "GET /\(filler)\(filler) HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nA: \(filler)\(filler)\(filler)\r\n\r\n",
        "GET /\(filler)\(filler)\nHost: h\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(extra)\r\n\r\n\(filler)\(filler)",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;\(filler)\r\na\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;\(filler)\na\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: \(filler)\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: \(filler)\n\r\n",
      ]
    }
    let refused = RefusedInput.all.map(\.text).filter { $0.utf8.count < 500 }
    return (accepted + refused + lengths).map { Array($0.utf8) }
  }()

  @Test func everySplitPointGivesTheSame() {
    for input in Self.corpus {
      let whole = Parsed([input], limits: Self.limits)
      for point in 0...input.count {
        let split = Parsed([Array(input[..<point]), Array(input[point...])], limits: Self.limits)
        if split != whole {
          Issue.record("\(String(decoding: input, as: UTF8.self)) at \(point): \(split)")
        }
      }
    }
  }

  @Test func byteByByteGivesTheSame() {
    for input in Self.corpus {
      let whole = Parsed([input], limits: Self.limits)
      let split = Parsed(input.map { [$0] }, limits: Self.limits)
      #expect(split == whole, "\(String(decoding: input, as: UTF8.self))")
    }
  }

  @Test func randomSplitsAndMutationsGiveTheSame() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<3000 {
      var input = Self.corpus.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0...2, using: &random) where !input.isEmpty {
        let position = Int.random(in: 0..<input.count, using: &random)
        input[position] = [0, 9, 10, 13, 32, 44, 58, 59, 0x80].randomElement(using: &random) ?? 0
      }
      let whole = Parsed([input], limits: Self.limits)
      var pieces: [[UInt8]] = []
      var rest = input[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...12, using: &random)
        pieces.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      #expect(Parsed(pieces, limits: Self.limits) == whole, "\(input)")
    }
  }
}
