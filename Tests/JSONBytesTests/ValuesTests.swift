import Foundation
import JSONBytes
import Testing

@Suite struct ValuesTests {
  private let item = Array(
    #" { "rendered_body" : "\"id\":\"no\"", "id" : "abc" ,"user":{"id":"me","n":-7},"i\u0064":1}"#
      .utf8)

  @Test(arguments: [
    (["id"], "1"), (["user", "id"], #""me""#), (["user"], #"{"id":"me","n":-7}"#),
    (["user", "n"], "-7"), (["absent"], nil), (["user", "absent"], nil), (["id", "id"], nil),
  ])
  func findsAValueByItsPath(path: [String], expected: String?) throws {
    let range = try JSON.member(at: path, of: item[...])
    #expect(range.map { String(decoding: item[$0], as: UTF8.self) } == expected)
  }

  @Test func findsSeveralMembersInTheOrderAsked() throws {
    let found = try JSON.members(["user", "absent", "id"], of: item[...])
    #expect(
      found.map { $0.map { String(decoding: item[$0], as: UTF8.self) } }
        == [#"{"id":"me","n":-7}"#, nil, "1"])
  }

  @Test func findsAllMembersInTheirOrder() throws {
    let members = try JSON.members(of: item[1...]).map { key, value in
      [key, value].map { String(decoding: item[$0], as: UTF8.self) }
    }
    #expect(members.map { $0[0] } == [#""rendered_body""#, #""id""#, #""user""#, #""i\u0064""#])
    #expect(members.map { $0[1] }[1...] == [#""abc""#, #"{"id":"me","n":-7}"#, "1"])
    #expect(try JSON.members(of: Array(" { } ".utf8)[...]).isEmpty)
  }

  @Test func readsAKeyWrittenWithEscapes() throws {
    let object = Array(#"{"\u0069d":1}"#.utf8)
    #expect(try JSON.member("id", of: object[...]) == 11..<12)
  }

  @Test(arguments: [
    ("[]", JSONError.notAnObject), ("", .truncated(offset: 0)), ("{", .truncated(offset: 1)),
    (#"{"a" 1}"#, .unexpectedByte(offset: 5)), (#"{"a":1"#, .truncated(offset: 6)),
    ("{1}", .unexpectedByte(offset: 1)), (#"{"a":1]"#, .unexpectedByte(offset: 6)),
  ])
  func refusesABrokenObject(object: String, error: JSONError) {
    #expect(throws: error) { try JSON.member("id", of: Array(object.utf8)[...]) }
    #expect(throws: error) { _ = try JSON.members(of: Array(object.utf8)[...]) }
  }

  @Test(arguments: [
    (#""""#, ""), (#""abc""#, "abc"), (#""\u003cb\u003E \"\\\/\n\t""#, "<b> \"\\/\n\t"),
    (#""日本\u8a9e\ud83d\ude42""#, "日本語🙂"),
  ])
  func readsAText(value: String, expected: String) throws {
    #expect(try JSON.text(Array(value.utf8)[...]) == Array(expected.utf8))
  }

  @Test(arguments: [
    ("1", JSONError.notAText), ("\"", .notAText), (#""\q""#, .invalidEscape(offset: 0)),
    (#""\ud83d""#, .invalidEscape(offset: 0)), (#""ab\u00""#, .invalidEscape(offset: 2)),
    (#""a"b""#, .unexpectedByte(offset: 2)),
  ])
  func refusesWhatIsNoText(value: String, error: JSONError) {
    #expect(throws: error) { try JSON.text(Array(value.utf8)[...]) }
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("42", 42), ("9223372036854775807", Int64.max),
    ("-9223372036854775808", Int64.min),
  ])
  func readsAWholeNumber(value: String, expected: Int64) throws {
    #expect(try JSON.wholeNumber(Array(value.utf8)[...]) == expected)
  }

  @Test(arguments: [
    "", "-", "01", "+1", "1.0", "1e3", "9223372036854775808", "\"1\"", "null", "1 ",
  ])
  func refusesWhatIsNoWholeNumber(value: String) {
    #expect(throws: JSONError.notAWholeNumber) { try JSON.wholeNumber(Array(value.utf8)[...]) }
  }

  @Test(arguments: ["0", "-0", "9223372036854775808", "-18446744073709551616", "\(Int64.max)0"])
  func takesAWholeNumberOfAnyLength(value: String) {
    #expect(JSON.isWholeNumber(Array(value.utf8)[...]))
  }

  @Test(arguments: ["", "-", "01", "-01", "+1", "1.0", "1e3", "\"1\"", "1 ", "--1"])
  func takesNothingElseForAWholeNumber(value: String) {
    #expect(!JSON.isWholeNumber(Array(value.utf8)[...]))
  }

  /// As in JavaScript, Python and Swift.
  @Test func ofEqualKeysTheLastCounts() throws {
    let object = Array(#"{"a":1,"b":{"a":2,"\u0061":3},"a":4,"b":5,"\u0061":6}"#.utf8)
    let ranges = try JSON.members(["a", "b"], of: object[...])
    #expect(ranges.map { $0.map { String(decoding: object[$0], as: UTF8.self) } } == ["6", "5"])
  }

  @Test(arguments: UInt64(1)...200)
  func findsTheMembersThatFoundationFinds(seed: UInt64) throws {
    var texts = RandomJSON(seed: seed)
    let object = Array(texts.object(depth: 3).utf8)
    let known = try JSONSerialization.jsonObject(with: Data(object)) as? [String: Any]
    for key in (0..<6).map({ "k\($0)" }) {
      let range = try JSON.member(key, of: object[...])
      #expect((range != nil) == (known?[key] != nil))
      guard let range else { continue }
      let value = try JSONSerialization.jsonObject(
        with: Data(object[range]), options: .fragmentsAllowed)
      #expect(value as? NSObject == known?[key] as? NSObject)
    }
  }
}
