/// Where a run may be gone on with by the upstream's word alone: the page that follows on the last
/// one, of which no element need come again.
package struct Continuation: Sendable {
  /// What is known of the place right below a page.
  package enum Next: Sendable {
    case unknown
    /// It is asked for, whatever else would show more.
    case wanted
    /// Nothing was found there: the page is the last, if it still stands where it stood.
    case nothing
    /// A page was found there that has fewer elements, though more follows.
    case less
    /// A page from within its window showed some of its own elements, or none: the page after that
    /// window is asked for.
    case own
  }

  /// The most elements that are remembered of a page's end: more stand in one instant nowhere.
  package static let tailMax = 2_000
  /// How many elements above a run's end are remembered of a feed by value: one names the place
  /// below it, or what comes again there.
  private static let lastCount = 2
  /// The most continuations that are remembered of a feed.
  package static let countMax = 16

  /// The window that brought the end of the run.
  package let window: Window
  /// When its answer was sent.
  package let sentAt: Timestamp
  /// What the upstream named the page after it by, or the one after pages that brought nothing; nil
  /// where its number says it.
  package internal(set) var mark: String?
  /// The total of the same answer.
  package let total: Int?
  /// The answer that brought the end, where only what lies right below shows whether more follows.
  package var answer: Fetched<Page>?
  /// What is known of the place right below the page.
  package var next = Next.unknown
  /// Whether the page has all elements that were asked for.
  package var isFull = false
  /// How many pages in a row were shorter than they were asked for and brought nothing, though more
  /// follows: with the second one of the same elements, what lies below it is asked for.
  package var idle = 0
  /// What was looked at right below the page in vain, though more is said to follow.
  package var hole = Hole()
  /// The elements at the run's end: in a feed by value from the last two above its open instant on,
  /// else as many as tie a window to what is known.
  package private(set) var tail: [PageItem]
  /// Elements that readers lack and that no answer has placed: each by the index of the one of the
  /// tail that it came after.
  private var omitted: [Int]
  /// Whether the elements' keys tell their order.
  let isByValue: Bool
  /// How many of the tail stand above the run's end.
  package private(set) var provenCount: Int
  /// Those of the tail that stand below the run's end.
  package var open: ArraySlice<PageItem> { tail.dropFirst(provenCount) }
  /// The first that is only believed to follow, of a page laid behind the tail: one that a page
  /// ends with stands right below the run; of several that is not known.
  package var believed: Int { tail.count == provenCount + 1 ? tail.count : provenCount }

  /// What follows on a page whose evidence ends a run; nil where nothing does.
  package init?(
    _ page: Page, _ evidence: Evidence, in window: Window, paging: Paging, order: FeedOrder,
    answer: Fetched<Page>? = nil
  ) {
    guard !evidence.isEnd, paging.joins != nil || answer != nil || paging.addressing == .key else {
      return nil
    }
    self.answer = answer
    if paging.addressing == .next {
      guard let mark = page.nextMark, mark.utf8.count <= Window.markBytesMax else { return nil }
      self.mark = mark
    } else {
      mark = nil
    }
    let inOrder = evidence.inOrder
    let lower = evidence.lower
    let overlap = order == .value ? Continuation.lastCount : OrderMatch.anchorCount
    let first = inOrder.lastIndex { lower.isBelow($0.position) }.map { max(0, $0 + 1 - overlap) }
    let rest = inOrder[(first ?? 0)...]
    provenCount = rest.count { lower.isBelow($0.position) }
    // By sight the last element is left open, and stands in no evidence.
    let open = page.items.lastIndex { $0.item.id == rest.last?.item.id }
      .map { page.items[($0 + 1)...].map(\.item) }
    tail = rest.map(\.item) + (order == .value ? [] : open ?? [])
    guard !tail.isEmpty || answer != nil, tail.count <= Continuation.tailMax else { return nil }
    let border = rest.first { !lower.isBelow($0.position) } ?? rest.last
    omitted = Continuation.omitted(of: page, below: border?.item.id, after: tail)
    self.window = window
    sentAt = evidence.sentAt
    isByValue = order == .value
    total = page.total
  }

  /// What leads to the first page of a feed, where it is not the one that nothing names.
  package init(toFirstOf window: Window, sentAt: Timestamp, isByValue: Bool) {
    (self.window, self.sentAt, self.isByValue) = (window, sentAt, isByValue)
    (mark, total, tail, omitted, provenCount) = (nil, nil, [], [], 0)
  }

  private static func omitted(
    of page: Page, below border: Identity?, after tail: [PageItem]
  ) -> [Int] {
    guard !page.omitted.isEmpty else { return [] }
    let indices = Dictionary(
      page.items.map { ($0.item.id, $0.index) }, uniquingKeysWith: { first, _ in first })
    let border = border.flatMap { indices[$0] } ?? -1
    let places = tail.compactMap { indices[$0.id] }
    return page.omitted.filter { $0 > border }.map { index in
      max(0, places.count { $0 < index } - 1)
    }
  }

  /// The element above the run's end that is the `place`-th from there up in the upstream's order,
  /// from 1 on, in a feed by value; nil where it is not remembered.
  func lastProven(_ place: Int) -> PageItem? {
    isByValue && place <= provenCount ? tail[provenCount - place] : nil
  }

  /// Whether it is the end of pages of which another is the end of the first ones, of a list that
  /// has not moved meanwhile.
  package func goesOn(from other: Continuation) -> Bool {
    isByValue && total == other.total && provenCount == other.provenCount
      && tail.count > other.tail.count && tail.starts(with: other.tail) { $0.id == $1.id }
  }

  /// Takes the tail as it is by now: without elements that have gone, and in a list of its own
  /// order with the last elements that stand above the run's end, which tie a page to it.
  package mutating func renew(without gone: Set<Identity>, tiedBy standing: [PageItem]?) {
    let proven = standing ?? tail.prefix(provenCount).filter { !gone.contains($0.id) }
    let stays = tail.indices.map { $0 >= provenCount && !gone.contains(tail[$0].id) }
    omitted = omitted.map { index in
      max(0, proven.count + stays.prefix(index + 1).count { $0 } - 1)
    }
    tail = proven + zip(tail, stays).compactMap { $1 ? $0 : nil }
    provenCount = proven.count
  }

  /// Whether a window that shows elements of the run again could bring hardly anything new: the
  /// instant at its end fills one but for a tenth.
  package func fills(_ perPage: Int) -> Bool { tail.count >= perPage - perPage / 10 }

  /// Whether a window is named by what the upstream named the page after it by.
  package func names(_ other: Window) -> Bool {
    if case .mark(let mark?, _) = other.address { mark == self.mark } else { false }
  }

  /// Whether a window was to show what follows on the run's end.
  package func leads(to other: Window, in paging: Paging) -> Bool {
    if case .mark(.some, _) = other.address { return isByValue && names(other) }
    return paging.isRanked && other.firstRank >= window.endRank
  }

  /// The page below the run as if it began with the run's end, where the upstream's word is taken
  /// for what lies between; with how many ranks further up it then begins. Nil where the page shows
  /// by itself how it follows, or does not follow.
  ///
  /// By count: two pages side by side, the list no shorter at the second. If elements are only ever
  /// added above the border between them, what moved across it moved down, and is met again.
  package func spliced(_ page: Page, to other: Window, by joins: JoinProof) -> Page? {
    let known = Set(tail.map(\.id))
    let shown = page.items.count { known.contains($0.item.id) }
    guard shown < tail.count else { return nil }
    if case .mark(let mark, _) = other.address {
      guard mark != nil, other.isContinued || mark == self.mark else { return nil }
    } else {
      guard joins != .upstream, followingRanks(page.count).contains(other.firstRank)
      else { return nil }
    }
    if joins == .count {
      guard let total, let now = page.total, now >= total else { return nil }
    }
    // Where so many have come above, what the page shows may be of these, and stand above the end;
    // not where the page is named by what the upstream says follows on the end.
    if joins != .upstream, let total, let now = page.total, now - total > other.firstRank {
      return nil
    }
    // Where more has come above than a page shows, it begins above the run's end.
    let last = isByValue ? tail.last?.key : nil
    let dropped =
      page.items.last { slot in
        known.contains(slot.item.id) || last.map { slot.item.key ?? $0 > $0 } ?? false
      }.map { $0.index + 1 } ?? 0
    // An empty page says that the list ends above it, and only its total says where: if that is
    // another place, the list has shrunk, and is met again further up. The upstream's own word for
    // what follows means one place, however much goes above it. Where it did not move, and is in
    // the page above, some elements of that are hidden.
    let endsAbove = page.total == total && window.endRank >= page.total ?? .max
    if page.count == 0, hole.ranks == 0, joins != .upstream, !endsAbove, let now = page.total {
      if case .page = other.address, now != other.firstRank { return nil }
      if now < other.firstRank { return nil }
    }
    guard dropped < page.count || !page.hasNext else { return nil }
    return laid(page, without: dropped)
  }

  /// A page but for its first elements, as if it began with the run's end.
  package func laid(_ page: Page, without dropped: Int = 0) -> Page {
    var laid = page.below(tail, without: dropped)
    laid.omitted = omitted + laid.omitted
    return laid
  }
}

extension Page {
  /// The page but for its first elements, as if it began with some others.
  package func below(_ tail: [PageItem], without dropped: Int = 0) -> Page {
    let slots = tail.enumerated().map { Slot(index: $0, item: $1) }
    let rest = items.filter { $0.index >= dropped }.map { slot in
      Slot(index: slot.index - dropped + tail.count, item: slot.item)
    }
    var page = self
    page.items = slots + rest
    page.count = count - dropped + tail.count
    page.omitted = omitted.filter { $0 >= dropped }.map { $0 - dropped + tail.count }
    return page
  }
}

extension [Cut: Continuation] {
  /// The lowest end at a cut or above it: where a page ended above the cut, since elements of one
  /// key may follow on it, the next page goes on from there.
  package func lowest(from cut: Cut) -> (cut: Cut, end: Continuation)? {
    if let end = self[cut] { return (cut, end) }
    return filter { $0.key > cut }.min { $0.key < $1.key }.map { (cut: $0.key, end: $0.value) }
  }
}
