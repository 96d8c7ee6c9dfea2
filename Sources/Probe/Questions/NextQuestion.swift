internal import JSONBytes
internal import Upstream

/// Whether what a page says leads to the one that follows: a URL, or a token for a parameter.
struct NextQuestion {
  let evidence: Transcript
  let size: SizeQuestion.Size
  private var sample: Answer { size.sample }

  init(_ evidence: Transcript, _ size: SizeQuestion.Size) {
    (self.evidence, self.size) = (evidence, size)
  }

  /// Where the next page is named; what the second page is asked for with may stand anywhere.
  private func signs(of answer: Answer) -> [Signs.Sign] {
    let asked = evidence.second.map(\.value).filter { $0.utf8.count >= 2 && Int($0) == nil }
    let places = evidence.answers.flatMap { answer in
      Signs.scalars(in: answer.body).filter { asked.contains($0.value.scalar ?? "") }.map(\.keys)
    }
    let given = Signs.scalars(in: answer.body).compactMap { keys, value in
      value.scalar.flatMap { text in
        places.contains(keys) ? Signs.Sign(place: FieldPath(keys: keys).text, value: text) : nil
      }
    }
    let others = Signs.nexts(of: answer, in: evidence.address).filter { $0.place != nil }
    // The number of a page is a hint of its own.
    return given + others.filter { Int($0.value) == nil } + others.filter { Int($0.value) != nil }
  }

  private var signs: [Signs.Sign] { signs(of: evidence.telling) }

  // MARK: - A URL

  /// What of a response the URL shows: of the shorter ones the longest, so that what follows
  /// it stands in an answer that was seen, and further down than a list moves.
  func byURL() throws(NextCall) -> PageMethod? {
    let address = evidence.address
    for place in signs.compactMap(\.place).prefix(2) {
      let tops = fromTop.compactMap { answer in
        mark(at: place, in: answer).flatMap { address.isURL($0) ? (answer, $0) : nil }
      }
      let shorter = tops.filter { $0.0.ids.count < sample.ids.count }
      guard
        let (top, text) = shorter.max(by: { $0.0.ids.count < $1.0.ids.count }) ?? tops.first,
        let url = address.resolved(text),
        let answer = try evidence.answer(to: NextCall(url: url)), follows(answer, top)
      else { continue }
      let shown = "the URL at \(place) shows the elements that follow"
      // The size counts as well, and says nothing of the place.
      let isCounted = address.added(address.parameters(ofReference: text) ?? []).contains {
        !Names.isSize($0.name)
          && (counts($0.value, in: top) || counts("\($0.name)=\($0.value)", in: top))
      }
      return found(PageMethod("next", nil, shown), at: place, counts: isCounted)
    }
    return nil
  }

  private func counts(_ token: String, in answer: Answer) -> Bool {
    let last = answer.elements.last.map { CountingMark.values(in: $0) } ?? []
    return CountingMark.found(in: token, after: answer.elements.count, last: last) != nil
  }

  /// Whether an answer shows what stands below another one.
  private func follows(_ answer: Answer, _ top: Answer) -> Bool {
    guard top.ids.count < sample.ids.count, let rank = answer.rank(in: sample) else {
      return answer.goesOn(from: sample)
    }
    return abs(rank - top.ids.count) <= min(Transcript.driftMax, (top.ids.count - 1) / 2)
  }

  // MARK: - A token

  /// Whether what stands there looks like a token: no number, and no URL.
  var isToken: Bool {
    signs.contains { sign in
      sign.place != nil && sign.value.utf8.count >= NextQuestion.tokenBytesMin
        && Int(sign.value) == nil && !isReference(sign)
    }
  }

  /// Whether it is a URL: one that leads elsewhere is no token either.
  private func isReference(_ sign: Signs.Sign) -> Bool {
    Signs.isURL(sign.value) || evidence.address.isURL(sign.value)
  }

  private static let tokenBytesMin = 8

