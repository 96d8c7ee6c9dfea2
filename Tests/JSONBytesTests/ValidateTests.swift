import Foundation
import JSONBytes
import Testing

@Suite struct ValidateTests {
  @Test(arguments: [
    "1", "-0", "0.5", "1E+9", "true", "null", #""""#, "[]", "{}", #" {"a" : [ 1 , {} ] } "#,
    #""\u0041\ud83d\ude42\b\f\n\r\t\/""#, "\"日本語🙂é\u{7F}\"",
  ])
  func acceptsEveryFormOfTheGrammar(text: String) {
    #expect(throws: Never.self) { try JSON.validate(Array(text.utf8)[...]) }
  }

  @Test(arguments: [
    ("", JSONError.truncated(offset: 0)),
    ("tru", .truncated(offset: 3)),
    ("trux", .unexpectedByte(offset: 3)),
    ("01", .trailingBytes(offset: 1)),
    ("+1", .unexpectedByte(offset: 0)),
    (".5", .unexpectedByte(offset: 0)),
    ("1.", .truncated(offset: 2)),
    ("1e", .truncated(offset: 2)),
    ("1.e", .unexpectedByte(offset: 2)),
    ("- 1", .unexpectedByte(offset: 1)),
    ("NaN", .unexpectedByte(offset: 0)),
    ("[1,]", .unexpectedByte(offset: 3)),
    ("[1 2]", .unexpectedByte(offset: 3)),
    ("[1}", .mismatchedBracket(offset: 2)),
    (#"{"a":1]"#, .mismatchedBracket(offset: 6)),
    (#"{"a"}"#, .unexpectedByte(offset: 4)),
    (#"{"a":}"#, .unexpectedByte(offset: 5)),
    (#"{"a":1,}"#, .unexpectedByte(offset: 7)),
    ("{1:2}", .unexpectedByte(offset: 1)),
    ("{'a':1}", .unexpectedByte(offset: 1)),
    ("\"a\nb\"", .unexpectedByte(offset: 2)),
    (#""\x""#, .invalidEscape(offset: 1)),
    (#""\u12g4""#, .invalidEscape(offset: 1)),
    (#""\ud83d""#, .invalidEscape(offset: 1)),
    (#""\ude42""#, .invalidEscape(offset: 1)),
    (#""\ud83d\u0041""#, .invalidEscape(offset: 1)),
    (#""abc"#, .truncated(offset: 4)),
    (#""abc\"#, .truncated(offset: 5)),
    ("1 2", .trailingBytes(offset: 2)),
  ])
  func namesTheFirstFault(text: String, error: JSONError) {
    #expect(throws: error) { try JSON.validate(Array(text.utf8)[...]) }
  }

  @Test(arguments: [
    (#""\ud83d""#, #""\ufffd""#), (#""\ude42""#, #""\ufffd""#),
    (#""a\uD83D\u0041""#, #""a\ufffd\u0041""#), (#""\ud83d\n""#, #""\ufffd\n""#),
    (#""\ud83d\ud83d\ude42""#, #""\ufffd\ud83d\ude42""#),
    (#""\ude42\ud83d""#, #""\ufffd\ufffd""#), (#""\ud83d\\ude42""#, #""\ufffd\\ude42""#),
    (#"{"\udc00":["\\\ud83d"]}"#, #"{"\ufffd":["\\\ufffd"]}"#),
  ])
  func loneSurrogatesAreTakenWhereThatIsAsked(text: String, replaced: String) throws {
    var bytes = Array(text.utf8)
    #expect(!JSON.isValid(bytes[...]))
    #expect(try JSON.findsLoneSurrogates(bytes[...]))
    JSON.replaceLoneSurrogates(in: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == replaced)
    #expect(JSON.isValid(bytes[...]))
  }

  @Test(arguments: [#""\ud83d\ude42""#, #""\\ud83d""#, #""\u00e9\\\\""#, "[]"])
  func whatHasNoLoneSurrogateStaysAsItIs(text: String) throws {
    var bytes = Array(text.utf8)
    #expect(try !JSON.findsLoneSurrogates(bytes[...]))
    JSON.replaceLoneSurrogates(in: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [
    (#""\ud83d\x""#, JSONError.invalidEscape(offset: 7)), (#""\ud83d"#, .truncated(offset: 7)),
    (#""\ud83d\"#, .truncated(offset: 8)), (#""\ud83d\u00"#, .truncated(offset: 11)),
    (#""\ud8""#, .truncated(offset: 6)),
  ])
  func otherFaultsAreFoundBesideLoneSurrogates(text: String, error: JSONError) {
    #expect(throws: error) { try JSON.findsLoneSurrogates(Array(text.utf8)[...]) }
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
      [0xE3, 0x81, 0x41], [0xF0, 0x9F, 0x99, 0x41],
    ] as [[UInt8]])
  func refusesBytesThatAreNotUTF8(sequence: [UInt8]) {
    let quoted = [0x22, 0x61] + sequence + Array("plain text behind\"".utf8)
    #expect(throws: JSONError.invalidUTF8(offset: 2)) { try JSON.validate(quoted[...]) }
  }

  @Test(arguments: UInt64(1)...300)
  func agreesWithFoundationOnTextsBrokenAtRandom(seed: UInt64) {
    var texts = RandomJSON(seed: seed)
    let whole = Array(texts.value(depth: 4).utf8)
    #expect(JSON.isValid(whole[...]))
    for _ in 0..<20 {
      let broken = broken(whole, by: &texts)
      // Foundation reads UTF-16 and UTF-32 too, which it recognises by zero bytes, and takes a
      // comma before a closing bracket for allowed.
      if broken.contains(0) || hasTrailingComma(broken) { continue }
      let known =
        (try? JSONSerialization.jsonObject(with: Data(broken), options: .fragmentsAllowed))
      #expect(
        JSON.isValid(broken[...]) == (known != nil), "\(String(decoding: broken, as: UTF8.self))")
    }
  }

  /// Members that are found while a text is checked are those that are found afterwards.
  @Test(arguments: UInt64(1)...300)
  func findsMembersAsItChecks(seed: UInt64) throws {
    var texts = RandomJSON(seed: seed)
    let keys = ["k3", "k0", "k7"]
    let object = texts.object(depth: 4)
    let wholes = [
      object, " \(object)\n", #"{"k0":1,"\u006b3":"\ud83d","k0":{}}"#, texts.value(depth: 4), "{}",
      "{}{}", "",
    ].map { [0x20, 0x5B] + Array($0.utf8) }
    for text in wholes + wholes.map({ broken($0, by: &texts) }) {
      let json = text[min(2, text.count)...]
      let apart = Result { () throws(JSONError) in
        (lone: try JSON.findsLoneSurrogates(json), members: try JSON.members(keys, of: json))
      }
      let found = Result { () throws(JSONError) in
        try JSON.checkedMembers(keys.map { Array($0.utf8) }, of: json)
      }
      let name = String(decoding: json, as: UTF8.self)
      #expect((try? found.get().members) == (try? apart.get().members), "\(name)")
      #expect((try? found.get().hasLoneSurrogates) == (try? apart.get().lone), "\(name)")
    }
  }

  /// A text with one byte changed, taken or added.
  private func broken(_ whole: [UInt8], by texts: inout RandomJSON) -> [UInt8] {
    var broken = whole
    let place = texts.below(broken.count)
    switch texts.below(3) {
    case 0: broken[place] = UInt8(truncatingIfNeeded: texts.below(256))
    case 1: broken.remove(at: place)
    default: broken.insert(Array(#"[]{},:"\0 e-.u"#.utf8)[texts.below(14)], at: place)
    }
    return broken
  }

  private func hasTrailingComma(_ text: [UInt8]) -> Bool {
    let tokens = text.filter { $0 > 0x20 }
    return zip(tokens, tokens.dropFirst()).contains {
      $0 == UInt8(ascii: ",") && ($1 == UInt8(ascii: "]") || $1 == UInt8(ascii: "}"))
    }
  }
}
