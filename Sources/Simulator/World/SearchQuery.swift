/// A simple part of Qiita's search: words, `tag:`, `user:`, `title:`, `created:`, `updated:`, `-`,
/// and quotes around what holds spaces. All terms must hold. A word is looked for in the title and
/// the tags only, for the text of an item is made when it is sent. An unknown field is a word.
struct SearchQuery: Hashable {
  private enum Term: Hashable {
    case word(String)
    case tag(String)
    case user(String)
    case created(Comparison, Range<Int64>?)
    case updated(Comparison, Range<Int64>?)
  }

  private enum Comparison: String, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
    case within = ""
  }

  private struct Condition: Hashable {
    let term: Term
    let isNegated: Bool
  }

  private let conditions: [Condition]

  /// Reads the text of a `query` parameter, already decoded.
  init(_ text: String) {
    conditions = Self.words(text).map { word in
      let isNegated = word.hasPrefix("-") && word.count > 1
      return Condition(
        term: Self.term(isNegated ? word.dropFirst() : word[...]), isNegated: isNegated)
    }
  }

  /// Only what one user wrote.
  init(user: String) {
    conditions = [Condition(term: .user(user), isNegated: false)]
  }

  /// Whether every item matches.
  var isEmpty: Bool {
    conditions.isEmpty
  }

  /// Whether an item matches.
  func matches(_ serial: Int, in world: World) -> Bool {
    conditions.allSatisfy { Self.holds($0.term, serial, world) != $0.isNegated }
  }

  private static func holds(_ term: Term, _ serial: Int, _ world: World) -> Bool {
    let record = world.records[serial]
    switch term {
    case .tag(let name):
      return world.tags(of: serial).contains { world.tags[$0].lowercased() == name }
    case .user(let id):
      return world.users[record.user].id == id
    case .created(let comparison, let period):
      return holds(comparison, record.createdAt, period)
    case .updated(let comparison, let period):
      return holds(comparison, record.updatedAt, period)
    case .word(let word):
      return contains(world.title(of: serial), word)
        || world.tags(of: serial).contains { contains(world.tags[$0], word) }
    }
  }

  /// A date that is none matches nothing.
  private static func holds(
    _ comparison: Comparison, _ seconds: Int64, _ period: Range<Int64>?
  ) -> Bool {
    guard let period else { return false }
    return switch comparison {
    case .atLeast: seconds >= period.lowerBound
    case .atMost: seconds < period.upperBound
    case .above: seconds >= period.upperBound
    case .below: seconds < period.lowerBound
    case .within: period.contains(seconds)
    }
  }

  private static func contains(_ text: String, _ word: String) -> Bool {
    let text = Array(text.lowercased().utf8)
    let word = Array(word.utf8)
    guard text.count >= word.count else { return false }
    return (0...text.count - word.count).contains { text[$0...].starts(with: word) }
  }

  private static func term(_ word: Substring) -> Term {
    guard let colon = word.firstIndex(of: ":") else { return .word(word.lowercased()) }
    let value = word[word.index(after: colon)...]
    switch word[..<colon] {
    case "tag": return .tag(value.lowercased())
    case "user": return .user(String(value))
    case "title": return .word(value.lowercased())
    case "created", "updated":
      let comparison = Comparison.allCases.first { value.hasPrefix($0.rawValue) } ?? .within
      let period = CivilTime.japanesePeriod(value.dropFirst(comparison.rawValue.count))
      return word.hasPrefix("c") ? .created(comparison, period) : .updated(comparison, period)
    default: return .word(word.lowercased())
    }
  }

  /// The words between spaces; quotes keep spaces inside and are dropped.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case " " where !isQuoted, "\u{3000}" where !isQuoted:
        if !word.isEmpty { words.append(word) }
        word = ""
      default: word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
