internal import JSONBytes
private import Upstream

/// Which parameter says how many elements a page has, and how many it has at most.
struct SizeQuestion {
  /// What was found.
  struct Size {
    /// Nil where no parameter was heard.
    var name: String?
    var max: Int
    /// The largest answer from the top.
    var sample: Answer
    var notes: [Report.Note]
    /// Whether fewer came than were asked for, and nothing says that more follow.
    var mayBeAll = false

    /// Whether pages have so few elements that numbered ones do not meet everywhere.
    var isSparse: Bool { max < PageRecipe.sizedMin }

    /// The parameter that has a page show so many elements; nil where there is none.
    func parameter(_ count: Int) -> Parameter? { name.map { Parameter($0, "\(count)") } }
  }

  let evidence: Transcript
  private var first: Answer { evidence.first }
  private var count: Int { first.elements.count }

  init(_ evidence: Transcript) {
    self.evidence = evidence
  }

  /// The answer to the question.
  func settled() throws(NextCall) -> Size {
    guard count > 1, let (name, shown) = try found() else {
      return Size(
        nil, "no name that was tried changed the \(count) elements", max: max(1, count),
        "so many come, whatever is asked", first)
    }
    guard !countsAll(name) else {
      return Size(
        nil, "\(name) says how many are wanted in all: nothing follows on so many",
        max: count, "so many come unasked", first)
    }
    var best: (asked: Int, answer: Answer)?
    for asked in [100, 50] where asked != count || asked == 100 {
      guard let answer = try evidence.answer(to: NextCall(Parameter(name, "\(asked)"))) else {
        break
      }
      let came = answer.elements.count
      guard came > 0, answer.isTop(of: first, count: came) else { continue }
      if came > best?.answer.elements.count ?? 0 { best = (asked, answer) }
      // Some give as many as unasked where they are asked for too many.
      guard came < asked, came == count else { break }
    }
    guard let best, best.answer.elements.count >= count else {
      return Size(
        name, shown, max: count, "so many came unasked, and no more was shown", first)
    }
    let came = best.answer.elements.count
    // As many as a page has are none the less a page.
    let isUsual = came >= WholeQuestion.countMin && WholeQuestion.isUsual(came)
    let hasMore = isUsual || Signs.hasMore(best.answer, in: evidence.address)
    var size = Size(
      name, shown, max: came, "asked for \(best.asked), it gave \(came)",
      came > count ? best.answer : first)
    size.mayBeAll = came < best.asked && !hasMore
    return size
  }

  /// Whether a parameter says how many elements are wanted in all, as `$top` of OData does: that
  /// more follows is said of the first page, and of fewer elements not.
  private func countsAll(_ name: String) -> Bool {
    guard Signs.hasMore(first, in: evidence.address) else { return false }
    return evidence.answers.contains { answer in
      let came = answer.elements.count
      return 1..<count ~= came && answer.isTop(of: first, count: came)
        && answer.ask.parameters.contains(Parameter(name, "\(came)"))
        && !Signs.hasMore(answer, in: evidence.address)
    }
  }

  /// The name, and what was seen.
  private func found() throws(NextCall) -> (String, String)? {
    let few = min(5, count - 1)
    let hinted = Hints(evidence).sizes
    for name in hinted.prefix(2) where try isHeard(name, few) {
      return (name, "the API shows the name; asked for \(few), it gave \(few)")
    }
    if let found = try bundled() { return found }
    guard evidence.isPicky else { return nil }
    // Many names at a time prove nothing here.
    let shown = Hints(evidence).sizes.filter { !hinted.prefix(2).contains($0) }
    for name in (shown + Names.size.prefix(2)).prefix(2) where try isHeard(name, few) {
      return (name, "asked for \(few), it gave \(few)")
    }
    try evidence.readDocument()
    for name in Hints(evidence).sizes.prefix(4) where try isHeard(name, few) {
      return (name, "the API describes it; asked for \(few), it gave \(few)")
    }
    return nil
  }

  private func isHeard(_ name: String, _ few: Int) throws(NextCall) -> Bool {
    try evidence.answer(to: NextCall(Parameter(name, "\(few)")))?.isTop(of: first, count: few)
      == true
  }

  /// Many names, each with another number.
  private var bundle: NextCall {
    var ask = NextCall()
    ask.parameters = zip(Names.size, (2...).lazy.filter { $0 != count })
      .filter { $0.1 < max(count, 3) + 30 }.map { Parameter($0.0, "\($0.1)") }
    return ask
  }

  private func bundled() throws(NextCall) -> (String, String)? {
    guard let answer = try evidence.answer(toMany: bundle),
      let heard = bundle.parameters.first(where: { $0.value == "\(answer.elements.count)" }),
      answer.isTop(of: first, count: answer.elements.count)
    else { return nil }
    // A list that has moved has one more or one less as well.
    let isNear = abs(answer.elements.count - count) <= Transcript.driftMax
    if isNear {
      guard try isHeard(heard.name, max(1, count / 3)) else { return nil }
    }
    let many = bundle.parameters.count
    return (
      heard.name, "of \(many) names, each with another number, it gave the \(heard.value) of this"
    )
  }
}

extension SizeQuestion.Size {
  /// What was found, and what shows the name and the number.
  fileprivate init(
    _ name: String?, _ shown: String, max: Int, _ given: String, _ sample: Answer
  ) {
    let notes: [Report.Note] = [
      .pages("size", name.map { .text($0) }, shown), .pages("max", .number("\(max)"), given),
    ]
    self.init(name: name, max: max, sample: sample, notes: notes)
  }
}
