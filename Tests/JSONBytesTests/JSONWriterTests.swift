import Foundation
import Testing

@testable import JSONBytes

@Suite struct JSONWriterTests {
  /// Every ASCII character and some others, alone and at each place of a longer text.
  @Test func quotedTextReadsBackAsItWas() throws {
    let plain = "abcdefghijklm"
    for character in (0...127).map({ Character(UnicodeScalar($0)) }) + ["é", "次", "👩‍🚀"] {
      for offset in 0...plain.count {
        let text = plain.prefix(offset) + String(character) + plain.dropFirst(offset)
        for quoted in [JSONWriter.quoted(String(text)), JSONWriter.quoted(bytes: Array(text.utf8))]
        {
          let read = try JSONDecoder().decode(String.self, from: Data(quoted))
          #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
      }
    }
  }

  @Test func nothingIsNull() {
    var json = JSONWriter()
    json.append(nil as String?)
    json.append(raw: ",")
    json.append(quoted: nil)
    #expect(json.bytes == Array("null,null".utf8))
  }
}

extension JSONWriter {
  fileprivate static func quoted(_ text: String) -> [UInt8] {
    var json = JSONWriter()
    json.append(text)
    return json.bytes
  }

  fileprivate static func quoted(bytes: [UInt8]) -> [UInt8] {
    var json = JSONWriter()
    json.append(quoted: bytes)
    return json.bytes
  }
}
