internal import JSONBytes
internal import Upstream

/// Whether one answer brings everything: only where that is shown, never since nothing else was.
struct WholeQuestion {
  /// What the answers speak for.
  enum Verdict: Hashable {
    /// All is there, and what shows it: where the number of all is, if it is stated.
    case whole(String, total: String?)
    /// It may be one page of more, and why.
    case page(String)
  }

  let evidence: Transcript
  let size: SizeQuestion.Size
  private var first: Answer { evidence.first }
  private var count: Int { first.elements.count }

  init(_ evidence: Transcript, _ size: SizeQuestion.Size) {
    (self.evidence, self.size) = (evidence, size)
  }

  /// Whether pages of APIs have so many elements: tens, dozens, powers of two and their like, of
  /// more than a hundred fifties and powers of two.
  static func isUsual(_ count: Int) -> Bool {
    count > 100
      ? count.isMultiple(of: 50) || count.nonzeroBitCount == 1
      : [5, 6, 8].contains { count.isMultiple(of: $0) }
  }

  /// The answer to the question.
  func settled() throws(NextCall) -> Verdict {
    let telling = evidence.telling
    let nexts = Signs.nexts(of: telling, in: evidence.address)
    if let elsewhere = nexts.first(where: isElsewhere) {
      let url = elsewhere.value.prefix { $0 != "?" }
      return .page("\(elsewhere.place ?? "a link") names \(url), which is not below the given URL")
    }
    let tooFew = "\(count) elements are too few to tell; a longer list of this API shows more"
    let isShort = count < WholeQuestion.countMin
    if let name = size.name {
      let isTold = !isShort || Signs.hasMore(first, in: evidence.address)
      return .page(isTold ? "\(name) says how many come, so there are pages" : tooFew)
    }
    if Signs.hasMore(telling, in: evidence.address) {
      let signs = nexts.map { $0.place ?? "a link" } + Signs.totals(of: telling).compactMap(\.place)
      return .page("more follows, as \(signs.first ?? "the answer") says")
    }
    guard !isShort else { return .page(tooFew) }
    if Signs.endsByName(first) || Signs.more(of: first) != nil {
      return .page("it speaks of a next page, and a longer list has one")
    }
    if try isSized() { return .page("a parameter says how many come, so there are pages") }
    if let place = completeness {
      return .whole("\(place) says \(count), and \(count) came", total: place)
    }
    if let sized = Signs.scalars(in: first.body).first(where: { isPageSize($0.keys, $0.value) }) {
      return .page("\(sized.keys.last ?? "") speaks of pages")
    }
    guard !WholeQuestion.isUsual(count) else {
      return .page("\(count) elements are what a page has, and nothing says that they are all")
    }
    var again = NextCall()
    again.round = 2
    guard let second = try evidence.answer(to: again) else {
      return .page("no call was left to ask again")
    }
    guard second.ids.count == second.elements.count,
      second.isTop(of: first, count: second.ids.count)
    else { return .page("asked again, other elements came") }
    if let name = changed(in: second) { return .page("\(name) was another when asked again") }
    return .whole(
      "\(count) elements are no usual page, nothing speaks of more, and asked again it is the same",
      total: nil)
  }

  /// Whether a next page is named that no recipe leads to.
  private func isElsewhere(_ sign: Signs.Sign) -> Bool {
    Signs.isURL(sign.value) && evidence.address.resolved(sign.value) == nil
  }

  private func isPageSize(_ keys: [String], _ value: JSONTree) -> Bool {
    let name = keys.last ?? ""
    return Names.folded(name) != "count" && value.scalar == "\(count)"
      && (Names.isSize(name) || Names.isPage(name))
  }

  /// The fewest elements that distinguish a whole list from the beginning of a first page.
  static let countMin = 10

  /// Whether a name is heard of which a short list cannot show which one it is.
  private func isSized() throws(NextCall) -> Bool {
    guard !evidence.isPicky, count <= Names.size.count + 2 else { return false }
    var ask = NextCall()
    ask.parameters = Names.size.map { Parameter($0, "1") }
    guard let answer = try evidence.answer(to: ask) else { return true }
    return !answer.isTop(of: first, count: count)
  }

  /// What says that all is there.
  private var completeness: String? {
    Signs.totals(of: first).first { $0.value == "\(count)" }?.place
      .flatMap { Names.folded($0) == "count" ? nil : $0 }
  }

  /// What beside the elements is another value, or gone: tokens are. Times, counts of effort and
  /// what the request is called by do not matter.
  private func changed(in second: Answer) -> String? {
    let later = Signs.scalars(in: second.body)
    return Signs.scalars(in: first.body).first { keys, value in
      guard case .text(let text) = value, KeyForm.rfc3339.key(of: value) == nil,
        KeyForm.utc.key(of: value) == nil, text.utf8.count >= 4,
        !Names.folded(keys.last ?? "").hasSuffix("id")
      else { return false }
      return later.first { $0.keys == keys }?.value != value
    }?.keys.joined(separator: ".")
  }
}
