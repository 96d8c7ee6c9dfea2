import Foundation

/// What lists and screens of the same items share: what one learns stands in all, and so do edits.
///
/// A list without a store has one of its own; a store has one for each account, type and `fields`.
@MainActor package final class ItemHub<Item: Identifiable & Sendable> where Item.ID: Sendable {
  /// A list, or the screen of an item.
  struct Member {
    weak var owner: AnyObject?
    /// Others learned of these items.
    var learn: ([Item]) -> Void = { _ in }
    /// These items are gone everywhere.
    var delete: (Set<Item.ID>) -> Void = { _ in }
    /// What is shown of these may be old.
    var outdate: (Set<Item.ID>) -> Void = { _ in }
    /// Edits came or went.
    var edited: () -> Void = {}
  }

  /// The edits of these items.
  private(set) var edits = PagedEdits<Item>()
  /// Where the items are kept; nil without a store, and after its account was removed.
  package private(set) var storage: (any ItemStorage)?
  /// How they are written there.
  let coder: ItemCoder<Item>?
  /// Those who have the same items with other fields learn that these changed, or are gone.
  package var onChange: (_ ids: Set<Item.ID>, _ areGone: Bool) -> Void = { _, _ in }
  private var members: [Member] = []
  /// A request for items.
  struct Ask: Sendable {
    /// Rises from one to the next.
    let number: Int
    /// The tick of the edits; nil for one whose answer says nothing of edits.
    var tick: Int?
  }

  /// What was asked for and is not answered yet, by number.
  private var asks: Set<Int> = []
  private var lastAsk = 0
  /// What answers brought while others that were asked for before them were on their way; nil where
  /// an item is gone.
  private var latest: [Item.ID: (ask: Int, item: Item?)] = [:]

  /// What is shared by no list yet.
  package init(storage: (any ItemStorage)? = nil, coder: ItemCoder<Item>? = nil) {
    self.storage = storage
    self.coder = coder
  }

  /// Takes a member in.
  func join(_ member: Member) {
    members.removeAll { $0.owner == nil }
    members.append(member)
  }

  /// Keeps nothing from now on.
  package func retire() { storage = nil }

  /// Something is asked for.
  func begin() -> Ask {
    lastAsk += 1
    asks.insert(lastAsk)
    return Ask(number: lastAsk, tick: edits.tick)
  }

  /// What was asked for is answered, and dealt with.
  func end(_ ask: Ask) {
    asks.remove(ask.number)
    let oldest = asks.min() ?? .max
    if !latest.isEmpty { latest = latest.filter { $0.value.ask > oldest } }
  }

  /// What an answer has of items that others, which were asked for later, brought before it.
  func newer(than ask: Ask?, of ids: some Sequence<Item.ID>) -> [Item.ID: Item?] {
    guard let ask, !latest.isEmpty else { return [:] }
    return Dictionary(
      ids.compactMap { id in latest[id].flatMap { $0.ask > ask.number ? (id, $0.item) : nil } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Remembers what came, for those answers that are older.
  private func remember(_ items: [(id: Item.ID, item: Item?)], _ ask: Ask?) {
    let number = ask?.number ?? lastAsk + 1
    guard let oldest = asks.min(), oldest < number else { return }
    for (id, item) in items { latest[id] = (number, item) }
  }

  /// The server sent a member items, in an answer to `ask`; nil for what was not asked for.
  func receive(_ items: [Item], to ask: Ask?, from owner: AnyObject) {
    let older = newer(than: ask, of: items.lazy.map(\.id))
    let items = older.isEmpty ? items : items.filter { older[$0.id] == nil }
    guard !items.isEmpty else { return }
    remember(items.map { ($0.id, $0) }, ask)
    update { $0.receive(items, asked: ask?.tick) }
    for member in members where member.owner !== owner { member.learn(items) }
    guard let storage, let encode = coder?.encode else { return }
    storage.put(
      items.map { item in StoredItem(identity: identityText(of: item.id)) { encode(item) } })
  }

  /// A member learned that items changed: those of which nothing more is known are old everywhere,
  /// and all where they are kept with other fields.
  func changed(_ ids: Set<Item.ID>, known: Set<Item.ID>) {
    guard !ids.isEmpty else { return }
    outdate(ids.subtracting(known))
    onChange(ids, false)
  }

  /// What is shown of items may be old.
  package func outdate(_ ids: Set<Item.ID>) {
    guard !ids.isEmpty else { return }
    for member in members { member.outdate(ids) }
  }

  /// A member learned that items are gone everywhere.
  func deleted(_ ids: Set<Item.ID>, to ask: Ask?, from owner: AnyObject) {
    guard !ids.isEmpty else { return }
    remember(ids.map { ($0, nil) }, ask)
    delete(ids, but: owner)
    onChange(ids, true)
  }

  /// Items are gone everywhere.
  package func delete(_ ids: Set<Item.ID>, but owner: AnyObject? = nil) {
    update { $0.gone(ids) }
    for member in members where owner == nil || member.owner !== owner { member.delete(ids) }
    storage?.delete(ids.map { identityText(of: $0) })
  }

  /// Changes the edits and has members show it.
  func update(_ change: (inout PagedEdits<Item>) -> Void) {
    let version = edits.version
    change(&edits)
    guard edits.version != version else { return }
    for member in members { member.edited() }
  }

  /// Shows an edit while it is sent, and until the server sends it.
  ///
  /// - Throws: what `sending` throws; the edit is taken back then.
  func edit<Answer: Sendable>(
    _ id: Item.ID, _ kind: PagedEdits<Item>.Kind, differs: @escaping (Item) -> Bool,
    rules: (client: FeedClient, settlesWithin: Duration), now: () -> Item?,
    form: (Answer) -> Item?, sending: () async throws -> Answer
  ) async throws -> Answer {
    var number = 0
    update { number = $0.begin(id, kind, differs: differs) }
    let answer: Answer
    do {
      answer = try await sending()
    } catch {
      update { $0.end(number) }
      throw error
    }
    update { $0.sent(number, form: form(answer), now: now()) }
    Task { [weak self, number] in
      // Only a test's clock wakes it early; then it is as good as over.
      try? await rules.client.sleep(for: rules.settlesWithin)
      self?.update { $0.end(number) }
    }
    return answer
  }
}

extension ItemHub {
  /// What the store has of these items.
  func items(_ ids: [Item.ID]) async -> [Item.ID: Item] {
    guard let storage, let coder else { return [:] }
    let bodies = await storage.bodies(of: ids.map { identityText(of: $0) })
    return await Self.decode(bodies, coder.decode)
  }

  /// Reads items off the main actor.
  @concurrent private nonisolated static func decode(
    _ bodies: [String: Data], _ decode: @Sendable (Data) -> Item?
  ) async -> [Item.ID: Item] {
    Dictionary(
      bodies.values.compactMap(decode).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
