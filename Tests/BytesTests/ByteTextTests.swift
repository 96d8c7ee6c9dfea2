import Testing

@testable import Bytes

@Suite struct ByteTextTests {
  /// The same pieces, written into a text and appended to an array.
  private static func pieces(_ count: Int) -> [[UInt8]] {
    (0..<count).map { piece in (0..<piece * 7 % 23).map { UInt8(truncatingIfNeeded: $0 + piece) } }
  }

  @Test(arguments: [0, 1, 16, 17, 100, 511, 512, 513, 2000])
  func growsWhateverItBeganWith(capacity: Int) {
    for count in 0..<60 {
      let pieces = Self.pieces(count)
      func write(_ text: inout ByteText) {
        for piece in pieces {
          text.append(piece)
          text.append(UInt8(ascii: ","))
        }
      }
      let written = pieces.flatMap { $0 + [UInt8(ascii: ",")] }
      var text = ByteText(capacity: capacity)
      write(&text)
      #expect(text.count == written.count)
      #expect(text.bytes == written)
      #expect(text.withBytes { Array($0) } == written)
      #expect(ByteText.bytes(capacity: capacity, write) == written)
      ByteText.withBytes(capacity: capacity, write) { #expect(Array($0) == written) }
    }
  }

  @Test(arguments: [0, 1, 9, 10, -1, -10, 1234567890, .max, .min] as [Int64])
  func writesNumbers(number: Int64) {
    var text = ByteText()
    text.append(number)
    text.append(Int(number))
    #expect(text.bytes == Array("\(number)\(number)".utf8))
  }

  @Test func writesTexts() {
    var text = ByteText(capacity: 1)
    text.append("static, ")
    let grown = String(repeating: "日本語 and so on ", count: 40)
    for part in ["", "small", grown, String(grown.dropFirst())] { text.append(part) }
    #expect(text.bytes == Array(("static, small" + grown + grown.dropFirst()).utf8))
  }

  @Test(arguments: ["", "a", "AZaz09-._~", "a b", "日本", "%", "id:1/2", "\u{0}"])
  func percentEncodesWhatIsReserved(value: String) {
    var text = ByteText(capacity: 1)
    text.append(percentEncoding: value)
    #expect(PercentCoding.decoded(text.bytes) == Array(value.utf8))
    #expect(text.bytes == Array(percentEncoded(value.utf8).utf8))
  }

  @Test func writesToTheBaseOf36() {
    let numbers: [UInt64] = [0, 1, 35, 36, 1295, 1296, .max, .max / 36, 1 << 63]
    for number in numbers + (0..<64).map({ 0x9e37_79b9_7f4a_7c15 >> UInt64($0) }) {
      #expect(base36(number) == String(number, radix: 36))
      #expect(base36(number, between: "W/\"", and: "\"") == "W/\"\(base36(number))\"")
    }
  }
}
