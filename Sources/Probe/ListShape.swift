internal import JSONBytes
internal import Upstream

/// Where the elements of a list stand in an answer, and what names one of them: guessed from one
/// answer alone, by likeness.
struct ListShape {
  /// The keys that lead to the array.
  let items: [String]
  /// The key of what an element wraps; none where it is handed out as it is.
  let wrapped: String?
  /// The keys that lead to an element's identity.
  let id: [String]
  /// In how many of how many elements of the answer it stands, each once.
  let idCount: Int

  /// The most likely list of an answer to a path that ends with a word; nil where no array has
  /// elements that something names.
  init?(_ body: JSONTree, word: String) {
    var best: (score: Int, shape: ListShape)?
    for (keys, elements) in ListShape.arrays(in: body) {
      let shapes = [nil] + ListShape.wrappers(of: elements).map(Optional.some)
      let shape = shapes.lazy.compactMap { ListShape(elements, at: keys, wrapped: $0) }.first
      guard let shape else { continue }
      let score = shape.score(elements, word: word)
      if score > best?.score ?? .min { best = (score, shape) }
    }
    guard let best else { return nil }
    self = best.shape
  }

  private init?(_ elements: [JSONTree], at items: [String], wrapped: String?) {
    let inner = elements.compactMap {
      wrapped.map { $0.isEmpty ? nil : $0 } == nil ? $0 : $0[wrapped ?? ""]
    }
    guard inner.count == elements.count, let first = inner.first else { return nil }
    let names = (first.members ?? []).map(\.name)
    let named = Names.identity.compactMap { identity in
      names.first { $0.lowercased() == identity }
    }
    let ending = names.filter { ["_id", "id", "ID"].contains(where: $0.hasSuffix) }
    let isUnique = { (name: String) in
      let values = inner.compactMap { $0[name].flatMap(ListShape.identity) }
      return values.count == inner.count && Set(values).count == values.count
    }
    guard let name = (named + ending).first(where: isUnique) else { return nil }
    self.items = items
    self.wrapped = wrapped
    id = (wrapped.map { [$0] } ?? []) + [name]
    idCount = elements.count
  }

  /// A text that is no time and not long, or a whole number.
  private static func identity(_ value: JSONTree) -> String? {
    switch value {
    case .text(let text):
      (1...128).contains(text.utf8.count) && KeyForm.rfc3339.key(of: value) == nil ? text : nil
    case .number(let digits): digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? digits : nil
    default: nil
    }
  }

  private func score(_ elements: [JSONTree], word: String) -> Int {
    var score = min(elements.count, 30) / 3 - 2 * items.count
    if let last = items.last?.lowercased() {
      if Names.items.contains(last) { score += 6 }
      if last == word.lowercased() { score += 6 }
    } else {
      score += 12
    }
    if FallingKey.all(of: elements).contains(where: { $0.isFalling }) { score += 8 }
    // The things themselves have more to say than what they refer to.
    score += min(8, (elements.first?.members?.count ?? 0) / 2)
    return score
  }

  /// The arrays of objects up to three keys deep.
  private static func arrays(
    in body: JSONTree, at keys: [String] = []
  ) -> [(keys: [String], elements: [JSONTree])] {
    switch body {
    case .array(let elements):
      return !elements.isEmpty && elements.allSatisfy({ $0.members != nil })
        ? [(keys, elements)] : []
    case .object(let members) where keys.count < 3:
      return members.flatMap { arrays(in: $0.value, at: keys + [$0.name]) }
    default: return []
    }
  }

  /// The keys under which every element holds an object.
  private static func wrappers(of elements: [JSONTree]) -> [String] {
    (elements.first?.members ?? []).map(\.name).filter { name in
      elements.allSatisfy { $0[name]?.members != nil }
    }
  }

  /// The elements of another answer.
  func elements(in body: JSONTree) -> [JSONTree]? {
    guard case .array(let elements)? = body.value(at: items) else { return nil }
    return elements
  }

