/// The newest content of elements that were edited a short while ago.
///
/// Backends and caches that are behind one another show an edit, then not yet, then again. One edit
/// is one change: for a while after it was seen, an answer with an older `updated_at` is taken to
/// lag behind, whatever it says of its own age, and the newer content stays. After that the older
/// one is believed: the upstream has taken the edit back.
package struct RecentEdits: Sendable {
  /// For how long after an edit was last seen an older content is taken for a late copy.
  package static let settlingTime = Duration.seconds(120)
  /// How long before an answer an element may have been edited to be kept.
  package static let editedSecondsMax: Int64 = 300
  /// The most elements kept.
  package static let countMax = 512
  /// The most bytes of their contents together.
  package static let bytesMax = 4 << 20

  private struct Key: Hashable {
    var realm: String
    var id: Identity
  }
  private struct Edit {
    var item: PageItem
    var seenAt: Timestamp
  }
  private var edits: [Key: Edit] = [:]
  private var bytes = 0

  /// None so far.
  package init() {}

  /// How many are kept.
  package var count: Int { edits.count }

  /// An item as it is to be taken: its newer content where it lags behind that.
  package func settled(_ item: PageItem, realm: String, sentAt: Timestamp) -> PageItem {
    guard let edit = edits[Key(realm: realm, id: item.id)], let newer = edit.item.updatedAt,
      let older = item.updatedAt, older < newer,
      sentAt - edit.seenAt < RecentEdits.settlingTime
    else { return item }
    var settled = edit.item
    // A feed whose order is the upstream's own may have shown it without a time.
    settled.key = settled.key ?? item.key
    return settled
  }

  /// A page as it is to be taken.
  package func settled(_ page: Page, realm: String, sentAt: Timestamp) -> Page {
    guard !edits.isEmpty else { return page }
    var page = page
    for index in page.items.indices {
      page.items[index].item = settled(page.items[index].item, realm: realm, sentAt: sentAt)
    }
    return page
  }

  /// Notes what an answer showed; `clock` is the upstream's, in seconds since 1970, and `unit` what
  /// items' times are in.
  package mutating func note(
    _ item: PageItem, realm: String, unit: KeyUnit, clock: Int64, sentAt: Timestamp
  ) {
    guard let updatedAt = item.updatedAt else { return }
    let key = Key(realm: realm, id: item.id)
    guard isRecent(updatedAt, unit: unit, clock: clock) || edits[key]?.item.updatedAt == updatedAt
    else { return }
    keep(item, as: key, seenAt: sentAt)
  }

  /// Whether an element's last change was a short while ago. A file's elements tell a digest
  /// instead.
  private func isRecent(_ updatedAt: Int64, unit: KeyUnit, clock: Int64) -> Bool {
    let second = unit.second(of: updatedAt) ?? updatedAt
    return second <= clock && clock.clampedSubtracting(second) <= RecentEdits.editedSecondsMax
  }

  /// Notes an element as the store has it, which was seen before this process began. The first
  /// `clock` it sees may be a copy's, and so of before the edit.
  package mutating func recall(
    _ item: PageItem, realm: String, unit: KeyUnit, clock: Int64, seenAt: Timestamp
  ) {
    let key = Key(realm: realm, id: item.id)
    let later = clock.clampedAdding(RecentEdits.editedSecondsMax)
    guard let updatedAt = item.updatedAt, edits[key] == nil,
      [clock, later].contains(where: { isRecent(updatedAt, unit: unit, clock: $0) })
    else { return }
    keep(item, as: key, seenAt: seenAt)
  }

  private mutating func keep(_ item: PageItem, as key: Key, seenAt: Timestamp) {
    if let edit = edits.removeValue(forKey: key) { bytes -= edit.item.bytes.count }
    edits[key] = Edit(item: item, seenAt: seenAt)
    bytes += item.bytes.count
    forget(at: seenAt)
  }

  /// Notes what a page showed.
  package mutating func note(
    _ page: Page, realm: String, unit: KeyUnit, clock: Int64, sentAt: Timestamp
  ) {
    for slot in page.items {
      note(slot.item, realm: realm, unit: unit, clock: clock, sentAt: sentAt)
    }
  }

  /// Forgets what has settled, and the oldest where there are too many.
  private mutating func forget(at now: Timestamp) {
    guard edits.count > RecentEdits.countMax || bytes > RecentEdits.bytesMax else { return }
    let oldestFirst = edits.sorted { $0.value.seenAt < $1.value.seenAt }
    for (key, edit) in oldestFirst {
      let isFull =
        edits.count > RecentEdits.countMax / 2 || bytes > RecentEdits.bytesMax / 2
      guard isFull || now - edit.seenAt >= RecentEdits.settlingTime else { break }
      edits[key] = nil
      bytes -= edit.item.bytes.count
    }
  }
}
