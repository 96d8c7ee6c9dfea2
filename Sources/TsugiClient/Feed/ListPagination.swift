/// The questions of the package ListPagination, by its names and with its answers: code that uses
/// it needs another import and nothing else. They look through the collection; ``PagedList``
/// answers the same immediately.
extension RandomAccessCollection where Element: Identifiable {
  /// Whether an item is the last one, by its id.
  public func isLastItem<Item: Identifiable>(_ item: Item) -> Bool {
    distanceFromLast(item) == 0
  }

  /// Whether exactly `offset` items come after an item; in a shorter collection, whether it is the
  /// first one.
  ///
  /// An item that is jumped over never is it: ``isWithinThreshold(offset:item:)`` is what a list
  /// wants.
  public func isThresholdItem<Item: Identifiable>(offset: Int, item: Item) -> Bool {
    distanceFromLast(item) == clamped(offset, toCount: count)
  }

  /// Whether at most `offset` items come after an item; none is asked for below 0.
  public func isWithinThreshold<Item: Identifiable>(offset: Int, item: Item) -> Bool {
    distanceFromLast(item).map { $0 <= clamped(Swift.max(0, offset), toCount: count) } ?? false
  }

  private func distanceFromLast<Item: Identifiable>(_ item: Item) -> Int? {
    // The types of both ids need not be the same for the ids to be.
    let id = AnyHashable(item.id)
    return lastIndex { AnyHashable($0.id) == id }.map { distance(from: $0, to: endIndex) - 1 }
  }
}

extension PagedList {
  /// Whether an item is the last one.
  public func isLastItem(_ item: Item) -> Bool {
    distanceFromLast(item) == 0
  }

  /// Whether exactly `offset` items come after an item; in a shorter list, whether it is the first
  /// one.
  public func isThresholdItem(offset: Int, item: Item) -> Bool {
    distanceFromLast(item) == clamped(offset, toCount: items.count)
  }

  /// Whether at most `offset` items come after an item; none is asked for below 0.
  public func isWithinThreshold(offset: Int, item: Item) -> Bool {
    distanceFromLast(item).map { $0 <= clamped(max(0, offset), toCount: items.count) } ?? false
  }

  private func distanceFromLast(_ item: Item) -> Int? {
    index(of: item.id).map { items.count - 1 - $0 }
  }
}

/// An offset that a collection of so many items has.
private func clamped(_ offset: Int, toCount count: Int) -> Int {
  offset < count ? offset : count - 1
}
