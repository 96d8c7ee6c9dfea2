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
    /// The most that were asked for and not refused, where fewer came and nothing says that more
    /// follow: they may be all.
    var askedForAll: Int?
    /// Whether more were refused.
    var isBounded = false
    /// The fewest that may be asked for, as far as that is known.
    var least = 1

    /// Whether pages have so few elements that numbered ones do not meet everywhere.
    var isSparse: Bool { max < PageRecipe.sizedMin }

    /// The parameter that has a page show so many elements, or the fewest that may be asked for;
    /// nil where there is none.
    func parameter(_ count: Int) -> Parameter? {
      name.map { Parameter($0, "\(Swift.max(least, count))") }
    }
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
    let (best, isBounded) = try most(name)
    guard let best, best.answer.elements.count >= min(count, best.asked) else {
      return Size(
        name, shown, max: count, "so many came unasked, and no more was shown", first)
    }
    let came = best.answer.elements.count
    var size = Size(
      name, shown, max: came, "asked for \(best.asked), it gave \(came)",
      came > count ? best.answer : first)
    // As many as a page has are none the less a page.
    let isUsual = came >= WholeQuestion.countMin && WholeQuestion.isUsual(came)
    let hasMore = isUsual || Signs.hasMore(best.answer, in: evidence.address)
    size.askedForAll = came < best.asked && !hasMore ? best.asked : nil
    size.isBounded = isBounded
    let fewest = NextCall(Parameter(name, "\(few)"))
    if evidence.answers.contains(where: { $0.ask == fewest && $0.isRefusal }) {
      size.least = count / 2
    }
    return size
  }

  /// A number of elements that were asked for, and what came.
  private typealias Asked = (asked: Int, answer: Answer)

  /// The largest answer from the top, and whether more were refused. What comes unasked may be
  /// more than may be asked for.
  private func most(_ name: String) throws(NextCall) -> (best: Asked?, isBounded: Bool) {
    let hundred = NextCall(Parameter(name, "100"))
    guard let answer = try evidence.answer(to: hundred) else { return (nil, false) }
    var tried: [Asked] = [(100, answer)]
    for asked in others(after: answer) {
      guard let answer = try evidence.answer(to: NextCall(Parameter(name, "\(asked)"))) else {
        break
      }
      tried.append((asked, answer))
      if isTop(answer) { break }
    }
    let best = tried.filter { isTop($0.answer) }
      .max { $0.answer.elements.count < $1.answer.elements.count }
    return (best, tried.contains { $0.answer.isRefusal })
  }

  /// How many are asked for after a hundred, until some come.
  private func others(after hundred: Answer) -> [Int] {
    guard !hundred.isRefusal else { return smaller(by: hundred) }
    let came = hundred.elements.count
    if isTop(hundred), came == 100 {
      return count > 100 && Signs.hasMore(first, in: evidence.address) ? [count] : []
    }
    // Some give as many as unasked where they are asked for too many.
    return count == 50 || isTop(hundred) && (came > 100 || came != count) ? [] : [50]
  }

  /// What to ask for where a hundred were refused: what the refusal names, or the given URL has.
  private func smaller(by refusal: Answer) -> [Int] {
    let texts = Signs.scalars(in: refusal.body).compactMap(\.value.scalar)
    let named = texts.flatMap { $0.split { !$0.isNumber } }.compactMap { Int($0) }
    let ofURL = evidence.address.paging.compactMap { Int($0.value) }
    let likely = (named.sorted(by: >) + ofURL).first { count < $0 && $0 < 100 }
    return (likely.map { [$0] } ?? []) + [50, 25].filter { $0 > count && $0 != likely }
  }

  /// Whether all that came are the first elements.
  private func isTop(_ answer: Answer) -> Bool {
    answer.isTop(of: first, count: answer.elements.count)
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

  /// So many show whether a name is heard.
  private var few: Int { min(5, count - 1) }

  /// The name, and what was seen.
  private func found() throws(NextCall) -> (String, String)? {
    if let name = evidence.sizeName {
      return (name, "so many came as the URL says; asked for \(few), it gave \(few)")
    }
    let hinted = Hints(evidence).sizes
    for name in hinted.prefix(2) where try isHeard(name, few) {
      return (name, "the API shows the name; asked for \(few), it gave \(few)")
    }
    if let found = try bundled() { return found }
    guard evidence.isPicky else { return nil }
    // Many names at a time prove nothing here.
    let shown = Hints(evidence).sizes.filter { !hinted.prefix(2).contains($0) }
    // Who gives a token by this name asks by one of these.
    let isGoogles = Signs.scalars(in: first.body).contains { $0.keys.last == "nextPageToken" }
    let common =
      isGoogles
      ? ["maxResults", "pageSize"]
      : evidence.filters ? ["limit", "_limit"] : Array(Names.size.prefix(2))
    for name in (shown + common).prefix(2) where try isHeard(name, few) {
      return (name, "asked for \(few), it gave \(few)")
    }
    try evidence.readDocument()
    for name in Hints(evidence).sizes.prefix(4) where try isHeard(name, few) {
      return (name, "the API describes it; asked for \(few), it gave \(few)")
    }
    return nil
  }

  /// Whether so many come as a name is given; where so few are refused to one that the given URL
  /// has, half of what came unasked.
  private func isHeard(_ name: String, _ few: Int) throws(NextCall) -> Bool {
    guard let answer = try evidence.answer(to: NextCall(Parameter(name, "\(few)"))) else {
      return false
    }
    let isGiven = evidence.address.paging.contains { $0.name == name }
    guard isGiven, answer.isRefusal, count / 2 > few else {
      return answer.isTop(of: first, count: few)
    }
    return try isHeard(name, count / 2)
  }

  /// Many names, each with another number.
  private var bundle: NextCall {
    var ask = NextCall()
    let names = Names.size.filter { name in !evidence.place.contains { $0.name == name } }
    ask.parameters = zip(names, (2...).lazy.filter { $0 != count })
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
