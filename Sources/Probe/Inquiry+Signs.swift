internal import Feed
internal import JSONBytes
internal import Upstream

/// What answers tell of themselves: totals, what follows, where there is nothing, what calls cost.
extension Inquiry {
  /// Whether an answer says that there is more than it shows.
  func hasMore(_ seen: Seen) -> Bool {
    let signs = Signs.totals(of: seen, besides: shape?.items ?? [])
    let total = signs.lazy.compactMap { Int($0.value) }.max() ?? 0
    return total > seen.elements.count
      || !Signs.nexts(of: seen, besides: shape?.items ?? []).isEmpty
  }

  /// Asks for a place that no list has.
  mutating func findBeyond() async {
    guard let place, let answer = await look([.init(name: place.name, value: "1000000")]) else {
      return
    }
    let asked = "\(place.name)=1000000"
    switch answer.status {
    case 200 where answer.elements.isEmpty:
      report.notePages("beyond", nil, "\(asked) is an empty page")
    case 200:
      report.notePages("beyond", nil, "\(asked) shows elements: of the last page, or the first")
    case 400, 404, 410, 416, 422:
      report.notePages(
        "beyond", .array([.number("\(answer.status)")]), "\(asked) is \(answer.status)")
    default: report.notePages("beyond", nil, "\(asked) is \(answer.status), which may say anything")
    }
  }

  /// Asks for the last place that a list should have by its total.
  mutating func findReach() async {
    guard let place, let sample, mayAsk(keeping: 1), let total = total(of: sample),
      total > 5 * sample.elements.count
    else { return }
    let number = report.isByPage ? total / max(1, sample.elements.count) : total - 1
    guard let answer = await look(many + [.init(name: place.name, value: "\(number)")]) else {
      return
    }
    guard answer.status != 200 || answer.elements.isEmpty else { return }
    let shown = answer.status == 200 ? "is empty" : "is \(answer.status)"
    report.notePages(
      "reach", nil,
      "\(place.name)=\(number) \(shown), and the total is \(total): say how many are shown"
    )
  }

  /// The parameter that has a page show many elements.
  private var many: [ProbedURL.Parameter] {
    size.flatMap { name in
      sample.map { [.init(name: name, value: "\($0.elements.count)")] }
    } ?? []
  }

  /// The number of all elements, where an answer tells it.
  private func total(of seen: Seen) -> Int? {
    Signs.totals(of: seen, besides: shape?.items ?? []).first.flatMap { Int($0.value) }
  }

  /// Asks for what was seen again, on the condition that it has changed.
  mutating func findUnchanged() async {
    guard let last = seen.last(where: { $0.status == 200 && $0.reply.fields["ETag"] != nil }),
      let tag = last.reply.fields["ETag"], mayAsk()
    else { return }
    let before = seen.last.flatMap { Signs.remaining(of: $0) }
    guard let answer = await look(last.asked, headerLines: ["If-None-Match: \(tag)"]) else {
      return
    }
    guard answer.status == 304 else {
      return report.noteRate(
        "unchanged", nil, "asked again with its ETag, the answer was \(answer.status)")
    }
    guard let before, let after = Signs.remaining(of: answer) else {
      return report.noteRate("unchanged", nil, "a 304 came, and nothing tells what it cost")
    }
    if after >= before {
      report.noteRate("unchanged", .text("free"), "a 304 left the \(before) calls as they were")
    } else {
      report.noteRate("unchanged", nil, "a 304 cost a call")
    }
  }

  /// Notes what was found of the elements.
  mutating func noteElements() {
    guard let shape, let sample else { return }
    report.noteList(
      "items", shape.items.isEmpty ? nil : .text(FieldPath(keys: shape.items).text),
      shape.items.isEmpty
        ? "the answer is the array" : "\(sample.elements.count) objects that are alike stand there")
    if let wrapped = shape.wrapped {
      report.noteList(
        "item", .text(FieldPath(keys: [wrapped]).text), "each element wraps one object")
    }
    let id = FieldPath(keys: shape.id).text
    let count = Set(sample.ids).count
    report.noteList(
      "id", id == "id" ? nil : .text(id),
      "\(id) stands in \(sample.ids.count) of \(sample.elements.count) elements, \(count) different"
    )
    guard !isWhole else { return }
    noteKey(shape, sample)
  }

  private mutating func noteKey(_ shape: ListShape, _ sample: Seen) {
    let keys = FallingKey.all(of: sample.elements)
    guard let key = FallingKey.likeliest(of: sample.elements, id: shape.id) else {
      let many = sample.elements.count
      report.noteList(
        "order", nil,
        many < FallingKey.countMin
          ? "\(many) elements are too few to tell"
          : "no time of when they came to be falls from element to element")
      return
    }
    let name = FieldPath(keys: key.keys).text
    let fallen = key.count - key.displaced
    report.noteList(
      "order", .text("-\(name)"),
      "\(name): \(fallen) of \(key.count) falling, \(key.ties) ties")
    if key.form != .rfc3339 {
      report.noteList("time", .text(key.form.rawValue), "so it is written in all \(key.count)")
    }
    if let updated = keys.first(where: { $0.isChange && $0.form != .number && $0.keys.count == 1 })
    {
      report.noteList(
        "updated", .text(FieldPath(keys: updated.keys).text),
        "a time that tells of changes, by name")
    }
    report.noteList("settleSeconds", nil, "no answer tells how late an element may still come")
  }