  /// What a token shows.
  func byToken() throws(NextCall) -> PageMethod? { try byToken(signs) }

  /// What a text shows that nothing calls a token: below pages of one size it is the same, and of
  /// another size another.
  func byChange() throws(NextCall) -> PageMethod? {
    guard signs.isEmpty else { return nil }
    let sizes = Dictionary(grouping: fromTop, by: \.ids.count).values
    let changing = Signs.texts(of: sample).filter { sign in
      let texts = sizes.map { answers in
        Set(answers.map { Signs.texts(of: $0).first { $0.place == sign.place }?.value })
      }
      return texts.count > 1 && texts.allSatisfy { $0.count == 1 && $0 != [nil] }
        && Set(texts).count == texts.count
    }
    return try byToken(changing)
  }

  private func byToken(_ signs: [Signs.Sign]) throws(NextCall) -> PageMethod? {
    for sign in signs.prefix(2) {
      guard let place = sign.place, !isReference(sign), let name = try name(of: place)
      else { continue }
      var method = PageMethod("next", name, "what stands at \(place) leads on from that page")
      if let start = evidence.address.kept.first(where: { $0.name == name }) {
        method.notes.append(.pages("start", .text(start.value), "the URL has it of the first page"))
      }
      return found(
        method, at: place,
        counts: fromTop.contains { answer in
          mark(at: place, in: answer).map { counts($0, in: answer) } ?? false
        })
    }
    return nil
  }

  /// The parameter that takes what is given at a place. Each response from the top gave another
  /// token: names are given different ones, so that where the response begins shows which was
  /// heard.
  private func name(of place: String) throws(NextCall) -> String? {
    let tokens = tokens(at: place)
    guard !tokens.isEmpty else { return nil }
    let shown = shown(at: place)
    var names = shown + [NextQuestion.parameter(of: place), NextQuestion.key(of: place)]
    names = (names + Names.token).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    // The one that is shown, or goes by the place's name, is tried alone.
    let isLikely =
      names[0] != "next" && (Names.token + Names.item + Names.offset).contains(names[0])
    if !shown.isEmpty || isLikely || evidence.isPicky {
      for name in names.prefix(shown.isEmpty && evidence.isPicky ? 2 : 1) {
        let answer = try evidence.answer(to: ask([Parameter(name, tokens[0].value)]))
        if let answer, begins(answer, below: tokens[0], of: tokens) { return name }
      }
      guard shown.isEmpty, !evidence.isPicky else { return nil }
      names.removeFirst()
    }
    // Each answer leaves fewer.
    var left = Int.max
    while (1..<left).contains(names.count) {
      left = names.count
      // The last share goes without one: an answer from the top is theirs.
      let shares = tokens.count + (names.count > 1 ? 1 : 0)
      let given = names.enumerated().filter { $0.offset % shares < tokens.count }
        .map { Parameter($0.element, tokens[$0.offset % shares].value) }
      guard let answer = try evidence.answer(to: ask(given)), !answer.elements.isEmpty else {
        // Some refuse what they do not know.
        guard names.count > 1, !evidence.isClosed else { return nil }
        names = [names[0]]
        continue
      }
      let rank = begins(answer)
      if given.count < names.count, rank.map({ $0 <= 2 }) ?? true {
        names = names.enumerated().filter { $0.offset % shares == tokens.count }.map(\.element)
      } else {
        guard let token = tokens.first(where: { begins(answer, below: $0, of: tokens) }) else {
          return nil
        }
        names = given.filter { $0.value == token.value }.map(\.name)
        if names.count == 1 { return names[0] }
      }
    }
    return nil
  }

