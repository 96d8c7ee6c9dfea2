import Foundation
import Testing

@testable import JSONBytes

@Suite struct CutTests {
  @Test(arguments: [
    ("id", #"{"id":1,"title":"a"}"#, #"{"id":1}"#),
    ("title,id", #"{"id":1,"title":"a"}"#, #"{"id":1,"title":"a"}"#),
    ("none", #"{"id":1}"#, "{}"),
    ("id", "{}", "{}"),
    ("a.b", #"{"a":{"b":1,"c":2},"b":3}"#, #"{"a":{"b":1}}"#),
    ("a.b", #"{"a":{"c":2}}"#, #"{"a":{}}"#),
    ("t.n", #"{"t":[{"n":"x","v":[]},{"v":1},{"n":"y"}]}"#, #"{"t":[{"n":"x"},{},{"n":"y"}]}"#),
    ("t.n", #"{"t":[[{"n":1,"m":2}],[]]}"#, #"{"t":[[{"n":1}],[]]}"#),
    ("n", #"[{"n":1,"m":2}]"#, #"[{"n":1}]"#),
    ("a,a.b", #"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":2}}"#),
    ("a.b,a", #"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":2}}"#),
    ("a.b,a.b", #"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1}}"#),
    ("名前", #"{"名前":"りんご","値段":200}"#, #"{"名前":"りんご"}"#),
  ])
  func keepsWhatIsNamedInItsOrder(paths: String, value: String, expected: String) throws {
    #expect(try cut(value, paths) == expected)
  }

  @Test(arguments: [
    ("a.b", #"{"a":null,"c":1}"#, #"{"a":null}"#),
    ("a.b", #"{"a":"text"}"#, "{}"),
    ("a.b", #"{"a":false}"#, "{}"),
    ("a.b,c", #"{"a":1,"c":2}"#, #"{"c":2}"#),
    ("a.b,c", #"{"c":2,"a":1}"#, #"{"c":2}"#),
    ("a.b", #"{"a":[1,{"b":2},"x",null]}"#, #"{"a":[{"b":2},null]}"#),
    ("a.b", #"{"a":[1]}"#, #"{"a":[]}"#),
    ("a", "null", "null"),
    ("a", "12", ""),
  ])
  func namesThatLeadNowhereLeaveNothingButNull(
    paths: String, value: String, expected: String
  ) throws {
    #expect(try cut(value, paths) == expected)
  }

  @Test(arguments: [
    (#"{"na\u006de":1,"x":2}"#, #"{"na\u006de":1}"#),
    (#"{"\u006e\u0061me":[1, 2]}"#, #"{"\u006e\u0061me":[1, 2]}"#),
    (#"{ "name" : 1.50e2 }"#, #"{"name":1.50e2}"#),
    (#"{"name":"\u003c\/"}"#, #"{"name":"\u003c\/"}"#),
    (#"{"nam\e":1}"#, "{}"),
    (#"{"name":1,"name":2}"#, #"{"name":1,"name":2}"#),
  ])
  func keysMatchByMeaningAndKeepTheirBytes(value: String, expected: String) throws {
    #expect(try cut(value, "name") == expected)
  }

  @Test func anEmptyPathKeepsEverything() throws {
    var tree = FieldTree()
    tree.keep([Array("a".utf8)])
    tree.keep([])
    var output: [UInt8] = []
    try JSON.cut(Array(#" {"a" : 1,"b":2} "#.utf8)[...], to: tree, into: &output)
    #expect(String(decoding: output, as: UTF8.self) == #"{"a" : 1,"b":2}"#)
  }

  @Test(arguments: [
    ("", JSONError.truncated(offset: 0)), (#"{"a":1"#, .truncated(offset: 6)),
    (#"{"a" 1}"#, .unexpectedByte(offset: 5)), (#"{"a":1}}"#, .trailingBytes(offset: 7)),
    (#"{"a":{"b":1]}"#, .unexpectedByte(offset: 11)),
  ])
  func refusesWhatIsNoValue(value: String, error: JSONError) {
    #expect(throws: error) { try cut(value, "a.b") }
  }

  @Test func allowsNestingUpToTheLimitOnly() throws {
    #expect(try cut(nested(JSON.nestingMax), "a") == nested(JSON.nestingMax))
    #expect(throws: JSONError.tooDeep(offset: JSON.nestingMax)) {
      try cut(nested(JSON.nestingMax + 1), "a")
    }
  }

  @Test(arguments: UInt64(1)...400)
  func isWhatDecodingCuttingAndEncodingGives(seed: UInt64) throws {
    var random = RandomJSON(seed: seed)
    let value = random.object(depth: 5).replacing(#""k1""#, with: #""\u006b1""#)
    let paths = (0...random.below(5)).map { _ in
      (0...random.below(3)).map { _ in "k\(random.below(6))" }
    }
    let asked = paths.map { $0.joined(separator: ".") }.joined(separator: ",")
    let cut = try cut(value, asked)
    let oracle = try #require(Oracle(value).cut(to: paths))
    #expect(try Oracle(cut) == oracle, "\(value)\n\(paths)\n\(cut)")
    try #expect(
      self.cut(cut, paths.map { $0.joined(separator: ".") }.joined(separator: ",")) == cut)
    #expect(JSON.isValid(Array(cut.utf8)[...]), "\(cut)")
    try expectSameBytes(of: paths, in: value, cut)
  }

  @Test(arguments: UInt64(1)...100)
  func bearsWhateverIsBroken(seed: UInt64) {
    var random = RandomJSON(seed: seed)
    let whole = Array(random.object(depth: 4).utf8)
    for _ in 0..<40 {
      var broken = whole
      broken[random.below(broken.count)] = Array(#"[]{},:"\ 1"#.utf8)[random.below(10)]
      let text = String(decoding: broken[..<random.below(broken.count + 1)], as: UTF8.self)
      // Only that it returns or throws, and reads nothing beyond the end.
      _ = try? cut(text, "k0,k1.k2,k3.k4.k5")
    }
  }

  /// Every value that is kept whole stands in the cut with the bytes it had, and the keys stand in
  /// the order they had.
  private func expectSameBytes(of paths: [[String]], in value: String, _ cut: String) throws {
    let (before, after) = (Array(value.utf8)[...], Array(cut.utf8)[...])
    for path in paths {
      guard let range = try JSON.member(at: path, of: before) else { continue }
      let kept = try #require(try JSON.member(at: path, of: after), "\(path)")
      #expect(before[range] == after[kept])
    }
    let keys = (0..<6).map { "k\($0)" }
    let places = zip(try JSON.members(keys, of: before), try JSON.members(keys, of: after))
      .compactMap { before, after in after.map { (before?.lowerBound ?? 0, $0.lowerBound) } }
    #expect(places.sorted { $0.0 < $1.0 }.map(\.1) == places.map(\.1).sorted())
  }

  private func cut(_ value: String, _ paths: String) throws -> String {
    var tree = FieldTree()
    for path in paths.split(separator: ",") {
      tree.keep(path.split(separator: ".").map { Array($0.utf8) })
    }
    var output: [UInt8] = []
    try JSON.cut(Array(value.utf8)[...], to: tree, into: &output)
    return String(decoding: output, as: UTF8.self)
  }
}

/// A decoded value, cut as plainly as can be.
private indirect enum Oracle: Equatable, Decodable {
  case null
  case scalar(String)
  case array([Oracle])
  case object([String: Oracle])

  init(_ text: String) throws {
    self = try JSONDecoder().decode(Oracle.self, from: Data(text.utf8))
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let object = try? value.decode([String: Oracle].self) {
      self = .object(object)
    } else if let array = try? value.decode([Oracle].self) {
      self = .array(array)
    } else if let flag = try? value.decode(Bool.self) {
      self = .scalar("\(flag)")
    } else if let number = try? value.decode(Double.self) {
      self = .scalar("\(number)")
    } else {
      self = .scalar("text \(try value.decode(String.self))")
    }
  }

  /// What the paths keep; nil when there is nothing they could lead into.
  func cut(to paths: [[String]]) -> Oracle? {
    if paths.contains([]) { return self }
    switch self {
    case .null: return .null
    case .scalar: return nil
    case .array(let elements): return .array(elements.compactMap { $0.cut(to: paths) })
    case .object(let members):
      var kept: [String: Oracle] = [:]
      for (name, value) in members {
        let inside = paths.filter { $0.first == name }.map { Array($0.dropFirst()) }
        if !inside.isEmpty { kept[name] = value.cut(to: inside) }
      }
      return .object(kept)
    }
  }
}
