/// Which rows are on the screen, as far as they say so.
///
/// A view that only reports what appears is understood too: rows far from one that just appeared
/// cannot be on the same screen, so they have left. Few ids are kept, and each call costs little
/// on average, however long the list is.
struct VisibleRows<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// More rows than most screens show.
  static var windowDefault: Int { 64 }

  /// How far from each other two rows of one screen can be, at most.
  let window: Int
  private var ids: Set<Item.ID> = []
  private var bounds: (first: Item.ID, last: Item.ID)?

  /// No row is visible yet.
  init(window: Int = Self.windowDefault) {
    self.window = window
  }

  /// The indices from the first to the last visible row; nil while none is.
  func indices(in content: PagedItems<Item>) -> ClosedRange<Int>? {
    guard let bounds, let first = content.index(of: bounds.first),
      let last = content.index(of: bounds.last)
    else { return nil }
    return first...max(first, last)
  }

  /// The items on the screen, from the first to the last.
  func all(in content: PagedItems<Item>) -> [Item.ID] {
    indices(in: content).map { content.items[$0].prefix(2 * window).map(\.id) } ?? []
  }

  /// A row came onto the screen.
  mutating func appeared(_ id: Item.ID, at index: Int, in content: PagedItems<Item>) {
    ids.insert(id)
    guard let seen = indices(in: content), let bounds else {
      self.bounds = (id, id)
      return
    }
    let first = min(seen.lowerBound, index)
    let last = max(seen.upperBound, index)
    if last - first <= 2 * window {
      self.bounds = (
        first == index ? id : bounds.first, last == index ? id : bounds.last
      )
    } else {
      // Half of what is kept goes, so that this is rare.
      ids = ids.filter { id in
        content.index(of: id).map { abs($0 - index) <= window } ?? false
      }
      findBounds(in: content)
    }
  }

  /// These rows, and no others, are on the screen; of more than are kept the last ones.
  mutating func show(_ range: Range<Int>, in content: PagedItems<Item>) {
    let rows = range.clamped(to: 0..<content.items.count).suffix(2 * window)
    ids = Set(rows.map { content.items[$0].id })
    bounds = rows.first.flatMap { first in
      rows.last.map { (content.items[first].id, content.items[$0].id) }
    }
  }

  /// The rows of these ids, and no others, are on the screen; of more than are kept the last ones.
  mutating func show(_ ids: [Item.ID], in content: PagedItems<Item>) {
    self.ids = Set(ids.suffix(2 * window).filter { content.index(of: $0) != nil })
    findBounds(in: content)
  }

  /// A row left the screen.
  mutating func disappeared(_ id: Item.ID, in content: PagedItems<Item>) {
    guard ids.remove(id) != nil, id == bounds?.first || id == bounds?.last else { return }
    findBounds(in: content)
  }

  /// Looks where the rows are after items went, or `moved` elsewhere: those left of them, else the
  /// nearest one where `staysNear`.
  mutating func settle(
    from seen: ClosedRange<Int>?, of old: [Item], to content: PagedItems<Item>,
    without moved: Set<Item.ID>, staysNear: Bool
  ) {
    guard let seen else { return }
    func isLeft(_ id: Item.ID) -> Bool {
      content.index(of: id) != nil && !moved.contains(id)
    }
    ids = ids.filter(isLeft)
    if ids.isEmpty, staysNear,
      let near = old[seen.upperBound...].first(where: { isLeft($0.id) })
        ?? old[..<seen.lowerBound].last(where: { isLeft($0.id) })
    {
      ids = [near.id]
    }
    findBounds(in: content)
  }

  private mutating func findBounds(in content: PagedItems<Item>) {
    let rows = ids.compactMap { id in content.index(of: id).map { (id: id, index: $0) } }
    let first = rows.min { $0.index < $1.index }
    let last = rows.max { $0.index < $1.index }
    bounds = first.flatMap { first in last.map { (first.id, $0.id) } }
  }
}
