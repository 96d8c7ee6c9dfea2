internal import JSONBytes
internal import Upstream

/// Where a page begins: by a number of elements, a page's number, an element, an instant, or what
/// the page above told, tried in this order.
extension Inquiry {
  private typealias Parameter = ProbedURL.Parameter

  /// How many elements are asked for where a place is tried: as few as an overlap is told by.
  private static let trialCount = 3

  mutating func findPlace(_ first: Seen) async {
    guard let sample, sample.ids.count > 1 else {
      return noteWhole("too few elements to tell more; a longer list does")
    }
    if await findNumber(first, sample) { return }
    if await findItem(first, sample) { return }
    // Where all pages have one size, a token's name takes more calls to tell.
    let isToldFirst =
      size == nil && !Signs.nexts(of: first, besides: shape?.items ?? []).isEmpty
    if isToldFirst, await findNext(first) { return }
    if await findTime(sample) { return }
    if !isToldFirst, await findNext(first) { return }
    if await findNextPage(first) { return }
    if !hasMore(sample) {
      noteWhole(
        "no parameter that was tried shows another part of \(sample.ids.count) elements; a longer "
          + "list tells more")
    }
  }

  /// The parameters that have a page show few elements.
  private var few: [Parameter] {
    size.map { [Parameter(name: $0, value: "\(Inquiry.trialCount)")] } ?? []
  }

  private mutating func noteWhole(_ evidence: String) {
    isWhole = true
    report.noteList("order", .text("whole"), evidence)
  }

  // MARK: - By a number

  /// A name, the number it was given, and the rank at which the page begins if it was heard.
  private struct Trial: Hashable {
    var parameter: Parameter
    var rank: Int
    var isPage: Bool
  }

  private mutating func findNumber(_ first: Seen, _ sample: Seen) async -> Bool {
    let hinted = Set(hints(first).map(\.name))
    let sorted = { (names: [String]) in
      names.filter(hinted.contains) + names.filter { !hinted.contains($0) }
    }
    let offsets = trials(offsets: sorted(Names.offset).filter { $0 != size }, sample)
    let pages = trials(pages: sorted(Names.page), sample)
    guard !offsets.isEmpty else { return false }
    if let answer = await look(few + parameters(offsets + pages)), answer.status == 200 {
      guard let found = await confirmed(offsets + pages, answer, sample) else { return false }
      // A page that is named may count for more than an offset beside it.
      if found.isPage, mayAsk(keeping: 2), let alone = await look(few + parameters(offsets)),
        let offset = await confirmed(offsets, alone, sample)
      {
        note(offset)
      } else {
        note(found)
      }
      return true
    }
    // Some refuse what they do not know: then one by one, what links name first.
    let likely = [pages, offsets].map { trials in
      hinted.isEmpty ? trials : trials.filter { hinted.contains($0.parameter.name) }
    }
    for trial in likely.compactMap(\.first) where mayAsk(keeping: 3) {
      guard let found = await confirmed(trial, sample) else { continue }
      note(found)
      return true
    }
    return false
  }

  private func parameters(_ trials: [Trial]) -> [Parameter] {
    trials.reduce(into: []) { if !$0.contains($1.parameter) { $0.append($1.parameter) } }
  }

  /// Where names of offsets, and of pages, are tried in one call, in the order of what is likely.
  private static let slots = (offsets: [1, 3, 4, 6, 7], pages: [2, 5, 8])

  /// How far apart the ranks are at which answers to different trials begin: further than a list
  /// moves from one call to the next, where enough is seen of it.
  private func distance(_ sample: Seen) -> Int {
    max(2, min(10, (sample.ids.count - 2) / 8))
  }

  private func trials(offsets names: [String], _ sample: Seen) -> [Trial] {
    let distance = distance(sample)
    return zip(names, Inquiry.slots.offsets).map { name, slot in
      let rank = distance * slot
      return Trial(parameter: .init(name: name, value: "\(rank)"), rank: rank, isPage: false)
    }.filter { $0.rank < sample.ids.count - 1 }
  }

  /// Pages, whether they are counted from one or from none.
  private func trials(pages names: [String], _ sample: Seen) -> [Trial] {
    guard size != nil else { return [] }
    let distance = distance(sample)
    return zip(names, Inquiry.slots.pages).flatMap { name, slot in
      let number = max(2, distance * slot / Inquiry.trialCount)
      return [number - 1, number].map { pages in
        Trial(
          parameter: .init(name: name, value: "\(number)"), rank: pages * Inquiry.trialCount,
          isPage: true)
      }
    }.filter { $0.rank < sample.ids.count - 1 }
  }

  /// What was found, and what it rests on.
  private struct Found {
    var parameter: Parameter
    var rank: Int
    var isPage: Bool
    /// The number of the first page.
    var first: Int
  }