  /// Notes what else the answers say.
  mutating func noteSigns(_ first: Seen) {
    let besides = shape?.items ?? []
    let answers = [first, sample].compactMap(\.self)
    if !isWhole, !report.tells("next"),
      let sign = Signs.nexts(of: first, besides: besides).first,
      sign.place != "link:next"
    {
      report.notePages("next", .text(sign.place), "it is there while more follows")
    }
    if !isWhole, let more = Signs.more(of: first, besides: besides) {
      report.notePages("more", .text(more.place), "it is \(more.value)")
    }
    // A number that follows the size of the page is that of the page.
    let totals = Signs.totals(of: first, besides: besides).filter { total in
      let told = answers.compactMap { answer in
        Signs.totals(of: answer, besides: besides).first { $0.place == total.place }
          .flatMap { Int($0.value) }
      }
      return told.count == answers.count
        && zip(told, answers).contains { $0 > $1.elements.count }
    }
    if !isWhole, let total = totals.first {
      report.notePages("total", .text(total.place), "it says \(total.value)")
      report.notePages("exact", nil, "whether it is so to the last element only its owner knows")
    }
    if let remaining = Signs.remaining(of: first) {
      report.noteRate("remaining", nil, "the header fields tell: \(remaining) calls were left")
    } else {
      report.noteRate("calls", nil, "no answer tells how many are allowed: say it, with seconds")
    }
  }
}

/// Single values of an answer that tell something of the list.
enum Signs {
  /// A value, and where it stands as a recipe writes it.
  struct Sign: Hashable {
    let place: String
    let value: String
  }

  /// The values outside of the elements, up to three keys deep.
  static func scalars(
    in body: JSONTree, besides items: [String], at keys: [String] = []
  ) -> [(keys: [String], value: JSONTree)] {
    (body.members ?? []).flatMap { member -> [(keys: [String], value: JSONTree)] in
      let place = keys + [member.name]
      switch member.value {
      case .array: return []
      case .object:
        return keys.count < 2 && place != items
          ? scalars(in: member.value, besides: items, at: place) : []
      case .null, .bool, .number, .text: return [(place, member.value)]
      }
    }
  }

  /// Where the page that follows is told, and what is.
  static func nexts(of seen: Inquiry.Seen, besides items: [String]) -> [Sign] {
    let link = seen.reply.fields.values(of: "Link").lazy
      .compactMap { LinkField.target(relation: "next", in: [$0]) }.first
      .map { Sign(place: "link:next", value: $0) }
    let told = (seen.body.map { scalars(in: $0, besides: items) } ?? []).compactMap { keys, value in
      let isNext = keys.contains { Names.next.contains(Names.folded($0)) }
      return value.scalar.flatMap { text in
        isNext && !text.isEmpty ? Sign(place: FieldPath(keys: keys).text, value: text) : nil
      }
    }
    return (link.map { [$0] } ?? []) + told
  }

  /// What says whether something follows; true is what it says of a page in the middle.
  static func more(of seen: Inquiry.Seen, besides items: [String]) -> Sign? {
    (seen.body.map { scalars(in: $0, besides: items) } ?? []).lazy.compactMap { keys, value in
      guard case .bool(let flag) = value else { return nil }
      let name = Names.folded(keys.last ?? "")
      let place = FieldPath(keys: keys).text
      if Names.more.contains(name) { return Sign(place: place, value: "\(flag)") }
      return Names.last.contains(name) ? Sign(place: "!\(place)", value: "\(flag)") : nil
    }.first
  }

  /// Where the number of all elements may be told: it is not less than what is shown.
  static func totals(of seen: Inquiry.Seen, besides items: [String]) -> [Sign] {
    let fields = Names.totalFields.compactMap { name in
      seen.reply.fields.number(name).map { Sign(place: "header:\(name)", value: "\($0)") }
    }
    let told = (seen.body.map { scalars(in: $0, besides: items) } ?? []).compactMap { keys, value in
      guard case .number(let digits) = value, let number = Int(digits),
        Names.total.contains(Names.folded(keys.last ?? "")),
        number >= seen.elements.count
      else { return nil as Sign? }
      return Sign(place: FieldPath(keys: keys).text, value: digits)
    }
    return fields + told
  }

  /// How many calls are left, as the fields that all know tell.
  static func remaining(of seen: Inquiry.Seen) -> Int? {
    BudgetReading(fields: seen.reply.fields, now: 0)?.remaining
  }

  /// The parameter that takes what a place tells: `cursor` for `next_cursor`.
  static func parameter(of place: String) -> String {
    let name = place.split { "./".contains($0) }.last.map(String.init) ?? place
    for prefix in ["next_", "next-"] where name.hasPrefix(prefix) {
      return String(name.dropFirst(prefix.count))
    }
    guard name.hasPrefix("next"), name.count > 4 else { return name }
    let rest = name.dropFirst(4)
    return rest.prefix(1).lowercased() + rest.dropFirst()
  }
}
