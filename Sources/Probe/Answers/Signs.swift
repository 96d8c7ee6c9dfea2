internal import Feed
import Freshness
internal import JSONBytes
internal import Upstream

/// Single values of an answer, outside of its elements, that tell something of the list.
enum Signs {
  /// A value, and where it stands as a recipe writes it.
  struct Sign: Hashable {
    /// Nil where a recipe cannot name the place.
    let place: String?
    let value: String
  }

  /// The single values that stand in no array, up to three keys deep.
  static func scalars(
    in body: JSONTree?, at keys: [String] = []
  ) -> [(keys: [String], value: JSONTree)] {
    (body?.members ?? []).flatMap { member -> [(keys: [String], value: JSONTree)] in
      let place = keys + [member.name]
      switch member.value {
      case .array: return []
      case .object: return keys.count < 2 ? scalars(in: member.value, at: place) : []
      case .null, .bool, .number, .text: return [(place, member.value)]
      }
    }
  }

  /// Where the next page is named, and how: by name, as a relation, or since it names
  /// the last element. Those that a recipe can use come first.
  static func nexts(of answer: Answer, in address: ListAddress) -> [Sign] {
    let link =
      LinkField.target(relation: "next", in: answer.fields.texts(of: "Link"))
      .map { [Sign(place: "link:next", value: $0)] } ?? []
    let fields = answer.fields.texts.compactMap { name, value -> Sign? in
      let isOther = ["link", "location", "content-location"].contains(name) || isBackward([name])
      let isNext =
        Names.nextFields.contains(where: name.contains)
        || address.parameters(ofReference: value) != nil
      return !isOther && isNext && !NoWords.isNone(value)
        ? Sign(place: place(ofField: name), value: value) : nil
    }
    let lasts = lastValues(of: answer)
    let told = scalars(in: answer.body).compactMap { keys, value -> Sign? in
      guard let text = value.scalar, !NoWords.isNone(text), !isBackward(keys) else { return nil }
      let namesLast = lasts.contains { text.contains($0) }
      return isNext(keys) || namesLast || isTextOfOffset(keys, value)
        ? Sign(place: FieldPath(keys: keys).text, value: text) : nil
    }
    return link + told.filter { address.parameters(ofReference: $0.value) != nil } + fields
      + told.filter { address.parameters(ofReference: $0.value) == nil }
      + relations(in: answer.body).map { Sign(place: nil, value: $0) }
  }

  /// Texts that may be tokens by what they are, whatever they are called: neither short nor a
  /// number, a time or a URL, and not of the answer itself.
  static func texts(of answer: Answer) -> [Sign] {
    scalars(in: answer.body).compactMap { keys, value in
      guard case .text(let text) = value, text.utf8.count >= 8, !isBackward(keys), !isURL(text),
        let name = keys.last.map(Names.folded), !name.hasSuffix("id"),
        !["tag", "hash", "version", "time", "trace"].contains(where: name.contains),
        text.contains(where: { !$0.isNumber }), !text.contains(where: \.isWhitespace),
        KeyForm.rfc3339.key(of: value) == nil
      else { return nil }
      return Sign(place: FieldPath(keys: keys).text, value: text)
    }
  }

  /// Whether a text is an absolute URL.
  static func isURL(_ text: String) -> Bool {
    ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
  }

  /// `header:Next-Page` for a name in any letter case.
  static func place(ofField name: String) -> String {
    let words = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return "header:\(words.joined(separator: "-"))"
  }

  private static func isNext(_ keys: [String]) -> Bool {
    // A cursor's object says how many come, too.
    guard keys.last.map(Names.isSize) != true else { return false }
    return keys.contains { key in
      let name = Names.folded(key)
      return name.contains("next") || Names.next.contains(name)
    }
  }

  /// Whether it is called as a number of elements is and is a text that is none: then it leads on.
  private static func isTextOfOffset(_ keys: [String], _ value: JSONTree) -> Bool {
    guard case .text(let text) = value, let key = keys.last, Names.isOffset(key) else {
      return false
    }
    return text.utf8.count >= 8 && text.contains { !$0.isNumber }
      && KeyForm.rfc3339.key(of: value) == nil
  }

