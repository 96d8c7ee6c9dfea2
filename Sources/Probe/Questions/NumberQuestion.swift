internal import JSONBytes

/// Whether a number says where a page begins, of elements or of pages.
///
/// It is shown by an overlap: the answer must be the elements that were seen before from the
/// expected rank on.
struct NumberQuestion {
  /// A parameter that may say it.
  struct Trial: Hashable {
    let name: String
    let isPage: Bool

    init(_ name: String, isPage: Bool) {
      (self.name, self.isPage) = (name, isPage)
    }
  }

  let evidence: Transcript
  let size: SizeQuestion.Size
  private var sample: Answer { size.sample }
  private var count: Int { sample.ids.count }

  init(_ evidence: Transcript, _ size: SizeQuestion.Size) {
    (self.evidence, self.size) = (evidence, size)
  }

  // MARK: - One name

  /// What the names do that the API shows.
  func hinted() throws(NextCall) -> PageMethod? {
    for trial in Hints(evidence).numbers.prefix(3) {
      if let place = try confirmed(trial, "the API shows the name") { return place }
    }
    return nil
  }

  /// What names do that are written as the size's is: `_page` beside `_limit`.
  func alike() throws(NextCall) -> PageMethod? {
    guard let name = size.name else { return nil }
    for trial in NumberQuestion.trials(alike: name) {
      if let place = try confirmed(trial, "written as \(name) is") { return place }
    }
    return nil
  }

  /// Names of places, written as one of a size is.
  private static func trials(alike name: String) -> [Trial] {
    let outer = name.prefix { $0 != "[" }
    // Those of `page[size]` are among the many.
    if outer.count < name.count {
      return outer == "page" ? [] : [Trial("\(outer)[page]", isPage: true)]
    }
    let mark = name.prefix { !$0.isLetter }
    guard !mark.isEmpty else { return [] }
    let offset = Trial("\(mark)offset", isPage: false)
    // `$skip` is one of many.
    return mark == "$"
      ? name == "$limit" ? [offset] : [] : [Trial("\(mark)page", isPage: true), offset]
  }

  /// What the likeliest names do, one by one: where an API refuses others, or filters by them.
  func single(of countMax: Int = 3) throws(NextCall) -> PageMethod? {
    guard evidence.isPicky else { return nil }
    let known = Hints(evidence).numbers.prefix(3)
    try evidence.readRefusal(of: (Names.offset + Names.page).filter { $0 != size.name })
    let shown = Hints(evidence).numbers.filter { !known.contains($0) }
    let common =
      countMax == .max
      ? zip(Names.page, Names.offset).flatMap {
        [Trial($0, isPage: true), Trial($1, isPage: false)]
      }
      : [Trial("page", isPage: true), Trial("offset", isPage: false), Trial("skip", isPage: false)]
    for trial in (shown + common).prefix(countMax) {
      if let place = try confirmed(trial, "tried alone") { return place }
    }
    return nil
  }

  /// What a trial's parameter shows by itself.
  func confirmed(_ trial: Trial, _ why: String) throws(NextCall) -> PageMethod? {
    guard trial.isPage else { return try confirmedOffset(trial.name, why) }
    return size.name == nil
      ? try confirmedFixed(trial.name, why) : try confirmedPage(trial.name, why)
  }

  private func confirmedOffset(_ name: String, _ why: String) throws(NextCall) -> PageMethod? {
    guard count >= 5 else { return nil }
    let page = max(count < 7 ? 2 : 3, min(12, count / 3))
    let number = size.name == nil ? count / 2 : page + (page < 3 ? 1 : max(2, page / 2))
    // An element that is named by the number of those above it proves nothing.
    let isAnchor = sample.ids[number - 1] == "\(number)"
    guard !isAnchor || Names.isOffset(name) else { return nil }
    let ask = NextCall(size.parameter(page), Parameter(name, "\(number)"))
    guard let rank = try evidence.answer(to: ask)?.rank(in: sample), rank > 0 else { return nil }
    let drift = min(Transcript.driftMax, (number - page - 1) / 2)
    let shown = "\(name)=\(number) begins with the element of rank \(rank); \(why)"
    var place = PageMethod("offset", name, number: Trial(name, isPage: false), shown)
    // A list that has moved begins further up, too.
    let isNear = rank < number && rank + 1 + Transcript.driftMax >= number
    if isNear, try isFromOne(name, page) {
      place.notes.append(.pages("first", .number("1"), "\(name)=0 is refused"))
      return place
    }
    if size.name == nil || abs(rank - number) <= drift {
      return abs(rank - number) <= Transcript.driftMax ? place : nil
    }
    guard abs(rank - page) <= drift else { return nil }
    place.notes.append(
      .pages("aligned", .bool(true), "\(number) was taken as \(page), a multiple of the size"))
    return place
  }

  /// Whether the first element has the offset 1, and none 0.
  private func isFromOne(_ name: String, _ page: Int) throws(NextCall) -> Bool {
    let answer = try evidence.answer(to: NextCall(size.parameter(page), Parameter(name, "0")))
    return answer?.isRefusal ?? false
  }

