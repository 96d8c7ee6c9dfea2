/// What changes of the feed do to a list, and say to others of the same items.
extension PagedState {
  /// Applies changes; the next ones are those since a number.
  mutating func apply(_ changes: [FeedChange<Item>], next: SequenceNumber?) {
    var gone = Set<Item.ID>()
    var moved = Set<Item.ID>()
    for change in changes {
      switch (change.operation, change.id) {
      case (.upsert, let id?):
        // One that left and came back may stand elsewhere.
        let cameBack = gone.remove(id) != nil && change.cursor != nil
        remember(change, of: id)
        guard !isCovered(change) else { break }
        if holds(id), !change.hasMoved, !cameBack, !moved.contains(id) {
          if let item = change.item { content.update(item) }
        } else {
          if holds(id) { moved.insert(id) }
          look(for: id, at: change.cursor)
          // Of others a slice on its way may have the row.
          if holds(id) || cameBack || change.hasMoved || change.item == nil {
            placesTold = change.seq ?? placesTold
          }
        }
      case (.remove, let id?), (.delete, let id?):
        gone.insert(id)
        forgetPlace(of: id)
        remember(change, of: id)
      case (.reset, _): needsReset = isLoaded
      case (_, nil): break
      }
    }
    remove(gone.union(moved))
    // Changes of a list that is about to begin again say nothing of the new one.
    if let next, !needsReset { since = next }
  }

  /// Puts items in the place of those with their ids, also those that are not in the list yet.
  mutating func learn(_ items: [Item]) {
    for item in items where content.index(of: item.id) != nil { content.update(item) }
    let new = { (old: Item) in items.last { $0.id == old.id } ?? old }
    changeHeld { $0.map(new) }
    for index in lookup.below.indices { lookup.below[index].item = new(lookup.below[index].item) }
  }

  /// Changes the items of slices of a refresh that goes on, and of a look that waits for changes.
  mutating func changeHeld(_ change: ([Item]) -> [Item]) {
    let changed = { (slice: FeedSlice<Item>) in
      var slice = slice
      slice.items = change(slice.items)
      return slice
    }
    if let slices = topLoad?.slices { topLoad?.slices = slices.map(changed) }
    lookup.held = lookup.held.map(changed)
  }

  /// Takes items out, wherever they are, and keeps the reader's place.
  mutating func remove(_ ids: Set<Item.ID>) {
    shelf.remove(ids)
    guard ids.contains(where: { content.index(of: $0) != nil }) else { return }
    keepingPlace { state in
      state.content.remove(ids)
      return []
    }
  }

  /// Whether an item has a place in the list, in memory or in the file.
  func holds(_ id: Item.ID) -> Bool {
    content.index(of: id) != nil || shelf.contains(id)
  }

  /// Whether the item that a change is about was read after it.
  func isCovered(_ change: FeedChange<Item>) -> Bool {
    guard let seq = change.seq, let id = change.id, let read = content.seq(of: id) else {
      return false
    }
    return seq.isCovered(by: read)
  }

  /// What an event sends items, whatever list they are in.
  struct News {
    /// Items as they are now.
    var items: [Item] = []
    /// What was edited, or appeared.
    var changed: Set<Item.ID> = []
    /// What is gone everywhere.
    var deleted: Set<Item.ID> = []
  }

  /// What an event sends items; nil where it is no answer of the server.
  func news(of event: Event) -> News? {
    switch event {
    case .arrived(_, let slice):
      News(items: slice.items.filter { told[$0.id]?.seq.isAfter(slice.seq) != true })
    case .changed(let changes, _, _): news(of: changes)
    case .caughtUp(_, let page): news(of: page.changes)
    default: nil
    }
  }

  private func news(of changes: [FeedChange<Item>]) -> News {
    var news = News()
    for change in changes {
      guard let id = change.id else { continue }
      news.deleted.remove(id)
      switch change.operation {
      case .upsert where !isCovered(change):
        news.changed.insert(id)
        if let item = change.item { news.items.append(item) }
      case .delete: news.deleted.insert(id)
      default: break
      }
    }
    news.items.removeAll { news.deleted.contains($0.id) }
    return news
  }

  private mutating func remember(_ change: FeedChange<Item>, of id: Item.ID) {
    let (item, isEdit) = (change.item, change.operation == .upsert)
    // Of an edit without its item nothing is known but that it was there again.
    guard let seq = change.seq, !isEdit || item != nil else {
      told[id] = nil
      return
    }
    let new = Told(seq: seq, item: isEdit ? item : nil)
    if told.updateValue(new, forKey: id) == nil { toldOrder.append(id) }
    if toldOrder.count > Self.toldMax { told[toldOrder.removeFirst()] = nil }
  }
}
