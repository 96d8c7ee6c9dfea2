/// What a test compares a reader's view with.
extension World {
  /// The steps between which an item was there.
  package struct Presence: Hashable, Sendable {
    /// The first step at which it was there; 0 for the items of the beginning.
    package let bornStep: Int
    /// The first step at which it was there no more; nil while it is.
    package let goneStep: Int?
  }

  /// How many events have happened.
  package var step: Int {
    events.count
  }

  /// The ids of the items that are there, newest first by `created_at`, then by id descending.
  package var ids: [String] {
    order.reversed().map { records[Int($0)].id.text }
  }

  /// How many items are there.
  package var itemCount: Int {
    order.count
  }

  /// When the item was there; nil for an id that never was.
  package func presence(of id: String) -> Presence? {
    guard let key = HexID(id), let serial = serials[key] else { return nil }
    let record = records[serial]
    return Presence(bornStep: record.bornStep, goneStep: record.goneStep)
  }

  /// The ids of the items that were there at every step from `first` to `last`, newest first.
  package func idsPresent(from first: Int, through last: Int) -> [String] {
    records
      .filter { $0.bornStep <= first && ($0.goneStep ?? .max) > last }
      .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
      .map(\.id.text)
  }

  /// The second of an item's `created_at`, also after it has gone; nil for an id that never was.
  package func createdAtSeconds(of id: String) -> Int64? {
    HexID(id).flatMap { serials[$0] }.map { records[$0].createdAt }
  }

  /// The serial number of an item that is there.
  func presentSerial(_ id: String) -> Int? {
    guard let key = HexID(id), let serial = serials[key], records[serial].goneStep == nil
    else { return nil }
    return serial
  }
}