  /// By how many ranks a list may have moved from one call to the next.
  private static let driftMax = 4

  /// The trial that an answer speaks for, by what it alone shows further down. The list moves while
  /// it is looked at, so that of a few the nearest is tried first.
  private mutating func confirmed(
    _ trials: [Trial], _ answer: Seen, _ sample: Seen
  ) async -> Found? {
    guard let rank = answer.rank(in: sample), rank > 0 else { return nil }
    let near = trials.filter { abs($0.rank - rank) <= Inquiry.driftMax }
      .sorted { abs($0.rank - rank) < abs($1.rank - rank) }
    var tried: Set<String> = []
    for trial in near where tried.insert(trial.parameter.name).inserted && tried.count <= 2 {
      if let found = await confirmed(trial, sample) { return found }
    }
    return nil
  }

  /// What a trial's parameter shows by itself, far from its neighbours.
  private mutating func confirmed(_ trial: Trial, _ sample: Seen) async -> Found? {
    let count = sample.ids.count
    let pageSize = max(1, min(12, count / 5))
    let number = trial.isPage ? 3 : max(1, count / 2)
    let parameter = Parameter(name: trial.parameter.name, value: "\(number)")
    let sizes = size.map { [Parameter(name: $0, value: "\(pageSize)")] } ?? []
    guard let answer = await look(sizes + [parameter]), answer.status == 200,
      let rank = answer.rank(in: sample)
    else { return nil }
    let ranks = trial.isPage ? [(number - 1) * pageSize, number * pageSize] : [number]
    // Pages that are counted from one and from none begin a page apart.
    let drift = trial.isPage ? min(Inquiry.driftMax, (pageSize - 1) / 2) : Inquiry.driftMax
    guard let place = ranks.firstIndex(where: { abs($0 - rank) <= drift }) else { return nil }
    return Found(parameter: parameter, rank: rank, isPage: trial.isPage, first: 1 - place)
  }

  private mutating func note(_ found: Found) {
    let name = found.parameter.name
    let by = found.isPage ? "page" : "offset"
    let heard = "\(name)=\(found.parameter.value) begins with the element of rank \(found.rank)"
    report.notePages("by", .text(by), heard)
    place = found.parameter
    if name != by { report.notePages("at", .text(name), "so it is called") }
    if found.isPage, found.first == 0 { report.notePages("first", .number("0"), heard) }
  }

  // MARK: - By an element

  private mutating func findItem(_ first: Seen, _ sample: Seen) async -> Bool {
    let likely = hints(first).filter { hint in
      sample.ids.contains(hint.value) || sample.ids.last == hint.value
    }.map(\.name)
    let names = likely + Names.item.filter { !likely.contains($0) }
    let ranks = stride(from: 1, to: sample.ids.count - 1, by: 3)
    let all = zip(names, ranks).map { (Parameter(name: $0, value: sample.ids[$1]), $1) }
    guard mayAsk(keeping: 2), !all.isEmpty else { return false }
    var tried = likely.isEmpty ? all : Array(all.prefix(1))
    var answer = await look(few + tried.map(\.0))
    let isTold = !Signs.nexts(of: first, besides: shape?.items ?? []).isEmpty
    if answer?.status != 200, !isTold, mayAsk(keeping: 3) {
      tried = Array(all.prefix(1))
      answer = await look(few + tried.map(\.0))
    }
    guard let answer, let rank = answer.rank(in: sample) else { return false }
    for (parameter, anchor) in tried where rank == anchor || rank == anchor + 1 {
      report.notePages("by", .text("item"), "the answer begins at the element that is named")
      report.notePages(
        "at", .text(parameter.name), "of \(tried.count) names, each with another element")
      if rank == anchor {
        report.notePages("includes", .bool(true), "the element that is named comes again")
      }
      return true
    }
    return false
  }

  // MARK: - By an instant

  private mutating func findTime(_ sample: Seen) async -> Bool {
    guard let shape, mayAsk(keeping: 1),
      let key = FallingKey.likeliest(of: sample.elements, id: shape.id), key.form != .number
    else { return false }
    let keys = sample.elements.compactMap {
      $0.value(at: key.keys).flatMap { key.form.key(of: $0) }
    }
    guard keys.count == sample.elements.count else { return false }
    let ranks = stride(from: 1, to: keys.count - 1, by: 3)
    let all = zip(Names.time, ranks).map { name, rank in
      (Parameter(name: name, value: key.form.text(of: keys[rank])), keys[rank])
    }
    guard let answer = await look(few + all.map(\.0)), answer.status == 200,
      let rank = answer.rank(in: sample), rank > 0
    else { return false }
    for (parameter, instant) in all {
      let begins = keys[rank] == instant && keys[rank - 1] > instant
      let follows = keys[rank] < instant && keys[rank - 1] >= instant && keys[rank - 1] == instant
      guard begins || follows else { continue }
      report.notePages("by", .text("time"), "the answer begins where the instant says")
      report.notePages(
        "at", .text(parameter.name), "of \(all.count) names, each with another instant")
      if begins {
        report.notePages("includes", .bool(true), "what is of the instant itself comes, too")
      }
      return true
    }
    return false
  }

