package import Feed

/// How the pages of a list are asked for, and what they tell of those that follow.
package struct PageRecipe: Hashable, Sendable {
  /// What says where a page begins.
  package var by = Addressing.page
  /// The parameter that says it; nil for ``Addressing/next`` whose next is a URL, and else the
  /// addressing's own name.
  package var at: String?
  /// The parameter that says how many elements are asked for; nil where all pages have ``max``.
  package var size: String?
  /// The most elements of a page.
  package var max = 100
  /// The number of the first page, 1 by default, or of the first element, 0 by default.
  package var first: Int?
  /// The token of the first page.
  package var start: String?
  /// The highest page that is shown.
  package var deepest: Int?
  /// How many elements are shown in all.
  package var reach: Int?
  /// What of an item is written where the page begins below it; nil is its identity, or for
  /// ``Addressing/time`` its key.
  package var value: FieldPath?
  /// How that is written, with `{}` for it.
  package var write: TextTemplate?
  /// Whether the item that is named comes again.
  package var includes = false
  /// Where the next page is named.
  package var next = AnswerPlace.link("next")
  /// Whether what names the page that follows counts elements or pages, and so leads elsewhere
  /// once the list has moved.
  package var isCounted = false
  /// Whether an offset is rounded down to a multiple of the number of elements asked for.
  package var isAligned = false
  /// Whether the item that is named must be there still.
  package var isExisting = false
  /// What is false, null or absent at the end.
  package var more: Condition?
  /// Where the number of the list's elements is.
  package var total: AnswerPlace?
  /// Whether that number is of the instant of the answer, to the last element.
  package var isExact = false
  /// Statuses that say that there is no such page.
  package var beyond: [Int] = []
  /// Whether a page may be short, or empty, without being the last; nil is true for
  /// ``Addressing/next``.
  package var isShort: Bool?
  /// The parameter by which the pages of one instant are asked for.
  package var inside: String?
  /// How what lies past the wall is asked for; nil where it cannot be.
  package var past: PastRecipe?
  /// The weakest proof that is served.
  package var accept = JoinProof.upstream

  /// Pages by number, of up to 100 elements each.
  package init() {}

  /// What says where a page begins.
  package enum Addressing: String, CaseIterable, Sendable {
    /// Its number.
    case page
    /// How many elements stand above it.
    case offset
    /// The item that stands above it.
    case item
    /// The instant at which it begins.
    case time
    /// What the page above it gave.
    case next
  }

  /// A place that says yes or no: `has_more`, `!data.isLastPage`.
  package struct Condition: Hashable, Sendable {
    /// Where it stands.
    package var place: AnswerPlace
    /// Whether it says the contrary.
    package var isNegated: Bool

    /// A condition as a recipe writes it; nil where the text is none.
    package init?(_ text: String) {
      isNegated = text.hasPrefix("!")
      guard let place = AnswerPlace(isNegated ? String(text.dropFirst()) : text) else { return nil }
      self.place = place
    }

    /// The condition as a recipe writes it.
    package var text: String { (isNegated ? "!" : "") + place.text }
  }

  /// The name of the parameter that says where a page begins.
  package var atName: String? {
    switch by {
    case .page: at ?? "page"
    case .offset: at ?? "offset"
    case .item, .time, .next: at
    }
  }

  /// The number of the first page, or the offset of the first element.
  var firstNumber: Int { first ?? (by == .offset ? 0 : 1) }

  /// Whether a page may be short without being the last.
  var mayBeShort: Bool { isShort ?? (by == .next) }

  /// How windows are chosen; `isByKey` where the place is named by the key of the feed's order.
  func paging(isByKey: Bool) -> Paging {
    let numbered = deepest.map { $0 * max }
    let reach = [reach, numbered].compactMap(\.self).min()
    let addressing: Paging.Addressing =
      switch by {
      case .page where isOfOneSize: .pages
      case .offset where isOfOneSize: .pages
      case .page: .page(max: deepest ?? Swift.max(1, (reach ?? Paging.reachUnlimited) / max))
      // A page of any size may begin as deep as an offset goes.
      case .offset where isAligned: .page(max: Paging.reachUnlimited / max)
      case .offset: .offset
      case .item, .time: isByKey ? .key : .anchor(isShown: includes)
      case .next: .next
      }
    var paging = Paging(
      addressing, perPageMax: max, reachMax: by == .time ? nil : reach,
      joins: isByKey ? nil : joins, accept: accept)
    paging.isPagedInside = isByKey && inside != nil
    paging.keepsSize = keepsSize
    return paging
  }

  /// Whether each page has the size of the first one: a URL that names the next carries it, and
  /// what counts pages counts them in it.
  var keepsSize: Bool { by == .next && (at == nil || isCounted) }

  /// What a page is joined by to the one above it where no element stands in both.
  private var joins: JoinProof? {
    switch by {
    // Inside of an instant that is larger than a page.
    case .item: .upstream
    case .next: isCounted ? JoinProof.none : .upstream
    case .page where isOfOneSize, .offset where isOfOneSize:
      joinsByTotal ? .count : JoinProof.none
    default: nil
    }
  }

  /// The least size of which numbered pages can show three elements of the last one, and go on, at
  /// every rank: of 15 none does at 1,080, of 10 none at 72.
  package static let sizedMin = 16

  /// Whether pages are numbered by sizes of so few elements that some do not meet, and what joins
  /// pages of one size is not served.
  package var isSparse: Bool { hasFew && !joinsOneSize }

  private var hasFew: Bool {
    size != nil && max < PageRecipe.sizedMin && (by == .page || by == .offset && isAligned)
  }

  /// Whether a total that is exact joins pages of one size.
  package var joinsByTotal: Bool { isExact && total != nil }

  private var joinsOneSize: Bool { accept == JoinProof.none || joinsByTotal }

  /// Whether what says where a page begins says how many elements are wanted, too.
  package var writesSize: Bool { write?.names.contains("size") == true }
  /// Whether a request says how many elements are wanted.
  var saysSize: Bool { size != nil || writesSize }

  /// Whether pages are taken to have one size: as well where they are of few elements, and what
  /// joins pages of one size is served.
  private var isOfOneSize: Bool { showsNothingAgain || hasFew && joinsOneSize }

  /// Whether all pages have one size and none shows an element of another, so that nothing shows
  /// that they are neighbours.
  package var showsNothingAgain: Bool {
    !saysSize && (by == .page || by == .offset && isAligned)
  }
}
