import Feed
import Testing

@testable import Upstream

@Suite struct FileElementsTests {
  private func read(_ text: String) throws(FileFault) -> [(String, String)] {
    try FileElements.read(Array(text.utf8)).map {
      ($0.id.text, String(decoding: $0.bytes, as: UTF8.self))
    }
  }

  @Test(arguments: [
    ("[]", []), (" [ ]\n", []), ("\u{FEFF}[]", []),
    (#"[{"id":1}]"#, [#"{"id":1}"#]),
    (
      "[\n  {\"id\": \"a\",\n   \"n\": 1},\n {\"id\":-5}\n]\n",
      ["{\"id\": \"a\",\n   \"n\": 1}", #"{"id":-5}"#]
    ),
    (#"{"id":1}"#, [#"{"id":1}"#]),
    ("{\"id\":1}\r\n\n  {\"id\":2}  \n", [#"{"id":1}"#, #"{"id":2}"#]),
    ("\u{FEFF}{\"id\":\"\\u3042\"}\n", [#"{"id":"\u3042"}"#]),
  ])
  func readsArraysAndLines(text: String, elements: [String]) throws {
    #expect(try read(text).map(\.1) == elements)
  }

  @Test func theIdentityIsATextOrAWholeNumber() throws {
    let ids = try read(#"[{"id":"a"},{"id":7},{"id":-7},{"id":"8"},{"id":"\u3042"},{"id":0}]"#)
    #expect(ids.map(\.0) == ["a", "7", "-7", "8", "あ", "0"])
  }

  @Test(arguments: ["[\"a\", 7,\"\\u3042\"]", "\"a\"\n7\n\"\\u3042\"\n"])
  func anElementMayBeItsIdentity(text: String) throws {
    var list = ListRecipe(path: "items")
    list.id = .whole
    let items = try FileElements.read(Array(text.utf8), list)
    #expect(items.map(\.id.text) == ["a", "7", "あ"])
    let shown = [#"{"id":"a"}"#, #"{"id":7}"#, #"{"id":"\u3042"}"#]
    #expect(items.map { String(decoding: $0.bytes, as: UTF8.self) } == shown)
    for bad in ["[{}]", "[null]", "[1.5]", #"["a","a"]"#, #"[""]"#] {
      #expect(throws: FileFault.self) { try FileElements.read(Array(bad.utf8), list) }
    }
  }

  @Test func takesTheIdentityAndTheOrderOfARecipe() throws {
    var list = ListRecipe(path: "items")
    list.id = FieldPath(keys: ["meta", "key"])
    list.order = .falling(FieldPath(key: "at"))
    let lines = [
      #"{"meta":{"key":"a"},"at":"2025-01-01T00:00:00Z"}"#,
      #"{"meta":{"key":"b"},"at":"2025-01-02T00:00:00Z"}"#,
      #"{"meta":{"key":"c"},"at":"2025-01-01T09:00:00+09:00"}"#,
    ]
    let read = { (lines: [String]) throws(FileFault) in
      try FileElements.read(Array(lines.joined(separator: "\n").utf8), list)
    }
    let items = try read(lines)
    #expect(items.map(\.id.text) == ["b", "c", "a"])
    #expect(items.map(\.key) == [1_735_776_000_000, 1_735_689_600_000, 1_735_689_600_000])
    #expect(throws: FileFault(line: 4, reason: "no meta.key")) {
      try read(lines + [#"{"id":"d","at":"2025-01-01T00:00:00Z"}"#])
    }
    #expect(throws: FileFault(line: 4, reason: "at is no rfc3339")) {
      try read(lines + [#"{"meta":{"key":"d"},"at":5}"#])
    }
  }

  @Test(arguments: [
    ("", 1, "there is nothing; an empty feed is []"),
    (" \n \n", 1, "there is nothing; an empty feed is []"),
    ("[\n{\"id\":1},\n{\"id\":2}", 3, "it ends before its last value does"),
    ("[\n{\"id\":1}\n{\"id\":2}]", 3, "a byte that cannot stand here"),
    ("[\n{\"id\":1},\n]", 3, "a byte that cannot stand here"),
    ("[{\"id\":1}]\n\n[]", 3, "something follows the value"),
    ("[\n{\"id\":1},\n\n{\"name\":\"x\"}]", 4, "no id"),
    (
      "[\n{\"id\":1},{\"id\":\n1.5}]", 2,
      "an id that is no text of 1 to 128 bytes and no whole number"
    ),
    ("[{\"id\":\"\"}]", 1, "an id that is no text of 1 to 128 bytes and no whole number"),
    ("[{\"id\":null}]", 1, "an id that is no text of 1 to 128 bytes and no whole number"),
    ("[1]", 1, "no object"), ("[\n[]]", 2, "no object"),
    ("{\"id\":1}\n{\"id\":2\n{\"id\":3}", 2, "it ends before its last value does"),
    ("{\"id\":1}\n\nnonsense\n", 3, "a byte that cannot stand here"),
    ("{\n\"id\":1}\n", 1, "it ends before its last value does"),
    ("{\"id\":1}\n{\"id\":2}\n{\"id\":\"1\"}\n", 3, "the id of line 1 again"),
    ("[{\"id\":1,\"n\":\"\\x\"}]", 1, "a backslash that escapes nothing"),
    ("[{\"id\":1,\n\"n\":01}]", 2, "a byte that cannot stand here"),
    ("[{\"id\":1}}", 1, "a byte that cannot stand here"),
    ("[{\"id\":1,\"n\":[}]}]", 1, "a bracket that closes nothing"),
    ("<html>", 1, "a byte that cannot stand here"),
  ])
  func refusesAFileAtItsLine(text: String, line: Int, reason: String) {
    #expect(throws: FileFault(line: line, reason: reason)) { try read(text) }
  }

  @Test func refusesBytesThatAreNoText() {
    let bytes = Array("[\n{\"id\":\"a".utf8) + [0xFF] + Array("\"}]".utf8)
    #expect(throws: FileFault(line: 2, reason: "no UTF-8")) { try FileElements.read(bytes) }
  }

  @Test(arguments: [(0, true), (1, false)])
  func takesSoManyElementsOnly(more: Int, isTaken: Bool) throws {
    let lines = (0..<FileElements.countMax + more).map { "{\"id\":\($0)}\n" }.joined()
    if isTaken {
      #expect(try FileElements.read(Array(lines.utf8)).count == FileElements.countMax)
    } else {
      let fault = FileFault(line: FileElements.countMax + 1, reason: "more than 100000 elements")
      #expect(throws: fault) { try FileElements.read(Array(lines.utf8)) }
    }
  }

  @Test(arguments: [(128, true), (129, false)])
  func takesIdentitiesOfSoManyBytesOnly(count: Int, isTaken: Bool) {
    let text = "[{\"id\":\"\(String(repeating: "a", count: count))\"}]"
    #expect(((try? FileElements.read(Array(text.utf8))) != nil) == isTaken)
  }

  @Test func anyChangeOfAnElementIsAnUpdate() throws {
    func mark(_ text: String) throws -> Int64? {
      try FileElements.read(Array(text.utf8)).first?.updatedAt
    }
    let plain = #"{"id":1,"price":200,"updated_at":"2026-01-01T00:00:00Z"}"#
    #expect(try mark(plain) == mark("[\(plain)]"))
    #expect(try mark(plain) != mark(plain.replacing("200", with: "300")))
  }

  /// Whatever becomes of a file, it is read or refused.
  @Test(arguments: UInt64(1)...40)
  func bearsWhateverIsBroken(seed: UInt64) {
    var random = SystemRandomNumberGenerator()
    let whole = Array("[{\"id\":1,\"n\":[{}]},\n{\"id\":\"b\",\"t\":\"\\u3042\"}]\n".utf8)
    for _ in 0..<200 {
      var broken = whole
      for _ in 0...Int(seed % 4) {
        broken[Int.random(in: broken.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      let count = Int.random(in: 0...broken.count, using: &random)
      do {
        _ = try FileElements.read(Array(broken[..<count]))
      } catch {
        #expect((1...4).contains(error.line))
      }
    }
  }
}
