import Support

@testable import TsugiClient

/// A list view as a phone has it: a window of rows over a list, which says what appears and leaves.
struct SimulatedView<Item: Identifiable & Sendable> where Item.ID: Sendable {
  /// How many rows fit.
  var height: Int
  /// Whether it tells which rows leave.
  var tellsLeaving = true
  /// Whether it shows a row below the last while there is more, and tells of it.
  var hasFooter = false
  /// Whether it is on the screen.
  private(set) var isShown = true
  private var first = 0
  private var shown: [PagedRow<Item>.ID] = []
  private var isFooterShown = false

  typealias Event = PagedState<Item>.Event

  init(height: Int) {
    self.height = height
  }

  /// The row at the top of the window.
  var anchor: PagedRow<Item>.ID? { shown.first }

  /// The ids of the items on the screen.
  var itemIDs: [Item.ID] {
    shown.compactMap { id in if case .item(let id) = id { id } else { nil } }
  }

  /// Scrolls by rows; negative goes up.
  mutating func scroll(by rows: Int) { first += rows }

  /// Jumps to the top.
  mutating func scrollToTop() { first = 0 }

  /// The app goes away, or comes back.
  mutating func show(_ isShown: Bool) { self.isShown = isShown }

  /// Lays rows out anew: what stood at the top of the window stays there where it can. Gives what
  /// it tells the list, in any order.
  mutating func layOut(
    _ rows: PagedRows<Item>, canLoadMore: Bool, moved: Bool,
    using generator: inout SeededGenerator
  ) -> [Event] {
    let isInPlace = moved || (first < rows.count && rows[first].id == anchor)
    if !isInPlace, let anchor,
      let index = rows.firstIndex(where: { $0.id == anchor })
    {
      first = index
    }
    let total = rows.count + (hasFooter && canLoadMore ? 1 : 0)
    first = max(0, min(first, total - height))
    let last = min(first + height, rows.count)
    let now = isShown && first < last ? rows[first..<last].map(\.id) : []
    let footer = hasFooter && canLoadMore && isShown && first + height > rows.count
    var events: [Event] = []
    for case .item(let id) in now where !shown.contains(.item(id)) { events.append(.appeared(id)) }
    if tellsLeaving {
      for case .item(let id) in shown where !now.contains(.item(id)) {
        events.append(.disappeared(id))
      }
    }
    if footer != isFooterShown { events.append(.footer(isVisible: footer)) }
    (shown, isFooterShown) = (now, footer)
    return events.shuffled(using: &generator)
  }
}