  private static func isBackward(_ keys: [String]) -> Bool {
    let words = ["prev", "first", "self", "start", "since"]
    return keys.map { Names.folded($0) }.contains { key in
      key != "startingafter" && words.contains(where: key.contains)
    }
  }

  /// What the last element is named by, if that is long enough to be found by chance nowhere else.
  private static func lastValues(of answer: Answer) -> [String] {
    let id = answer.ids.last.map { [$0] } ?? []
    let times = answer.elements.last.map { last in
      FallingKey.all(of: answer.elements).filter { $0.form != .number }
        .compactMap { last.value(at: $0.keys)?.scalar }
    }
    return (id + (times ?? [])).filter { $0.utf8.count >= 6 }
  }

  /// The targets of links that stand in an array: `[{"rel":"next","href":"…"}]`.
  private static func relations(in body: JSONTree?, depth: Int = 0) -> [String] {
    switch body {
    case .array(let links)?:
      links.compactMap { link in
        let isNext = (link["rel"] ?? link["relation"])?.scalar?.lowercased() == "next"
        return isNext ? (link["href"] ?? link["url"] ?? link["uri"])?.scalar : nil
      }
    case .object(let members)? where depth < 3:
      members.flatMap { relations(in: $0.value, depth: depth + 1) }
    default: []
    }
  }

  /// Whether an answer names a place of the next page and says that there is none.
  static func endsByName(_ answer: Answer) -> Bool {
    scalars(in: answer.body).contains { keys, value in
      guard isNext(keys), !isBackward(keys) else { return false }
      return value == .null || value == .bool(false) || value.scalar.map(NoWords.isNone) == true
    }
  }

  /// What says whether something follows, and whether it does.
  static func more(of answer: Answer) -> (sign: Sign, follows: Bool)? {
    scalars(in: answer.body).lazy.compactMap { keys, value in
      guard case .bool(let flag) = value else { return nil }
      let name = Names.folded(keys.last ?? "")
      let place = FieldPath(keys: keys).text
      if Names.more.contains(name) { return (Sign(place: place, value: "\(flag)"), flag) }
      return Names.last.contains(name)
        ? (Sign(place: "!\(place)", value: "\(flag)"), !flag) : nil
    }.first
  }

  /// Where the number of all elements may be, the likeliest first: it is not less than what is
  /// shown.
  static func totals(of answer: Answer) -> [Sign] {
    let fields = answer.fields.texts.compactMap { name, _ -> Sign? in
      // What is left of a rate is no list's.
      guard name.contains("total"), !["page", "rate", "limit"].contains(where: name.contains),
        let number = answer.fields.number(name), number >= answer.elements.count
      else { return nil }
      return Sign(place: place(ofField: name), value: "\(number)")
    }
    let told = scalars(in: answer.body).compactMap { keys, value -> (isKnown: Bool, Sign)? in
      let name = Names.folded(keys.last ?? "")
      let isLikely =
        Names.totalWords.contains(where: name.contains)
        && !["page", "estimat"].contains(where: name.contains)
      guard case .number(let digits) = value, let number = Int(digits),
        Names.total.contains(name) || isLikely, number >= answer.elements.count
      else { return nil }
      return (Names.total.contains(name), Sign(place: FieldPath(keys: keys).text, value: digits))
    }
    return fields + told.filter(\.isKnown).map(\.1) + told.filter { !$0.isKnown }.map(\.1)
  }

  /// Whether an answer says that there is more than it shows.
  static func hasMore(_ answer: Answer, in address: ListAddress) -> Bool {
    let total = totals(of: answer).lazy.compactMap { Int($0.value) }.max() ?? 0
    return total > answer.elements.count || !nexts(of: answer, in: address).isEmpty
      || more(of: answer)?.follows == true
  }

  /// How many calls are left, as the fields that all know tell.
  static func remaining(of answer: Answer) -> Int? {
    BudgetReading(fields: answer.fields, now: 0)?.remaining
  }
}