  private func confirmedPage(_ name: String, _ why: String) throws(NextCall) -> PageMethod? {
    guard count >= 4 else { return nil }
    let page = max(size.least, min(12, count / 4))
    // Of pages that may not be small, only the second stands in what was seen.
    let number = 3 * page < count ? 3 : 2
    let ask = NextCall(size.parameter(page), Parameter(name, "\(number)"))
    guard let answer = try evidence.answer(to: ask), answer.ids.count <= page,
      let rank = answer.rank(in: sample)
    else { return nil }
    let drift = min(Transcript.driftMax, (page - 1) / 2)
    let shown = "\(name)=\(number) of \(page) begins with the element of rank \(rank); \(why)"
    var place = PageMethod("page", name, number: Trial(name, isPage: true), shown)
    if size.isSparse {
      place.notes.append(accepting("pages of so few elements do not meet everywhere"))
    }
    if abs(rank - (number - 1) * page) <= drift { return place }
    guard abs(rank - number * page) <= drift,
      try evidence.answer(to: NextCall(size.parameter(page), Parameter(name, "0")))?
        .isTop(of: sample, count: page) == true
    else { return nil }
    place.notes.append(.pages("first", .number("0"), "\(name)=0 is the top"))
    return place
  }

  /// Pages of one size: the second shows others than the first.
  private func confirmedFixed(_ name: String, _ why: String) throws(NextCall) -> PageMethod? {
    let first = evidence.first
    guard count > Transcript.driftMax,
      try evidence.answer(to: NextCall(Parameter(name, "2")))?.goesOn(from: first) == true
    else { return nil }
    var number = Hints(evidence).firstPage(of: name)
    if number == nil { number = try firstPage(name) }
    guard let number else { return nil }
    let shown = "\(name)=2 shows other elements, no rank is read twice; \(why)"
    var place = PageMethod("page", name, number: Trial(name, isPage: true), shown)
    if number == 0 { place.notes.append(.pages("first", .number("0"), "\(name)=1 is no top")) }
    place.notes.append(accepting("pages of one size prove nothing"))
    return place
  }

  private func accepting(_ why: String) -> Report.Note {
    .pages(
      "accept", .text("none"), "\(why); with a total that is exact, say so and leave this out")
  }

  /// The number of the first page: none where the second is the first that shows others. A list
  /// that has moved shows others as well.
  private func firstPage(_ name: String) throws(NextCall) -> Int? {
    guard let one = try evidence.answer(to: NextCall(Parameter(name, "1"))) else { return nil }
    guard one.goesOn(from: evidence.first) else { return 1 }
    guard let zero = try evidence.answer(to: NextCall(Parameter(name, "0"))) else { return nil }
    return !zero.ids.isEmpty && one.goesOn(from: zero) ? 0 : 1
  }

  // MARK: - Many names

  /// What one of many names does that are asked for in one call, each with another number, so that
  /// what comes shows which of them was heard.
  func bundled() throws(NextCall) -> PageMethod? {
    let all = trials()
    guard !all.isEmpty else { return nil }
    if let place = try bundled(all) { return place }
    // Where few elements were seen, not all names have a number of their own.
    let others = trials(besides: Set(all.map(\.trial.name)))
    if size.name != nil, !others.isEmpty, let place = try bundled(others) { return place }
    let isOver =
      evidence.isPicky || !Signs.nexts(of: evidence.telling, in: evidence.address).isEmpty
    return size.name == nil && !isOver ? try fixed() : nil
  }

  private func bundled(_ all: [Numbered]) throws(NextCall) -> PageMethod? {
    guard let rank = try evidence.answer(toMany: ask(all))?.rank(in: sample), rank > 0 else {
      return nil
    }
    let near = all.filter { abs($0.rank - rank) <= Transcript.driftMax }
      .sorted { abs($0.rank - rank) < abs($1.rank - rank) }
    var tried: [Trial] = []
    for (trial, _, _) in near where !tried.contains(trial) && tried.count < 2 {
      tried.append(trial)
      if let place = try confirmed(trial, "of many names") { return place }
    }
    return nil
  }

  /// What names of pages of one size do: the commonest, and if one of the others is heard, these.
  private func fixed() throws(NextCall) -> PageMethod? {
    if let place = try confirmedFixed(Names.page[0], "the commonest name") { return place }
    var ask = NextCall()
    ask.parameters = Names.page.dropFirst().map { Parameter($0, "2") }
    guard try evidence.answer(to: ask)?.goesOn(from: evidence.first) == true else { return nil }
    for name in Names.page.dropFirst() {
      if let place = try confirmedFixed(name, "of many names") { return place }
    }
    return nil
  }

  /// How many elements are asked for where a place is tried: as few as show an overlap.
  private static let few = 3

  /// A name, the number that it is given, and the rank at which the answer begins then.
  private typealias Numbered = (trial: Trial, value: Int, rank: Int)

  private func ask(_ all: [Numbered]) -> NextCall {
    var ask = NextCall(size.parameter(NumberQuestion.few))
    for (trial, value, _) in all {
      let parameter = Parameter(trial.name, "\(value)")
      if !ask.parameters.contains(parameter) { ask.parameters.append(parameter) }
    }
    return ask
  }

  /// How far apart the ranks are at which answers to different trials begin: further than a list
  /// moves from one call to the next, where enough is seen of it.
  private var distance: Int { max(2, min(10, (count - 2) / 8)) }

  /// As many names as have numbers in what was seen; pages, whether they are counted from one or
  /// from none.
  private func trials(besides known: Set<String> = []) -> [Numbered] {
    let ranks = [1, 3, 4, 6, 7].map { distance * $0 } + [min(distance * 9, count - 3)]
    let offsets = zip(Names.offset.filter { $0 != size.name && !known.contains($0) }, ranks)
      .map { name, rank in (Trial(name, isPage: false), rank, rank) }
    let few = NumberQuestion.few
    let names = size.name == nil ? [] : Names.page.filter { !known.contains($0) }
    let pages = zip(names, [20, 50, 80, 25, 55, 85]).flatMap { name, slot in
      let number = max(2, distance * slot / (10 * few))
      return [number - 1, number].map { (Trial(name, isPage: true), number, $0 * few) }
    }
    return (offsets + pages).filter { $0.2 < count - 1 }
  }
}