  // MARK: - By what the page above told

  private mutating func findNext(_ first: Seen) async -> Bool {
    for sign in Signs.nexts(of: first, besides: shape?.items ?? []) where mayAsk() {
      if ProbedURL.parameters(ofURL: sign.value) != nil {
        guard sign.value.hasPrefix(url.base.text), let answer = await follow(sign.value),
          answer.goesOn(from: first)
        else { continue }
        report.notePages("by", .text("next"), "the URL that is told there shows other elements")
        noteNext(sign)
        return true
      }
      if let name = await tokenName(at: sign.place) {
        report.notePages("by", .text("next"), "what is told there leads on from that page")
        report.notePages("at", .text(name), "alone of the names that were tried")
        noteNext(sign)
        return true
      }
    }
    return false
  }

  /// The parameter that takes what is told at a place. Each answer from the top has told another
  /// token: names are given different ones, so that where the answer begins tells which was heard.
  private mutating func tokenName(at place: String) async -> String? {
    let besides = shape?.items ?? []
    var tokens: [(value: String, rank: Int)] = []
    for seen in seen where seen.status == 200 {
      guard let sample, seen.rank(in: sample).map({ $0 <= Inquiry.driftMax }) == true,
        let rank = seen.ids.last.flatMap(sample.ids.firstIndex).map({ $0 + 1 }),
        let told = Signs.nexts(of: seen, besides: besides).first(where: { $0.place == place }),
        !tokens.contains(where: { abs($0.rank - rank) <= Inquiry.driftMax }),
        rank > Inquiry.driftMax
      else { continue }
      tokens.append((told.value, rank))
    }
    var names = [Signs.parameter(of: place)]
    for name in Names.token where !names.contains(name) { names.append(name) }
    while mayAsk(), !tokens.isEmpty {
      // The last share goes without one: an answer from the top is theirs.
      let shares = tokens.count + (names.count > 1 ? 1 : 0)
      let given = names.enumerated().filter { $0.offset % shares < tokens.count }
        .map { Parameter(name: $0.element, value: tokens[$0.offset % shares].value) }
      guard let answer = await look(few + given), answer.status == 200, let sample else {
        // Some refuse what they do not know.
        guard names.count > 1 else { return nil }
        names = [names[0]]
        continue
      }
      let rank = answer.rank(in: sample) ?? (answer.goesOn(from: sample) ? sample.ids.count : nil)
      if given.count < names.count, rank.map({ $0 <= 2 }) ?? true {
        names = names.enumerated().filter { $0.offset % shares == tokens.count }.map(\.element)
      } else {
        let token = rank.flatMap { rank in tokens.first { abs($0.rank - rank) <= 2 } }
        guard let token else { return nil }
        names = given.filter { $0.value == token.value }.map(\.name)
        if names.count == 1 { return names[0] }
      }
    }
    return nil
  }

  private mutating func noteNext(_ sign: Signs.Sign) {
    guard sign.place != "link:next" else { return }
    report.notePages("next", .text(sign.place), "there it is told")
  }

  /// Pages of one size: the second shows others than the first.
  private mutating func findNextPage(_ first: Seen) async -> Bool {
    guard size == nil else { return false }
    let hinted = hints(first).map(\.name).filter(Names.page.contains)
    let name = hinted.first ?? Names.page[0]
    guard let second = await look([Parameter(name: name, value: "2")]), second.goesOn(from: first)
    else { return false }
    let isFromZero = await look([Parameter(name: name, value: "1")])?.goesOn(from: first) == true
    report.notePages("by", .text("page"), "\(name)=2 shows other elements, no rank is read twice")
    place = Parameter(name: name, value: "2")
    if name != "page" { report.notePages("at", .text(name), "so it is called") }
    if isFromZero {
      report.notePages("first", .number("0"), "\(name)=1 shows other elements, too")
    }
    report.notePages(
      "accept", .text("none"),
      "pages of one size prove nothing; with a total that is exact, say so and leave this out")
    return true
  }
}

extension Inquiry.Seen {
  /// Whether it shows elements that another answer does not, as a page that follows does.
  func goesOn(from other: Inquiry.Seen) -> Bool {
    status == 200 && !ids.isEmpty && Set(ids).intersection(other.ids).count * 2 <= ids.count
  }
}
