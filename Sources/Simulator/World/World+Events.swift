/// How the items change: by hand in a test, or by drift.
extension World {
  /// A new item at the top; gives its id.
  ///
  /// Its second is `seconds`, the present one when nil, but never older than that of the present
  /// top: so several inserts in one second share it.
  @discardableResult
  package mutating func insert(at seconds: Int64? = nil) -> String {
    appeared(.insert, createdAt: max(seconds ?? nowSeconds, newestSecond))
  }

  /// An item that appears with an old date; gives its id.
  @discardableResult
  package mutating func insertLate(createdAt seconds: Int64) -> String {
    appeared(.late, createdAt: seconds)
  }

  /// Takes an item away; false when it is not there.
  @discardableResult
  package mutating func delete(id: String) -> Bool {
    guard let serial = presentSerial(id) else { return false }
    // The record is found at its own rank: no other item has its id.
    order.remove(at: rankFromOldest(of: records[serial]))
    events.append(Event(kind: .delete, id: id, atSeconds: nowSeconds))
    records[serial].goneStep = events.count
    users[records[serial].user].items -= 1
    removeFromLists(item: serial)
    return true
  }

  /// Edits an item: another text, `updated_at` is now; false when it is not there or recorded,
  /// for recorded bytes never change.
  @discardableResult
  package mutating func touch(id: String) -> Bool {
    guard let serial = presentSerial(id), recorded(serial) == nil else { return false }
    events.append(Event(kind: .touch, id: id, atSeconds: nowSeconds))
    records[serial].version += 1
    records[serial].updatedAt = max(nowSeconds, records[serial].updatedAt + 1)
    return true
  }

  /// One more like for an item and one more follower for its author, `updated_at` stays; false
  /// when it is not there or recorded.
  @discardableResult
  package mutating func count(id: String) -> Bool {
    guard let serial = presentSerial(id), recorded(serial) == nil else { return false }
    events.append(Event(kind: .count, id: id, atSeconds: nowSeconds))
    records[serial].likes += 1
    users[records[serial].user].followers += 1
    return true
  }

  /// One event of drift, its item chosen by the seed; nothing when there is no item to choose.
  ///
  /// Half of the chosen items are among the newest 200, half among the newest 10,000: those that
  /// a reader can reach.
  package mutating func drift(_ kind: Event.Kind) {
    switch kind {
    case .insert: insert()
    case .delete: chosenID().map { _ = delete(id: $0) }
    case .touch: chosenID().map { _ = touch(id: $0) }
    case .count: chosenID().map { _ = count(id: $0) }
    case .late:
      guard let id = chosenID(), let serial = presentSerial(id) else { return }
      let shares = generator.chance(max(0.2, options.tieProbability))
      insertLate(createdAt: records[serial].createdAt - (shares ? 0 : 1))
    }
  }

  private mutating func appeared(_ kind: Event.Kind, createdAt: Int64) -> String {
    let id = records[appear(createdAt: createdAt, bornStep: step + 1)].id.text
    events.append(Event(kind: kind, id: id, atSeconds: nowSeconds))
    addToLists(item: records.count - 1)
    return id
  }

  private mutating func chosenID() -> String? {
    guard !order.isEmpty else { return nil }
    let reach = generator.chance(0.5) ? 200 : 10_000
    let rank = generator.below(min(reach, order.count))
    return records[Int(order[order.count - 1 - rank])].id.text
  }
}
