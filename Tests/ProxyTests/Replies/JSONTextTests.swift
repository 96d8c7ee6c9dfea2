import Foundation
import Testing

@testable import Proxy

@Suite struct JSONTextTests {
  /// Every ASCII character and some others, alone and at each place of a longer text.
  @Test func quotedTextReadsBackAsItWas() throws {
    let plain = "abcdefghijklm"
    for character in (0...127).map({ Character(UnicodeScalar($0)) }) + ["é", "次", "👩‍🚀"] {
      for offset in 0...plain.count {
        let text = plain.prefix(offset) + String(character) + plain.dropFirst(offset)
        for quoted in [JSONText.quoted(String(text)), JSONText.quoted(bytes: Array(text.utf8))] {
          let read = try JSONDecoder().decode(String.self, from: Data(quoted))
          #expect(read.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
      }
    }
  }

  @Test func nothingIsNull() {
    var json = JSONText()
    json.append(nil as String?)
    json.append(raw: ",")
    json.append(quoted: nil)
    #expect(json.bytes == Array("null,null".utf8))
  }
}

extension JSONText {
  fileprivate static func quoted(_ text: String) -> [UInt8] {
    var json = JSONText()
    json.append(text)
    return json.bytes
  }

  fileprivate static func quoted(bytes: [UInt8]) -> [UInt8] {
    var json = JSONText()
    json.append(quoted: bytes)
    return json.bytes
  }
}
