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
  ///
  /// Of several fields that could name an element, the one that stands in what tells of the next
  /// page is taken, else `id`, else one that falls or rises with the list.
  init?(_ body: JSONTree, word: String) {
    let told = Signs.scalars(in: body).compactMap(\.value.scalar)
    var best: (score: Int, shape: ListShape)?
    for (keys, elements) in ListShape.arrays(in: body) {
      let shapes = [nil] + ListShape.wrappers(of: elements).map(Optional.some)
      let shape = shapes.lazy.compactMap { ListShape(elements, at: keys, wrapped: $0, told) }.first
      guard let shape else { continue }
      let score = shape.score(elements, word: word)
      if score > best?.score ?? .min { best = (score, shape) }
    }
    guard let best else { return nil }
    self = best.shape
  }

  private init?(
    _ elements: [JSONTree], at items: [String], wrapped: String?, _ told: [String]
  ) {
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
    let unique = (named + ending).filter(isUnique)
    let isTold = { (name: String) in
      let last = inner.last?[name]?.scalar ?? ""
      return last.utf8.count >= 6 && told.contains { $0.contains(last) }
    }
    let isOrdered = { (name: String) in
      [inner, inner.reversed()].contains { elements in
        FallingKey.all(of: elements).contains { $0.keys == [name] && $0.isFalling }
      }
    }
    let name =
      unique.first(where: isTold) ?? unique.first { $0.lowercased() == "id" }
      ?? unique.first(where: isOrdered) ?? unique.first
    guard let name else { return nil }
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
