import Feed

/// From an ask to the window as the upstream takes it: where places are not named by ranks, what
/// names them is found among what is known. Changes nothing.
///
/// A store that fails here is told of where the slice is read; then the top is asked for.
struct Addressing {
  /// Answers in a row that may bring nothing before the upstream's word is taken for what follows
  /// on a page: an answer that shows it would prove it.
  private static let vainMax = 3

  private let feed: FeedID
  private let plan: Plan
  private let book: FeedBook
  private let fetcher: any PageFetcher

  /// For a feed, by a plan of what is known of it.
  init(of feed: FeedID, by plan: Plan, in book: FeedBook, _ fetcher: any PageFetcher) {
    self.feed = feed
    self.plan = plan
    self.book = book
    self.fetcher = fetcher
  }

  /// The window of an ask with its place named.
  func window(for ask: Ask) -> Window {
    let window = ask.window
    if let segment = window.segment, !segment.isCounted { return counted(window, segment, ask) }
    guard case .mark(nil, let rank) = window.address, rank > 0 || ask.below != nil else {
      return window
    }
    let cut =
      ask.below ?? ask.seek?.target
      ?? plan.timeline.proofs.last { $0.rankBelow >= rank }?.lower
    let named = cut.flatMap { cut in
      if plan.paging.addressing == .key, plan.order == .value {
        return keyed(below: cut, perPage: window.perPage)
      }
      return continued(below: cut, perPage: window.perPage)
        ?? anchored(below: cut, from: rank, perPage: window.perPage)
    }
    return named ?? Window(.mark(nil, rank: 0), perPage: window.perPage)
  }

  /// The window of a new segment that shows what an ask is for: by how many elements are known
  /// between the segment's beginning and that place.
  private func counted(_ top: Window, _ segment: Window.Segment, _ ask: Ask) -> Window {
    var segment = segment
    segment.isCounted = true
    var window = top
    if let cut = ask.below {
      let known = try? book.store.known(
        in: feed, below: .above(key: segment.keyMax), above: cut)
      let count = known?.count { $0.state != .removed } ?? 0
      let rank = plan.rank(of: cut)
      segment.rank = max(1, rank - count)
      window =
        plan.window(in: segment, from: rank - 1, beyond: rank, perPageMax: top.perPage) ?? window
    }
    window.segment = segment
    return window
  }

  /// A window that begins with all of the key at a cut.
  private func keyed(below cut: Cut, perPage: Int) -> Window? {
    let key = cut.position.order
    guard KeyUnit.keys.contains(key), let mark = fetcher.mark(of: key, in: feed) else {
      return nil
    }
    var window = Window(.mark(mark, rank: max(1, plan.rank(of: cut))), perPage: perPage)
    window.keyMax = key
    return window
  }

  /// A window right behind the end that is kept of a page, where so much of that stands in one
  /// instant that a window which shows it again would bring hardly anything. Which element of an
  /// instant stands lowest upstream is not known: where answers end in the one above the place, or
  /// show too much of it, it is gone down from where they ended.
  private func continued(below cut: Cut, perPage: Int) -> Window? {
    let attempt = plan.attempts[cut] ?? ExtensionAttempts()
    let endsAbove = attempt.nears > Addressing.vainMax
    // Above a place where nothing is known there is no element to name it by.
    let isBare = plan.timeline.proofs.last { $0.lower >= cut }.map { $0.count == 0 } ?? true
    let isVain = endsAbove || isBare || attempt.idle > Addressing.vainMax
    let kept = plan.continuations[cut]
    let end = kept ?? (endsAbove ? plan.continuations.lowest(from: cut)?.end : nil)
    guard let joins = plan.paging.joins, joins >= plan.paging.accept,
      let end, isVain || end.fills(perPage),
      let mark = end.tail.last.flatMap({ fetcher.mark(of: $0, in: feed) })
    else { return nil }
    var window = Window(.mark(mark, rank: max(1, plan.rank(of: cut))), perPage: perPage)
    window.isContinued = true
    return window
  }

  /// A window named by an element that is known to stand above, of which at least one comes again.
  private func anchored(below cut: Cut, from rank: Int, perPage: Int) -> Window? {
    guard let run = plan.timeline.runs.first(where: { $0.lower <= cut && cut <= $0.upper })
    else { return nil }
    let cutRank = plan.rank(of: cut)
    let least = isShown ? 1 : 2
    let wanted = min(max(1, cutRank - rank), perPage) + least - 1
    let refused = book[feed]?.doubts.refusedMarks ?? []
    let limit = wanted + (refused.isEmpty ? 0 : Addressing.furtherMax)
    let above = try? book.reader.lastElements(
      of: feed, below: run.upper, above: cut, limit: limit)
    guard let known = above.map(Array.init), known.count >= (run == plan.head ? wanted : least)
    else { return nil }
    let mark = { (index: Int) -> String? in
      self.mark(of: known[index]).flatMap { refused.contains($0) ? nil : $0 }
    }
    let nearest = max(0, known.count - wanted)
    // Where several next to each other are gone, many may be: then it is gone up in larger steps.
    let gone = mark(nearest) == nil ? (0...nearest).count { mark($0) == nil } : 0
    let further = min((1 << min(gone, 7)) - 1, max(gone, perPage - wanted))
    let indices = (0...max(0, nearest - further)).reversed() + Array(nearest..<known.count)
    for index in indices where known.count - index >= least {
      guard let mark = mark(index) else { continue }
      let shown = known.count - index + 1 - least
      return Window(.mark(mark, rank: max(1, cutRank - shown)), perPage: perPage)
    }
    return nil
  }

  /// How many elements further up a place may be named where those nearer are gone.
  private static let furtherMax = 127

  /// What names the place below an element that is known.
  private func mark(of element: Element) -> String? {
    let key = plan.order == .value ? element.position.order : nil
    return fetcher.mark(
      of: PageItem(id: element.id, key: key, updatedAt: nil, bytes: Array(element.bytes)), in: feed)
  }

  /// Whether the element that names a place comes again.
  private var isShown: Bool { plan.paging.addressing == .anchor(isShown: true) }
}
