/// Edits that show immediately, wherever their item is shown, and are taken back when they cannot
/// be sent. They are in memory only: another process shows what the server sent.
extension PagedList {
  /// Shows an edit while it is sent, and until the server has it, on top of what the server sends
  /// meanwhile.
  ///
  ///     try await list.edit(id) { $0.isLiked = true } sending: { try await api.like(id) }
  ///
  /// An edit sets values and does not add: it is made again on each form that the server sends. It
  /// stays until the server's item would not be altered by it, or differs from the one that was
  /// edited in an answer asked for after the sending, ``PagedOptions/settlesWithin`` at most.
  ///
  /// - Throws: what `sending` throws; this edit, and no other, is taken back then.
  public func edit<Answer: Sendable>(
    _ id: Item.ID, _ change: @escaping (inout Item) -> Void,
    sending: () async throws -> Answer
  ) async throws -> Answer where Item: Equatable {
    try await hub.change(
      id, change, rules: (feed.client, state.options.settlesWithin),
      now: { [self] in serverItem(id) }, sending: sending)
  }

  /// Shows an item as the first row while it is sent, and until the feed has it; then it stands
  /// where the server says. `sending` gives the server's form of it, if any.
  ///
  /// - Throws: what `sending` throws; the row is taken out then.
  public func insert(_ item: Item, sending: () async throws -> Item?) async throws {
    _ = try await hub.edit(
      item.id, .insertion(item, feed: feed.name), differs: { _ in false },
      rules: (feed.client, state.options.settlesWithin), now: { nil }, form: { $0 },
      sending: sending)
  }

  /// Takes a row out while its removal is sent, and until the feed has it no more.
  ///
  /// - Throws: what `sending` throws; the row is back in its place then.
  public func remove<Answer: Sendable>(
    _ id: Item.ID, sending: () async throws -> Answer
  ) async throws -> Answer {
    let edited = serverItem(id)
    return try await hub.edit(
      id, .removal, differs: { differ(edited, $0) },
      rules: (feed.client, state.options.settlesWithin), now: { nil }, form: { _ in nil },
      sending: sending)
  }

  /// Whether an item is shown otherwise than the server sent it.
  public func isPending(_ id: Item.ID) -> Bool {
    access(keyPath: \.items)
    return hub.edits.isPending(id, serverItem(id))
  }

  /// An item as the server sent it.
  private func serverItem(_ id: Item.ID) -> Item? {
    state.content.index(of: id).map { state.content.items[$0] }
  }
}

extension ItemHub {
  /// Shows an edit of an item while it is sent.
  func change<Answer: Sendable>(
    _ id: Item.ID, _ change: @escaping (inout Item) -> Void,
    rules: (client: FeedClient, settlesWithin: Duration), now: () -> Item?,
    sending: () async throws -> Answer
  ) async throws -> Answer where Item: Equatable {
    let edited = now()
    let alters = { (item: Item) in
      var copy = item
      change(&copy)
      return copy != item
    }
    return try await edit(
      id, .change(change, alters: alters), differs: { edited != nil && $0 != edited },
      rules: rules, now: now, form: { _ in nil }, sending: sending)
  }
}

/// Whether two items are known to be the same.
func isSame<Item>(_ first: Item, _ second: Item) -> Bool {
  (first as? any Equatable)?.equals(second) ?? false
}

/// Whether two items are known to differ.
func differ<Item>(_ first: Item?, _ second: Item) -> Bool {
  guard let first = first as? any Equatable else { return false }
  return !first.equals(second)
}

extension Equatable {
  fileprivate func equals(_ other: Any) -> Bool { (other as? Self) == self }
}
