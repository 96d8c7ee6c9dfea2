internal import JSONBytes
internal import Upstream

/// What calls cost: how many there are, and whether an answer that nothing has changed is free.
struct CostQuestion {
  let evidence: Evidence

  /// What is known of the calls: a rate that is told in fields is read from them.
  var rate: [Report.Note] {
    if let left = Signs.remaining(of: evidence.first) {
      return [.rate("remaining", nil, "the header fields tell: \(left) calls were left")]
    }
    let shown = "no answer tells how many are allowed; this is polite, and may be more"
    return [.rate("calls", .number("60"), shown), .rate("seconds", .number("60"), shown)]
  }

  /// Asks for what was seen again, on the condition that it has changed.
  func unchanged() throws(Ask) -> [Report.Note] {
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
