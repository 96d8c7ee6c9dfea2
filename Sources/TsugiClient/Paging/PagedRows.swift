/// A place in a list where unknown items may lie.
public struct PagedGap: Identifiable, Hashable, Sendable {
  /// Names it within its list.
  public let id: Int
  /// Whether it is being filled, or that failed.
  public var state: LoadState
}

/// A row of a list: an item, or a gap.
public enum PagedRow<Item: Identifiable & Sendable>: Identifiable, Sendable
where Item.ID: Sendable {
  /// An item.
  case item(Item)
  /// A place where unknown items may lie.
  case gap(PagedGap)

  /// What names a row.
  public enum ID: Hashable, Sendable {
    /// An item's id.
    case item(Item.ID)
    /// A gap's number.
    case gap(Int)
  }

  /// What names it.
  public var id: ID {
    switch self {
    case .item(let item): .item(item.id)
    case .gap(let gap): .gap(gap.id)
    }
  }
}

/// A list's rows: its items, with the gaps between them.
public struct PagedRows<Item: Identifiable & Sendable>: RandomAccessCollection, Sendable
where Item.ID: Sendable {
  let items: [Item]
  /// The gaps and the indices of the items below them, in order.
  let gaps: [(gap: PagedGap, index: Int)]

  /// The first row's index.
  public var startIndex: Int { 0 }
  /// How many rows there are.
  public var endIndex: Int { items.count + gaps.count }

  /// The row at an index.
  public subscript(position: Int) -> PagedRow<Item> {
    for (above, gap) in gaps.enumerated() {
      let row = gap.index + above
      if position < row { return .item(items[position - above]) }
      if position == row { return .gap(gap.gap) }
    }
    return .item(items[position - gaps.count])
  }
}