  /// The identity of an element; nil where it has none.
  func id(of element: JSONTree) -> String? {
    element.value(at: id).flatMap(\.scalar)
  }
}

/// A field whose value falls from element to element.
struct FallingKey: Hashable {
  /// The keys that lead to it in an element.
  let keys: [String]
  /// How it is written.
  let form: KeyForm
  /// How many elements were looked at.
  let count: Int
  /// How many of them have a value that another one has as well.
  let ties: Int
  /// How many of them stand above a greater one.
  let displaced: Int

  /// Whether the list may be ordered by it: of too few nothing can be told.
  var isFalling: Bool {
    count >= FallingKey.countMin && count - ties >= FallingKey.countMin && displaced * 20 <= count
  }

  /// The fewest different values by which an order is told: one of 120 others would fall by chance.
  static let countMin = 5

  /// Every field that has a time, or a number that grows, in every element.
  static func all(of elements: [JSONTree]) -> [FallingKey] {
    guard let first = elements.first else { return [] }
    return paths(in: first).compactMap { keys in
      let values = elements.compactMap { $0.value(at: keys) }
      guard values.count == elements.count,
        let form = KeyForm.allCases.first(where: { form in values.allSatisfy(form.isLikely) })
      else { return nil }
      let all = values.compactMap { form.key(of: $0) }
      guard all.count == values.count else { return nil }
      let displaced = zip(all, all.dropFirst()).count { $0 < $1 }
      return FallingKey(
        keys: keys, form: form, count: all.count, ties: all.count - Set(all).count,
        displaced: displaced)
    }
  }

  /// The scalar fields of an element, and of the objects in it.
  private static func paths(in element: JSONTree, depth: Int = 0) -> [[String]] {
    (element.members ?? []).flatMap { member -> [[String]] in
      switch member.value {
      case .text, .number: [[member.name]]
      case .object where depth < 2:
        paths(in: member.value, depth: depth + 1).map { [member.name] + $0 }
      default: []
      }
    }
  }

  /// The one that a list is most likely ordered by: when its elements came to be, else an identity
  /// that is given in turn. What tells of changes orders a list that moves all the time, and is
  /// none.
  static func likeliest(of elements: [JSONTree], id: [String]) -> FallingKey? {
    let falling = all(of: elements).filter(\.isFalling)
    let times = falling.filter { $0.form != .number && !$0.isChange }
    return times.min { $0.rank < $1.rank } ?? falling.first { $0.form == .number && $0.keys == id }
  }

  /// Whether it tells of a change.
  var isChange: Bool {
    let name = Names.folded(keys.last ?? "")
    return Names.changed.contains(where: name.contains)
  }

  /// The best first: by name, then the shallowest, and one that says its zone before others.
  private var rank: Int {
    let name = Names.folded(keys.joined(separator: "."))
    let place = Names.created.firstIndex(where: name.contains) ?? Names.created.count
    let isZoned = form != .utc || name.contains("gmt") || name.contains("utc")
    return place * 10 + keys.count * 2 + (isZoned ? 0 : 1) + (displaced > 0 ? 5 : 0)
  }
}

extension KeyForm {
  /// The key that a value is; nil where it is none of this form.
  func key(of value: JSONTree) -> Int64? {
    switch value {
    case .text(let text): key(of: Array("\"\(text)\"".utf8)[...], in: unit)
    case .number(let digits): key(of: Array(digits.utf8)[...], in: unit)
    default: nil
    }
  }

  /// Whether a value looks like a key of this form: a number of seconds is of our days.
  func isLikely(_ value: JSONTree) -> Bool {
    guard let key = key(of: value) else { return false }
    let isText = if case .text = value { true } else { false }
    let hasFraction = value.scalar?.contains(".") == true
    return switch self {
    case .rfc3339, .utc: isText
    case .seconds: (500_000_000..<10_000_000_000).contains(key)
    case .milliseconds: (500_000_000_000..<10_000_000_000_000).contains(key)
    case .decimal: hasFraction && (500_000_000_000..<10_000_000_000_000).contains(key)
    case .number: key > 0
    }
  }
}
