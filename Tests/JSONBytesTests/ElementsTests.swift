import JSONBytes
import Testing

@Suite struct ElementsTests {
  @Test(arguments: [
    ("[]", []),
    (" [ \t\r\n] ", []),
    ("[1]", ["1"]),
    ("[ 1 , -2.5e3,true ,null]", ["1", "-2.5e3", "true", "null"]),
    (#"["a","b\"]","\\","\\\""]"#, [#""a""#, #""b\"]""#, #""\\""#, #""\\\"""#]),
    (#"[{"a":[1,{"b":"]}"}]}, [[],{}] ]"#, [#"{"a":[1,{"b":"]}"}]}"#, "[[],{}]"]),
    (
      #"["日本語 🙂 0123456789012345678901234567890123456789"]"#,
      [#""日本語 🙂 0123456789012345678901234567890123456789""#]
    ),
  ])
  func findsEveryElement(array: String, expected: [String]) throws {
    #expect(try elements(array) == expected)
  }

  @Test(arguments: [
    ("", JSONError.truncated(offset: 0)),
    ("  ", .truncated(offset: 2)),
    ("{}", .notAnArray),
    ("<html>", .notAnArray),
    ("[", .truncated(offset: 1)),
    ("[1", .truncated(offset: 2)),
    ("[1,", .truncated(offset: 3)),
    ("[1,]", .unexpectedByte(offset: 3)),
    ("[,1]", .unexpectedByte(offset: 1)),
    ("[1 2]", .unexpectedByte(offset: 3)),
    ("[1:2]", .unexpectedByte(offset: 2)),
    ("[1}", .unexpectedByte(offset: 2)),
    ("[[1}]", .mismatchedBracket(offset: 3)),
    (#"[{"a":1]]"#, .mismatchedBracket(offset: 7)),
    (#"["a\"]"#, .truncated(offset: 6)),
    (#"["a\"#, .truncated(offset: 4)),
    ("[1]]", .trailingBytes(offset: 3)),
    ("[1] x", .trailingBytes(offset: 4)),
  ])
  func refusesBrokenArray(array: String, error: JSONError) {
    #expect(throws: error) { try JSON.elements(of: Array(array.utf8)) }
  }

  @Test func tellsWhatItHasPassed() throws {
    let array = Array(#" [ {"a":[1,2]} , "é,]" ,3, null ] "#.utf8)
    var passed: [Int] = []
    let ranges = try JSON.elements(of: array) { passed.append($0) }
    #expect(passed == ranges.map(\.count))
    #expect(passed == [11, 6, 1, 4])
  }

  @Test(arguments: [0, 1, 2, 1_000])
  func takesElementsUpToTheLimitOnly(limit: Int) throws {
    func zeros(_ count: Int) -> [UInt8] {
      Array("[\([String](repeating: "0", count: count).joined(separator: ","))]".utf8)
    }
    #expect(try JSON.elements(of: zeros(limit), countMax: limit).count == limit)
    #expect(throws: JSONError.tooManyElements(limit: limit)) {
      try JSON.elements(of: zeros(limit + 1), countMax: limit)
    }
  }

  @Test func allowsNestingUpToTheLimitOnly() throws {
    #expect(JSON.isValid(Array(nested(JSON.nestingMax).utf8)[...]))
    #expect(throws: JSONError.tooDeep(offset: JSON.nestingMax)) {
      try JSON.validate(Array(nested(JSON.nestingMax + 1).utf8)[...])
    }
  }

  @Test(arguments: [JSON.nestingMax - 1, JSON.nestingMax, JSON.nestingMax + 1, 200_000])
  func anElementThatIsTooDeepCostsNoOther(depth: Int) throws {
    let deep = nested(depth, #""]]\"[[",{"a":"}"}"#)
    #expect(try elements("[1,\(deep),2]") == ["1", deep, "2"])
    let bytes = Array("[1,\(deep.dropLast())".utf8)
    #expect(throws: JSONError.truncated(offset: bytes.count)) { try JSON.elements(of: bytes) }
  }

  @Test func givesRangesInTheIndicesOfTheSlice() throws {
    let bytes = Array("xx[1, 22]yy".utf8)
    #expect(try JSON.elements(of: bytes[2..<9]) == [3..<4, 6..<8])
  }

  @Test(arguments: 0..<9)
  func findsTheClosingQuoteAtEveryAlignment(shift: Int) throws {
    for length in 0..<80 {
      let text = "\"\(String(repeating: "a", count: length))\""
      let array = String(repeating: " ", count: shift) + "[\(text),\(text)]"
      #expect(try elements(array) == [text, text])
    }
  }

  @Test(arguments: UInt64(1)...60)
  func refusesEveryPrefix(seed: UInt64) throws {
    var texts = RandomJSON(seed: seed)
    let bytes = Array("[\(texts.value(depth: 3)),\(texts.value(depth: 2))]".utf8)
    #expect(try JSON.elements(of: bytes).count == 2)
    for count in 0..<bytes.count {
      #expect(throws: JSONError.self) { try JSON.elements(of: bytes[..<count]) }
    }
  }

  @Test(arguments: UInt64(1)...100)
  func givesTheElementsOfWhateverIsValid(seed: UInt64) throws {
    var texts = RandomJSON(seed: seed)
    let whole = Array("[\(texts.object(depth: 3)),\(texts.value(depth: 3)),1]".utf8)
    for _ in 0..<30 {
      var broken = whole
      broken[texts.below(broken.count)] = Array(#"[]{},:"\ 1"#.utf8)[texts.below(10)]
      let ranges = try? JSON.elements(of: broken)
      if JSON.isValid(broken[...]), broken[0] == UInt8(ascii: "[") { #expect(ranges != nil) }
      for range in ranges ?? [] {
        #expect(!range.isEmpty)
        // Whatever the scan lets through must not upset what looks inside.
        _ = try? JSON.members(["k1", "absent"], of: broken[range])
        _ = try? JSON.text(broken[range])
      }
    }
  }

  private func elements(_ array: String) throws -> [String] {
    let bytes = Array(array.utf8)
    return try JSON.elements(of: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
  }
}
