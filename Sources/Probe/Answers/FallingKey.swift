internal import Feed
internal import JSONBytes
internal import Upstream

/// A field whose value falls from element to element.
struct FallingKey: Hashable {
  /// The keys that lead to it in an element.
  let keys: [String]
  /// How it is written.
  let form: KeyForm
  /// The keys of the elements, in their order.
  let values: [Int64]

  /// How many elements were looked at.
  var count: Int { values.count }
  /// How many of them have a value that another one has as well.
  var ties: Int { count - Set(values).count }
  /// How many of them stand above a greater one.
  var displaced: Int { zip(values, values.dropFirst()).count { $0 < $1 } }

  /// Whether the list may be ordered by it: too few prove nothing.
  var isFalling: Bool {
    count >= FallingKey.countMin && count - ties >= FallingKey.countMin && displaced * 20 <= count
  }

  /// The fewest different values that show an order: one of 120 others would fall by chance.
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
      return all.count == values.count ? FallingKey(keys: keys, form: form, values: all) : nil
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
  /// that is given in turn; before all else what the list is asked to be `sorted` by. A time of
  /// change orders a list that moves all the time: where it may be that, there is none.
  static func likeliest(
    of elements: [JSONTree], id: [String], sorted words: Set<String> = []
  ) -> FallingKey? {
    let falling = all(of: elements).filter(\.isFalling)
    let numbers = falling.filter { $0.form.isWholeNumber && ($0.keys == id || $0.isIdentity) }
    let times = falling.filter {
      $0.form != .number && !$0.isChange && !$0.isEnd && !numbers.contains($0)
    }
    let likeliest =
      (times + numbers).first { words.contains(Names.folded($0.keys.last ?? "")) }
      ?? times.min { $0.rank < $1.rank }
      ?? numbers.first { $0.keys == id }.map {
        FallingKey(keys: id, form: .number, values: $0.values)
      }
    let changes = falling.filter { $0.form != .number && $0.isChange }
    return likeliest.flatMap { key in changes.contains { $0.mayOrder(against: key) } ? nil : key }
  }

  /// Whether a list may be ordered by this rather than by another key: it falls better, or as well
  /// and is later for most elements by more than the moment in which both are written.
  private func mayOrder(against other: FallingKey) -> Bool {
    let seconds = [self, other].map { key in key.values.map(key.form.unit.second(of:)) }
    let later = zip(seconds[0], seconds[1]).count { mine, theirs in
      mine.flatMap { mine in theirs.map { mine > $0 + 1 } } ?? false
    }
    return displaced < other.displaced || (displaced == other.displaced && later * 2 > count)
  }

  /// Whether it is a time of change.
  var isChange: Bool {
    let name = Names.folded(keys.last ?? "")
    return Names.changed.contains(where: name.contains)
  }

  /// Whether it is the time at which something ends: what has not ended has none.
  private var isEnd: Bool {
    let name = Names.folded(keys.last ?? "")
    return Names.ended.contains(where: name.hasPrefix)
  }

  /// Whether it is called as an identity is, of the thing itself or of another.
  private var isIdentity: Bool { Names.folded(keys.last ?? "").hasSuffix("id") }

  /// Whether it says which zone it is of.
  var isZoned: Bool {
    let name = keys.joined(separator: ".").lowercased()
    return form != .utc || name.contains("gmt") || name.contains("utc")
  }

  /// The best first: by name, then the shallowest, and one that says its zone before others.
  private var rank: Int {
    let name = Names.folded(keys.joined(separator: "."))
    let place = Names.created.firstIndex(where: name.contains) ?? Names.created.count
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

  /// Whether it is written as an identity may be that is as large as a time.
  var isWholeNumber: Bool { [.number, .seconds, .milliseconds].contains(self) }

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
