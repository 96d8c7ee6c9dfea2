import JSONBytes
import Testing

@testable import Simulator

@Suite struct RailsJSONTests {
  @Test(arguments: [
    ("<a href='x'>&", #"\u003ca href='x'\u003e\u0026"#), ("日本語 🙂", "日本語 🙂"),
    ("\"\\\n\r\t\u{1}\u{1F}", #"\"\\\n\r\t\u0001\u001f"#), ("/", "/"),
  ])
  func escapesAsRailsDoes(text: String, escaped: String) throws {
    #expect(String(decoding: RailsJSON.escaped(text), as: UTF8.self) == escaped)
    let quoted = Array("\"\(escaped)\"".utf8)
    #expect(try JSON.text(quoted[...]) == Array(text.utf8))
  }

  @Test func writesEveryKindOfValueWithoutWhiteSpace() {
    let object = RailsJSON.object([
      ("a", .null), ("b", .flag(true)), ("c", .number(-1)), ("d", .array([[0x31], [0x32]])),
      ("e", .escaped([[0x78], [0x79]])), ("f", .json(Array("{}".utf8))),
    ])
    #expect(
      String(decoding: object, as: UTF8.self)
        == #"{"a":null,"b":true,"c":-1,"d":[1,2],"e":"xy","f":{}}"#)
  }

  @Test(arguments: [
    ("0123456789abcdef0123", true), ("0123456789abcdef012", false), ("", false),
    ("0123456789abcdef01234", false),
  ])
  func readsIdsOfTwentyBytesOnly(text: String, isGood: Bool) {
    #expect(HexID(text)?.text == (isGood ? text : nil))
  }
}