  /// Names that are known to take what is given at a place: of URLs that have it, of the second
  /// URL, and of refusals, which name what was not asked for.
  private func shown(at place: String) -> [String] {
    let hints = Hints(evidence)
    let given = Set(evidence.answers.compactMap { mark(at: place, in: $0) })
    let refusals = evidence.answers.filter(\.isRefusal)
    let named = Names.token.filter { token in
      // Others are words as well.
      let isName = token.contains { !$0.isLetter || $0.isUppercase }
      return isName && refusals.contains { $0.words.contains(token) && !$0.ask.gives(token) }
    }
    return (hints.next + hints.others).filter { given.contains($0.value) }.map(\.name)
      + evidence.place.filter { Int($0.value) == nil }.map(\.name) + named
  }

  private func ask(_ given: [Parameter]) -> NextCall {
    // So many that an answer from the top shows known ones, however far the list has moved.
    var ask = NextCall(size.parameter(NextQuestion.asked))
    ask.parameters += given
    return ask
  }

  /// Whether a response begins below the page that gave a token, as far as the list has moved,
  /// and nearer to it than to what the others lead to.
  private func begins(_ answer: Answer, below token: Told, of tokens: [Told]) -> Bool {
    let others = [0] + tokens.map(\.rank).filter { $0 != token.rank }
    let gap = others.map { abs($0 - token.rank) }.min() ?? 0
    let drift = min(Transcript.driftMax, (gap - 1) / 2)
    return begins(answer).map { abs($0 - token.rank) <= drift } == true
  }

  /// A token, and the rank below the page that gave it.
  private typealias Told = (value: String, rank: Int)

  /// The rank at which an answer begins, the one below the sample included.
  private func begins(_ answer: Answer) -> Int? {
    answer.rank(in: sample) ?? (answer.goesOn(from: sample) ? sample.ids.count : nil)
  }

  /// How many elements are asked for with a token.
  private static let asked = 2 * Transcript.driftMax + 1

  /// What answers from the top tell at a place, each with the rank below it. What is the same below
  /// pages of two sizes is the number of a page: it leads below one of the size that is asked for.
  private func tokens(at place: String) -> [Told] {
    fromTop.reduce(into: []) { tokens, answer in
      guard let rank = answer.ids.last.flatMap(sample.ids.firstIndex).map({ $0 + 1 }),
        let value = mark(at: place, in: answer), rank > Transcript.driftMax,
        !tokens.contains(where: { abs($0.rank - rank) <= Transcript.driftMax })
      else { return }
      if let same = tokens.firstIndex(where: { $0.value == value }) {
        tokens[same].rank = NextQuestion.asked
      } else {
        tokens.append((value, rank))
      }
    }
  }

  /// The answers that begin at the top.
  private var fromTop: [Answer] {
    evidence.answers.filter { answer in
      answer.rank(in: sample).map { $0 <= Transcript.driftMax } == true
    }
  }

  private func mark(at place: String, in answer: Answer) -> String? {
    (signs(of: answer) + Signs.texts(of: answer)).first { $0.place == place }?.value
  }

  /// The parameter that takes what a place gives: `cursor` for `next_cursor`.
  static func parameter(of place: String) -> String {
    let name = key(of: place)
    for prefix in ["next_", "next-"] where name.hasPrefix(prefix) {
      return String(name.dropFirst(prefix.count))
    }
    guard name.lowercased().hasPrefix("next"), name.count > 4 else { return name }
    let rest = name.dropFirst(4)
    return name.hasPrefix("N") ? String(rest) : rest.prefix(1).lowercased() + rest.dropFirst()
  }

  /// The last key of a place.
  private static func key(of place: String) -> String {
    place.split { ":./".contains($0) }.last.map(String.init) ?? place
  }

  private func found(_ place: PageMethod, at told: String, counts: Bool) -> PageMethod {
    var place = place
    place.isNext = true
    if told != "link:next" { place.notes.append(.pages("next", .text(told), "there it stands")) }
    if counts {
      place.notes += [
        .pages("counted", .bool(true), "it is the number of what stands above: a count drifts"),
        .pages("accept", .text("none"), "a count joins by nothing; if it is a key, leave both out"),
      ]
    }
    return place
  }
}
