/// The edits of an app that the server has not sent yet, as a value: what is shown is what the
/// server sent, with these on top. They are replayed on whatever it sends, and never written into
/// it.
struct PagedEdits<Item: Identifiable & Sendable> where Item.ID: Sendable {
  /// What an edit does.
  enum Kind {
    /// Changes an item; says whether it would alter one.
    case change((inout Item) -> Void, alters: (Item) -> Bool)
    /// Takes an item out.
    case removal
    /// Puts an item at the top of a feed's lists.
    case insertion(Item, feed: String)
  }

  /// One edit.
  struct Edit {
    var number: Int
    var id: Item.ID
    var kind: Kind
    /// Whether an item is another one than that which was edited.
    var differs: (Item) -> Bool
    /// The tick at which it was sent; nil before.
    var sentAt: Int?
  }

  /// What a list shows.
  struct Shown {
    var items: [Item]
    /// How many of the first items are not the server's yet.
    var inserted = 0
    /// The indices, in the server's list, of what is not shown.
    var removed: [Int] = []

    /// Where an index of the server's list is here.
    func index(of index: Int) -> Int {
      inserted + index - removed.prefix { $0 < index }.count
    }
  }

  /// The edits, in the order in which they were made.
  private(set) var all: [Edit] = []
  /// A number that moves with every change of them.
  private(set) var version = 0
  /// How many were sent: what is asked for from now on is asked after them.
  private(set) var tick = 0
  private var lastNumber = 0

  /// Begins an edit; gives its number.
  mutating func begin(
    _ id: Item.ID, _ kind: Kind, differs: @escaping (Item) -> Bool = { _ in false }
  ) -> Int {
    (lastNumber, version) = (lastNumber + 1, version + 1)
    all.append(Edit(number: lastNumber, id: id, kind: kind, differs: differs))
    return lastNumber
  }

  /// Takes an edit back: it was not sent, or is not waited for any more.
  mutating func end(_ number: Int) {
    drop { $0.number == number }
  }

  /// An edit was sent; an insert has the form that the server gives it.
  mutating func sent(_ number: Int, form: Item? = nil, now: Item? = nil) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    (tick, version) = (tick + 1, version + 1)
    all[index].sentAt = tick
    if let form, case .insertion(_, let feed) = all[index].kind {
      (all[index].id, all[index].kind) = (form.id, .insertion(form, feed: feed))
    }
    if let now { receive([now], asked: nil) }
  }

  /// The server sent items, in an answer that was asked for at a tick; nil where that is not
  /// known. An edit that it has taken in, or has decided otherwise about, is over, and with it
  /// those of the item that were sent before.
  mutating func receive(_ items: [Item], asked: Int?) {
    guard !all.isEmpty else { return }
    for item in items {
      let last = all.lastIndex { edit in
        guard edit.id == item.id, let sentAt = edit.sentAt else { return false }
        let isAnswer = asked.map { $0 >= sentAt } ?? false
        return switch edit.kind {
        case .change(_, let alters): !alters(item) || isAnswer && edit.differs(item)
        case .removal: isAnswer && edit.differs(item)
        case .insertion: false
        }
      }
      guard let last else { continue }
      let number = all[last].number
      drop { $0.id == item.id && $0.sentAt != nil && $0.number <= number }
    }
  }

  /// Items are gone from where the edits are shown.
  mutating func gone(_ ids: Set<Item.ID>) {
    drop { ids.contains($0.id) && $0.sentAt != nil }
  }

  /// A feed's list has items of its own now: inserts of these stand where the server says.
  mutating func landed(in feed: String, _ has: (Item.ID) -> Bool) {
    drop { edit in
      if case .insertion(_, feed) = edit.kind { has(edit.id) } else { false }
    }
  }

  /// Whether an item is shown otherwise than the server sent it.
  func isPending(_ id: Item.ID, _ item: Item?) -> Bool {
    all.contains { edit in
      guard edit.id == id else { return false }
      if case .change(_, let alters) = edit.kind { return item.map(alters) ?? true }
      return true
    }
  }

  /// An item as it is shown; nil where it is removed.
  func shown(_ item: Item) -> Item? {
    var item = item
    for edit in all where edit.id == item.id {
      switch edit.kind {
      case .change(let apply, _): apply(&item)
      case .removal: return nil
      case .insertion: break
      }
    }
    return item
  }

  /// The inserts of a feed that its list does not have itself, the latest first.
  func inserted(in feed: String, unless has: (Item.ID) -> Bool) -> [Item] {
    all.reversed().compactMap { edit in
      guard case .insertion(let item, feed) = edit.kind, !has(edit.id) else { return nil }
      return shown(item)
    }
  }

  /// A list as it is shown.
  func shown(_ content: PagedItems<Item>, of feed: String) -> Shown {
    guard !all.isEmpty else { return Shown(items: content.items) }
    let inserts = inserted(in: feed) { content.index(of: $0) != nil }
    var shown = Shown(items: content.items, inserted: inserts.count)
    for index in Set(all.compactMap { content.index(of: $0.id) }) {
      if let item = self.shown(content.items[index]) {
        shown.items[index] = item
      } else {
        shown.removed.append(index)
      }
    }
    shown.removed.sort()
    for index in shown.removed.reversed() { shown.items.remove(at: index) }
    shown.items.insert(contentsOf: inserts, at: 0)
    return shown
  }

  private mutating func drop(_ isOver: (Edit) -> Bool) {
    let count = all.count
    all.removeAll(where: isOver)
    if all.count != count { version += 1 }
  }
}
