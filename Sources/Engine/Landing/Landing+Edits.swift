import Feed

/// Edits that answers may lag behind.
extension Landing {
  /// Recalls edits that the store knows and this process has not seen: a copy that lags behind may
  /// come from before them.
  mutating func recallEdits(
    of page: Page, clock: Int64, sentAt: Timestamp
  ) throws(StoreError) {
    guard recallsEdits else { return }
    let shown = page.items.map(\.item)
    let known = try known(shown.map(\.id))
    for item in shown {
      guard let newer = known[item.id]?.updatedAt, let older = item.updatedAt, older < newer,
        let stored = try rows.item(item.id, realm: feed.realm), let bytes = stored.bytes
      else { continue }
      recentEdits.recall(
        PageItem(id: item.id, key: item.key, updatedAt: newer, bytes: bytes),
        realm: feed.realm, unit: feed.pattern.unit, clock: clock, seenAt: stored.sentAt)
    }
  }
}
