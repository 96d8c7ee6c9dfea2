/// Which elements of a list are asked of the upstream: so many from a place on, which is named as
/// the source's ``Paging`` has it. It covers ``perPage`` ranks, counted from 0 at the top.
package struct Window: Hashable, Sendable {
  /// What its place is named by.
  package enum Address: Hashable, Sendable {
    /// A page of its size, from 1.
    case page(Int)
    /// The rank it begins at, from 0.
    case offset(Int)
    /// What stands at its place, as the upstream names it: an element above it, an instant, a
    /// token; nil at the top, and until it is known. With it the rank, which is estimated.
    case mark(String?, rank: Int)
  }

  /// Where it begins.
  package var address: Address
  /// The greatest key it shows, where its place is named by that: then it shows all from there on.
  package var keyMax: Int64?
  /// Whether it begins right below the page before it, of which nothing is to come again: so an
  /// instant is gone on with that is larger than a page, and an end is asked for.
  package var isContinued = false
  /// How many elements are asked for, from 1 to ``Paging/perPageMax``.
  package var perPage: Int

  /// The list that takes the feed's place past its wall, or inside a key that is larger than a
  /// page; nil where the feed itself is asked for.
  package var segment: Segment?

  /// The list of what is not newer than a key. As a search shows it, it proves presence and not
  /// absence.
  package struct Segment: Hashable, Sendable {
    /// The greatest key in it.
    package var keyMax: Int64
    /// How many elements of the feed stand above it, as far as is known.
    package var rank: Int
    /// Whether that was counted.
    package var isCounted = false
    /// Whether it is the feed itself, begun at a key and asked for page by page from there.
    package var isInside = false

    /// A segment from its parts.
    package init(keyMax: Int64, rank: Int) {
      (self.keyMax, self.rank) = (keyMax, rank)
    }
  }

  /// The longest mark that is kept, in bytes.
  package static let markBytesMax = 4096

  /// A window from its address and size.
  package init(_ address: Address, perPage: Int) {
    self.address = address
    self.perPage = perPage
  }

  /// A page of `perPage` elements.
  package init(page: Int, perPage: Int) {
    self.init(.page(page), perPage: perPage)
  }

  /// So many elements from a rank on.
  package init(offset: Int, perPage: Int) {
    self.init(.offset(offset), perPage: perPage)
  }

  /// The first rank it covers, from 0 at the top.
  package var firstRank: Int {
    let above = segment?.rank ?? 0
    return switch address {
    case .page(let page): above + (page - 1) * perPage
    case .offset(let offset): above + offset
    case .mark(_, let rank): rank
    }
  }

  /// The same window of a list that takes the feed's place.
  func of(_ segment: Segment) -> Window {
    var window = self
    if firstRank == 0 { window.keyMax = segment.keyMax }
    window.segment = segment
    return window
  }

  /// Whether it is named as another window and no larger, however many stand above their list.
  func isAtMost(_ other: Window) -> Bool {
    address == other.address && segment?.keyMax == other.segment?.keyMax
      && perPage <= other.perPage
  }

  /// The first rank below it.
  package var endRank: Int { firstRank + perPage }
  /// How far what it shows is believed; nil where it shows by itself what follows on what.
  var belief: JoinProof? { isFeed ? nil : .upstream }
  /// Whether it shows the feed itself, so that what it lacks is not there.
  var isFeed: Bool { segment?.isInside ?? true }
  /// Whether it is yet to be said what stands at its place.
  var isUnnamed: Bool {
    if case .mark(nil, _) = address { true } else { false }
  }
  /// Whether its place is named by something else than a number, so that its rank is an estimate.
  var isMarked: Bool { if case .mark = address { true } else { false } }
  /// How many ranks it has in common with another that is named by its number, too; none where one
  /// is not, or is of a segment.
  func sharedRanks(with other: Window) -> Int {
    guard !isMarked, !other.isMarked, segment == nil, other.segment == nil else { return 0 }
    return max(0, min(endRank, other.endRank) - max(firstRank, other.firstRank))
  }
  /// Whether it begins at the top.
  package var isTop: Bool {
    if case .mark(let mark, let rank) = address { return mark == nil && rank == 0 }
    return segment == nil && firstRank == 0
  }
  /// The page of its size in which it begins, from 1.
  package var page: Int { firstRank / perPage + 1 }
  /// The page of its size after that.
  package var pageAfter: Window { Window(page: page + 1, perPage: perPage) }
}
