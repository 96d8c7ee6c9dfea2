/// How an upstream hands out a list: how a window of it is addressed, how many elements one answer
/// has, and how many can be reached at all. A value of the source; each ``FeedPattern`` has one.
package struct Paging: Hashable, Sendable {
  /// What a window's place is named by.
  package enum Addressing: Hashable, Sendable {
    /// The number of a page of the window's own size, from 1 to `max`: a window begins at a
    /// multiple of its size.
    case page(max: Int)
    /// The rank it begins at, from 0: a window begins anywhere.
    case offset
    /// The number of a page, all of which have one size.
    case pages
    /// A known element that stands above it, or its instant: a window begins below any that is
    /// known, and nowhere else. The element itself comes again or does not.
    case anchor(isShown: Bool)
    /// The greatest key it shows, of a feed that is ordered by keys: a window begins at any.
    case key
    /// What the answer above it named: a window begins where another ended.
    case next
  }

  /// What is taken for a list without a wall: more ranks than any list has.
  package static let reachUnlimited = 1 << 40

  /// How windows are addressed.
  package private(set) var addressing: Addressing
  /// The most elements of one answer.
  package let perPageMax: Int
  /// The fewest elements of one answer: a window of fewer comes in another size.
  package private(set) var perPageMin = 1
  /// How many elements can be reached: a window ends at this rank at the latest.
  package private(set) var reachMax: Int
  /// What a window is joined by to the run above it where no element stands in both; nil where
  /// there is always one.
  package private(set) var joins: JoinProof?
  /// The weakest join that is served; a weaker one is a gap.
  package let accept: JoinProof
  /// Whether a key that is larger than a page can be asked for page by page: where windows begin at
  /// keys.
  package var isPagedInside = false
  /// Whether each page has the size of the first one: where what names the next depends on it.
  package var keepsSize = false
  /// How finely what lies past the wall can be asked for by its key; nil where it cannot.
  package var past: KeyGrain?

  /// A paging from its parts. Without a `reachMax` pages reach as far as their numbers do, and
  /// offsets without limit. Each is at least 1.
  package init(
    _ addressing: Addressing, perPageMax: Int, reachMax: Int? = nil, joins: JoinProof? = nil,
    accept: JoinProof = .upstream, past: KeyGrain? = nil
  ) {
    self.addressing = addressing
    self.perPageMax = perPageMax
    self.joins = joins
    self.accept = accept
    self.past = past
    let numbered =
      switch addressing {
      case .page(let pageMax) where pageMax < Paging.reachUnlimited / perPageMax:
        pageMax * perPageMax
      case .page, .offset, .pages, .anchor, .key, .next: Paging.reachUnlimited
      }
    self.reachMax = min(reachMax ?? numbered, numbered)
  }

  /// The same where windows are joined by something else.
  package func joined(by joins: JoinProof) -> Paging {
    var paging = self
    paging.joins = joins
    return paging
  }

  /// The same where the upstream keeps to sizes of so many elements and more. Where numbered pages
  /// are of one size alone, `served` where it is smaller than said, none shows an element of
  /// another, and they are joined where anything is accepted, unless it is said by what they are.
  package func keeping(to perPageMin: Int, served: Int?) -> Paging {
    var paging = self
    // A stored number may be any.
    let size = max(1, min(served ?? perPageMax, perPageMax))
    if case .page(let pageMax) = addressing, perPageMin >= perPageMax {
      let reach = min(reachMax, min(pageMax, Paging.reachUnlimited / size) * size)
      paging = sideBySide(size, reach, accept == JoinProof.none ? JoinProof.none : nil)
    } else if addressing == .pages {
      paging = sideBySide(size, reachMax, joins)
    }
    paging.perPageMin = max(1, min(perPageMin, paging.perPageMax))
    return paging
  }

  private func sideBySide(_ size: Int, _ reachMax: Int, _ joins: JoinProof?) -> Paging {
    Paging(
      .pages, perPageMax: size, reachMax: reachMax, joins: joins, accept: accept, past: past)
  }

  /// The same without pages of greater numbers, where windows are named by those.
  func upTo(page: Int) -> Paging {
    guard case .page(let max) = addressing else { return self }
    var paging = self
    paging.addressing = .page(max: min(max, page))
    return paging
  }

  /// The same without a wall.
  var withoutWall: Paging {
    var paging = self
    if case .page = addressing {
      paging.addressing = .page(max: Paging.reachUnlimited / perPageMax)
    }
    paging.reachMax = Paging.reachUnlimited
    return paging
  }

  /// How the pages inside a key are addressed.
  var inside: Paging {
    Paging(.page(max: Paging.reachUnlimited / perPageMax), perPageMax: perPageMax)
  }

  /// Whether a window that begins at a rank shows what stands at it: not where its place is given
  /// by something else, and the rank is only estimated.
  package var isRanked: Bool {
    switch addressing {
    case .page, .offset, .pages: true
    case .anchor, .key, .next: false
    }
  }

  /// Whether a window's place is named by an element.
  package var isAnchored: Bool { if case .anchor = addressing { true } else { false } }

  /// Whether what lies below an element can be asked for in windows of any size.
  package var isSized: Bool {
    switch addressing {
    case .page, .offset, .anchor, .key: true
    case .pages, .next: false
    }
  }

  /// Whether a page is taken for what follows on another by what the source's answers are worth.
  package var servesJoins: Bool { joins.map { $0 >= accept } ?? false }

  /// Whether its pages stand side by side, and nothing joins them.
  package var isSideBySide: Bool { addressing == .pages && joins == nil }

  /// Whether the list has a wall: elements that no window shows.
  package var hasWall: Bool { reachMax < Paging.reachUnlimited }
}
