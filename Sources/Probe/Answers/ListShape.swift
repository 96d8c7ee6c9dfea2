internal import JSONBytes
internal import Upstream

/// Where the elements of a list stand in an answer, and what names one of them: guessed from one
/// answer alone, by likeness.
struct ListShape {
  /// The keys that lead to the array.
  let items: [String]
  /// The key of what an element wraps; none where it is handed out as it is.
  let wrapped: String?
  /// The keys that lead to an element's identity; none where that is all it is.
  let id: [String]
  /// In how many of how many elements of the answer it stands, each once.
  let idCount: Int

  /// The most likely list of an answer to a path that ends with a word; nil where no array has
  /// elements that something names.
  init?(_ body: JSONTree, word: String) {
    let told = Signs.scalars(in: body).compactMap(\.value.scalar)
    var best: (score: Int, shape: ListShape)?
    let arrays = ListShape.arrays(in: body)
    let shapes = arrays.compactMap { ListShape($0.elements, at: $0.keys, word, told) }
    for shape in shapes.isEmpty ? arrays.compactMap({ ListShape(names: $0, word) }) : shapes {
      let score = shape.score(shape.elements(in: body) ?? [], word: word)
      if score > best?.score ?? .min { best = (score, shape) }
    }
    guard let best else { return nil }
    self = best.shape
  }

  private init?(_ elements: [JSONTree], at items: [String], _ word: String, _ told: [String]) {
    guard elements.allSatisfy({ $0.members != nil }),
      let id = ListShape.id(of: elements, word, told)
    else { return nil }
    self.items = items
    // What has something of its own to say is handed out as it is.
    wrapped = id.count > 1 && elements.allSatisfy(ListShape.isWrapping) ? id[0] : nil
    self.id = id
    idCount = elements.count
  }

  /// An array of names: of texts or whole numbers, each once. Where it stands neither by itself nor
  /// under a list's name, two at least, without blanks: it may be a message.
  private init?(names array: (keys: [String], elements: [JSONTree]), _ word: String) {
    let names = array.elements.compactMap(ListShape.identity)
    let isList = array.keys.last.map { key in
      Names.items.contains(key.lowercased()) || key.lowercased() == word.lowercased()
    }
    let isApart = names.count > 1 && !names.contains { $0.contains(where: \.isWhitespace) }
    guard names.count == array.elements.count, Set(names).count == names.count,
      isList ?? true || isApart
    else { return nil }
    (items, wrapped, id, idCount) = (array.keys, nil, [], names.count)
  }

  /// Whether an element has one object, and beside it nothing or a word: a kind, or a cursor.
  private static func isWrapping(_ element: JSONTree) -> Bool {
    let beside = (element.members ?? []).filter { $0.value.members == nil }
    let isWord = beside.allSatisfy { member in
      guard case .text = member.value else { return false }
      return Names.wrapping.contains(Names.folded(member.name))
    }
    return isWord && beside.count <= 1 && element.members?.count == beside.count + 1
  }

  /// What names each of some elements. Of several fields that could, the one that stands in what
  /// names the next page is taken, else `id`, else one that falls or rises with the list.
  private static func id(of elements: [JSONTree], _ word: String, _ told: [String]) -> [String]? {
    let isUnique = { (keys: [String]) in
      let values = elements.compactMap { $0.value(at: keys).flatMap(identity) }
      return values.count == elements.count && Set(values).count == values.count
    }
    let isTold = { (keys: [String]) in
      let last = elements.last?.value(at: keys)?.scalar ?? ""
      return last.utf8.count >= 6 && told.contains { $0.contains(last) }
    }
    let ordered = [elements, elements.reversed()].flatMap { FallingKey.all(of: $0) }
      .filter(\.isFalling).map(\.keys)
    let own = (elements.first?.members ?? []).map { [$0.name] }
    let inner = wrappers(of: elements).flatMap { wrapper in
      (elements.first?[wrapper]?.members ?? []).map { [wrapper, $0.name] }
    }
    let likely = { (fields: [[String]]) in
      let ends = ending(fields, word)
      return named(Names.identity, fields) + ends.own + ends.others.filter { $0 == fields.first }
        + named(Names.lesserIdentity, fields) + ends.others + coded(fields)
    }
    let unique = (likely(own) + likely(inner) + plain(own, of: elements)).filter(isUnique)
    return unique.first(where: isTold) ?? unique.first {
      $0.count == 1 && $0[0].lowercased() == "id"
    }
      ?? unique.first(where: ordered.contains) ?? unique.first
  }

  private static func named(_ names: [String], _ fields: [[String]]) -> [[String]] {
    names.flatMap { name in fields.filter { $0.last?.lowercased() == name } }
  }

  /// Those that end as an identity does: of the thing itself, `post_id` of `posts`, and others,
  /// which may name what the thing refers to.
  private static func ending(
    _ fields: [[String]], _ word: String
  ) -> (own: [[String]], others: [[String]]) {
    let all = fields.filter { keys in
      ["_id", "id", "Id", "ID"].contains(where: (keys.last ?? "").hasSuffix)
    }
    let isOwn = { (keys: [String]) in
      let name = Names.folded(keys.last ?? "").dropLast(2)
      return name.count >= 3 && Names.folded(word).hasPrefix(name)
    }
    return (all.filter(isOwn), all.filter { !isOwn($0) })
  }

  /// Those that end as a number or a code does: `orderNumber`, `orderNo`.
  private static func coded(_ fields: [[String]]) -> [[String]] {
    fields.filter { keys in
      let name = Names.folded(keys.last ?? "")
      return Names.numberEnds.contains(where: (keys.last ?? "").hasSuffix)
        || Names.identityEnds.contains(where: name.hasSuffix)
    }
  }

  /// The fewest elements of which a field that is called otherwise is believed to name each.
  private static let plainMin = 5

  /// Those that hold one word each: of enough elements, what is different in each names it.
  private static func plain(_ fields: [[String]], of elements: [JSONTree]) -> [[String]] {
    guard elements.count >= plainMin else { return [] }
    return fields.filter { keys in
      elements.allSatisfy { element in
        if case .text(let text)? = element.value(at: keys) {
          !text.contains(where: \.isWhitespace)
        } else {
          false
        }
      }
    }
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
    let isOrdered = FallingKey.all(of: elements).contains { key in
      key.isFalling && (key.form != .number || key.keys == id)
    }
    if isOrdered { score += 8 }
    // The things themselves have more to say than what they refer to.
    score += min(8, (elements.first?.members?.count ?? 0) / 2)
    return score
  }

  /// The arrays with elements up to three keys deep.
  private static func arrays(
    in body: JSONTree, at keys: [String] = []
  ) -> [(keys: [String], elements: [JSONTree])] {
    switch body {
    case .array(let elements): return elements.isEmpty ? [] : [(keys, elements)]
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
