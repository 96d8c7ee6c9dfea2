internal import Feed
internal import JSONBytes
internal import Upstream

/// What the answers show of the elements, and of what stands beside them. Nothing is asked for it.
struct ListFindings {
  let evidence: Transcript
  let sample: Answer
  private var shape: ListShape { evidence.shape }

  /// Where the elements stand, and what names one.
  var elements: [Report.Note] {
    let kind = shape.id.isEmpty ? "texts or numbers" : "objects that are alike"
    var notes: [Report.Note] = [
      .list(
        "items", shape.items.isEmpty ? nil : .text(FieldPath(keys: shape.items).text),
        shape.items.isEmpty
          ? "the answer is the array"
          : "\(sample.elements.count) \(kind) stand there")
    ]
    if let wrapped = shape.wrapped {
      let path = FieldPath(keys: [wrapped]).text
      notes.append(.list("item", .text(path), "each element wraps one object"))
    }
    let id = FieldPath(keys: shape.id).text
    let count = Set(sample.ids).count
    let name = shape.id.isEmpty ? "an identity" : id
    let shown =
      "\(name) stands in \(sample.ids.count) of \(sample.elements.count) elements, "
      + "\(count) different"
      + (shape.id.last?.lowercased() == Names.describing ? "; two may have one name" : "")
    return notes + [.list("id", id == "id" ? nil : .text(id), shown)]
  }

  /// What the list is ordered by.
  var order: [Report.Note] {
    guard let key = evidence.order(of: sample) else {
      return [.list("order", nil, noOrder)]
    }
    let name = FieldPath(keys: key.keys).text
    let fallen = key.count - key.displaced
    var notes: [Report.Note] = [
      .list(
        "order", .text("-\(name)"),
        "\(name): \(fallen) of \(key.count) falling, \(key.ties) ties")
    ]
    if key.form != .rfc3339 {
      let shown = "so it is written in all \(key.count)"
      notes.append(.list("time", .text(key.form.rawValue), shown))
    }
    let changes = FallingKey.all(of: sample.elements)
      .filter { $0.isChange && $0.form != .number && $0.keys.count == 1 }
    if let updated = changes.first(where: \.isZoned) ?? changes.first {
      let path = FieldPath(keys: updated.keys).text
      notes.append(.list("updated", .text(path), "a time that tells of changes, by name"))
    }
    let late = "no answer tells how late an element may still come"
    return notes + [.list("settleSeconds", nil, late)]
  }

  private var noOrder: String {
    let count = sample.elements.count
    guard count >= FallingKey.countMin else { return "\(count) elements are too few to tell" }
    if let change = FallingKey.all(of: sample.elements).first(where: { $0.isFalling && $0.isChange }
    ) {
      return "\(FieldPath(keys: change.keys).text) falls: what is changed may go to the top"
    }
    let upward = FallingKey.likeliest(of: sample.elements.reversed(), id: shape.id)
    guard let upward else { return "no time of when they came to be falls from element to element" }
    let name = FieldPath(keys: upward.keys).text
    return "\(name) rises: the oldest come first, and what is new comes at the end; "
      + "if the API can sort, give the URL of the newest first"
  }

  /// What says that more follows, and how many there are; `place` has spoken of the next already.
  func signs(_ place: PageMethod) -> [Report.Note] {
    let telling = evidence.telling
    var notes: [Report.Note] = []
    let next = Signs.nexts(of: telling, in: evidence.address).compactMap(\.place).first
    if !place.isNext, let next, next != "link:next",
      !place.notes.contains(where: { $0.key == "next" })
    {
      notes.append(.pages("next", .text(next), "it is there while more follows"))
    }
    if let more = Signs.more(of: telling), more.follows, let path = more.sign.place {
      notes.append(.pages("more", .text(path), "it is \(more.sign.value)"))
    }
    if let total = total(by: place.number) {
      notes.append(.pages("total", total.place.map { .text($0) }, "it says \(total.value)"))
    }
    return notes
  }

  /// The number of all elements. One that follows the size of the page is that of the page. Some
  /// tell it only where a size is asked for. What counts elements where an offset has shown that
  /// there are none is that of another thing: of comments with all that answer them.
  func total(by number: NumberQuestion.Trial?) -> Signs.Sign? {
    let end = number.flatMap(leastEmptyOffset) ?? .max
    let sized = evidence.answers.filter { answer in
      evidence.sizeName.map { answer.ask.gives($0) } ?? true
    }
    let answers = sized.filter { !$0.ids.isEmpty }
    return Signs.totals(of: evidence.telling).first { total in
      let counts = answers.compactMap { answer in
        Signs.totals(of: answer).first { $0.place == total.place }.flatMap { Int($0.value) }
      }
      // What is left below a page is as many less as it has more.
      let isLeft = (counts.max() ?? 0) - (counts.min() ?? 0) > Transcript.driftMax
      return counts.count == answers.count && !isLeft && Int(total.value) ?? 0 <= end
        && zip(counts, answers).contains { $0 > $1.elements.count }
    }
  }

  /// The least offset that was asked for and had nothing; nil where a number is of pages.
  private func leastEmptyOffset(_ number: NumberQuestion.Trial) -> Int? {
    guard !number.isPage else { return nil }
    return evidence.answers.filter { $0.status == 200 && $0.elements.isEmpty }
      .compactMap { answer in
        answer.ask.parameters.last { $0.name == number.name }.flatMap { Int($0.value) }
      }.min()
  }
}
