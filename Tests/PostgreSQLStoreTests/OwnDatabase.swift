import Feed
import Support
import Testing

@testable import PostgreSQLStore

/// A new database of this process's server, and a ledger over it, not prepared yet.
func ownDatabase() throws -> (
  server: RunningPostgreSQL, url: String, ledger: PostgreSQLLedger
) {
  let server = try #require(RunningPostgreSQL.shared)
  let url = try server.newDatabase()
  return (server, url, PostgreSQLLedger(url: url))
}

/// A new database with its tables, and two ledgers over it, as of two servers.
func sharedDatabase() throws -> (
  server: RunningPostgreSQL, url: String, one: PostgreSQLLedger, other: PostgreSQLLedger
) {
  let (server, url, one) = try ownDatabase()
  try one.prepare()
  return (server, url, one, PostgreSQLLedger(url: url))
}

/// Rows of the feed `s/f` of a version, with these items, top last.
func sharedRows(
  version: Int64, _ ids: [String], stamp: Int64 = 7, gone: Bool = false
) -> SharedRows {
  let at = Timestamp(seconds: 1_000 + version)
  var timeline = Timeline()
  timeline.proofs = [
    Proof(
      upper: .above(key: 9), lower: .bottom, provenAt: at, count: ids.count,
      rankBelow: ids.count, belief: JoinProof.none)
  ]
  timeline.moves = [
    Move(
      number: 3, id: Identity("é\"\\"), from: Position(order: .max, tie: [0, 255]),
      to: Position(order: .min, tie: []))
  ]
  timeline.lineages = [Lineage(name: .max, floor: .bottom)]
  timeline.lookedAt = at
  timeline.total = Total(value: 9, asOf: at)
  timeline.sequence = version
  var rows = SharedRows(
    feed: SharedFeed(
      name: "s/f", source: "s", realm: "s#items", order: .value, version: version, stamp: stamp,
      changesFloor: 0, timeline: timeline))
  for (index, text) in ids.enumerated() {
    let id = Identity(text)
    let bytes = Array("{\"id\":\"\(text)\",\"version\":\(version)}".utf8)
    rows.elements.append(
      SharedElement(
        known: KnownElement(
          position: Position(order: Int64(index), tie: id.bytes), id: id, updatedAt: nil,
          state: .live, missingSince: index == 0 ? at : nil, sentAt: at),
        sequence: version))
    rows.items.append(
      SharedItem(
        realm: "s#items", id: id, sentAt: at, digest: SharedItem.digest(of: bytes)))
    rows.contents[id] = bytes
  }
  return rows
}

/// Expects that a call finds the shared store unreachable, for a reason that has a text.
func expectOutage<Value>(
  _ text: String, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) {
  #expect(sourceLocation: location) {
    _ = try body()
  } throws: { error in
    guard case .unreachable(let message) = error as? StoreError else { return false }
    return message.contains(text)
  }
}
