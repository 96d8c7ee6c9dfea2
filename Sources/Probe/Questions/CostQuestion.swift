import Freshness
internal import JSONBytes
internal import Upstream

/// What calls cost: how many there are, and whether an answer that nothing has changed is free.
struct CostQuestion {
  let evidence: Transcript

  /// What is known of the calls: a rate that is stated in fields is read from them.
  var rate: [Report.Note] {
    if let left = Signs.remaining(of: evidence.first) {
      return [.rate("remaining", nil, "the header fields tell: \(left) calls were left")]
    }
    let shown = "no answer tells how many are allowed; this is polite, and may be more"
    let polite: [Report.Note] = [
      .rate("calls", .number("60"), shown), .rate("seconds", .number("60"), shown),
    ]
    return polite + ownRate
  }

  /// The calls that are left under a name that only this API has: they fall as calls are made.
  private var ownRate: [Report.Note] {
    let all = evidence.answers.filter { $0.status > 0 }.map(CostQuestion.counts)
    for (place, most) in all.first ?? [] where CostQuestion.speaksOfCalls(place) {
      let values = all.compactMap { counts in counts.first { $0.place == place }?.count }
      let fallen = most - (values.last ?? most)
      guard values.count > 2, values == values.sorted(by: >),
        (1...10 * values.count).contains(fallen)
      else { continue }
      let shown = "it fell from \(most) to \(most - fallen) in \(values.count) calls"
      let others = [("limit", "limit"), ("limit", "max"), ("reset", "reset")].compactMap {
        key, word -> Report.Note? in
        let name = place.lowercased().replacing("remaining", with: word).replacing(
          "left", with: word)
        return all[0].first { $0.place.lowercased() == name }
          .map { .rate(key, .text($0.place), "it says \($0.count) beside \(place)") }
      }
      return [.rate("remaining", .text(place), shown)] + others
    }
    return []
  }

  /// Whether a place may tell how many calls are left; in a body other things are left, too.
  private static func speaksOfCalls(_ place: String) -> Bool {
    let name = Names.folded(place)
    let words = ["header:", "quota", "rate", "call", "request", "credit"]
    return (name.contains("remaining") || name.hasSuffix("left"))
      && words.contains(where: name.contains)
  }

  /// The whole numbers in a response, each with its place.
  private static func counts(in answer: Answer) -> [(place: String, count: Int)] {
    let fields = answer.fields.texts.map { (Signs.place(ofField: $0.name), $0.value) }
    let told = Signs.scalars(in: answer.body).map { keys, value in
      (FieldPath(keys: keys).text, value.scalar ?? "")
    }
    return (fields + told).compactMap { place, text in
      Int(text).flatMap { $0 < 0 ? nil : (place, $0) }
    }
  }

  /// Asks for what was seen again, on the condition that it has changed.
  func unchanged() throws(NextCall) -> [Report.Note] {
    let answers = evidence.answers
    let seen = answers.last { $0.status == 200 && $0.fields["ETag"] != nil && $0.ask.url == nil }
    guard let seen, let tag = seen.fields["ETag"] else { return [] }
    var ask = seen.ask
    ask.headerLines = ["If-None-Match: \(tag)"]
    let index = answers.firstIndex { $0.ask == ask } ?? answers.endIndex
    let before = answers[..<index].last.flatMap(Signs.remaining)
    guard let answer = try evidence.answer(to: ask) else { return [] }
    guard answer.status == 304 else {
      return [.rate("unchanged", nil, "asked again with its ETag, the answer was \(answer.status)")]
    }
    guard let before, let after = Signs.remaining(of: answer) else {
      return [.rate("unchanged", nil, "a 304 came, and nothing tells what it cost")]
    }
    return after >= before
      ? [.rate("unchanged", .text("free"), "a 304 left the \(before) calls as they were")]
      : [.rate("unchanged", nil, "a 304 cost a call")]
  }
}
