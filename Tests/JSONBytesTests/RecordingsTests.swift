import Foundation
import JSONBytes
import Support
import Testing

@Suite(.enabled(if: !Checkout.recordedAnswers.isEmpty, "the recordings are not here"))
struct RecordingsTests {
  @Test(arguments: Checkout.recordedAnswers)
  func splitAndJoinedAgainIsTheSame(file: URL) throws {
    let bytes = try [UInt8](Data(contentsOf: file))
    let ranges = try JSON.elements(of: bytes)
    let known = try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]]
    #expect(ranges.count == known?.count)

    var joined = bytes[..<(ranges.first?.lowerBound ?? bytes.count)]
    for (index, range) in ranges.enumerated() {
      joined += bytes[range]
      let next = index + 1 < ranges.count ? ranges[index + 1].lowerBound : bytes.count
      joined += bytes[range.upperBound..<next]
    }
    #expect(Array(joined) == bytes)
  }

  @Test(arguments: Checkout.recordedAnswers)
  func everyElementIsValidAndHasItsIdentity(file: URL) throws {
    let bytes = try [UInt8](Data(contentsOf: file))
    let known = try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]]
    for (index, range) in try JSON.elements(of: bytes).enumerated() {
      try JSON.validate(bytes[range])
      for key in ["id", "title", "body"] {
        let value = try #require(try JSON.member(key, of: bytes[range]))
        #expect(
          try String(decoding: JSON.text(bytes[value]), as: UTF8.self)
            == known?[index][key] as? String)
      }
    }
  }
}
