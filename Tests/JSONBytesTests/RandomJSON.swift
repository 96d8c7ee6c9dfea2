/// Random JSON texts, the same for the same seed.
struct RandomJSON {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A value whose containers go at most `depth` deep, with white space between the tokens.
  mutating func value(depth: Int) -> String {
    switch below(depth > 0 ? 8 : 5) {
    case 0: pick(["true", "false", "null"])
    case 1, 2: pick(["0", "-0", "12", "-3.25", "1e3", "6.02E+23", "5e-1", "9007"])
    case 3, 4: text()
    case 5, 6: object(depth: depth)
    default: array(depth: depth)
    }
  }

  /// An object of up to five members with different keys.
  mutating func object(depth: Int) -> String {
    let members = (0..<below(6)).map { "\(space())\"k\($0)\"\(space()):\(value(depth: depth - 1))" }
    return "{\(members.joined(separator: ","))\(space())}"
  }

  /// A number in 0..<limit (splitmix64).
  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }

  private mutating func array(depth: Int) -> String {
    let elements = (0..<below(6)).map { _ in "\(space())\(value(depth: depth - 1))\(space())" }
    return elements.isEmpty ? "[]" : "[\(elements.joined(separator: ","))]"
  }

  private mutating func text() -> String {
    let pieces = [
      "a", "plain words and more of them", "日本語", "🙂", "é", #"\""#, #"\\"#, #"\n"#, #"\/"#,
      #"\u003c"#, #"\ud83d\ude42"#, "[", "}", ",", ":",
    ]
    return "\"\((0..<below(12)).map { _ in pick(pieces) }.joined())\""
  }

  private mutating func space() -> String {
    pick(["", "", "", " ", "\n", "\t \r\n"])
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices[below(choices.count)]
  }
}

/// Arrays inside one another, and what the innermost one has.
func nested(_ depth: Int, _ innermost: String = "") -> String {
  String(repeating: "[", count: depth) + innermost + String(repeating: "]", count: depth)
}
