import Feed
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// How PostgreSQL reads the large tables, over a real one where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct PlanTests {
  private let server: RunningPostgreSQL
  private let url: String

  init() throws {
    let ledger: PostgreSQLLedger
    (server, url, ledger) = try ownDatabase()
    try ledger.prepare()
    // A plan is kept for as long as no statistics are made.
    for table in ["item", "element", "content", "feed", "log"] {
      _ = try server.query("ALTER TABLE \(table) SET (autovacuum_enabled = off)", in: url)
    }
  }

  /// A page of a feed, below those before it.
  private func rows(page: Int, of count: Int) -> SharedRows {
    let at = Timestamp(seconds: 1_000 + Int64(page))
    var feed = SharedFeed(
      name: "s/f", source: "s", realm: "s#items", order: .value, version: Int64(page) + 1,
      stamp: Int64(page), changesFloor: 0, timeline: Timeline())
    feed.timeline.sequence = Int64(page)
    var rows = SharedRows(feed: feed)
    for number in 0..<count {
      let place = page * count + number
      let (id, bytes) = (Identity("item \(place)"), Array("{\"id\":\(place)}".utf8))
      rows.elements.append(
        SharedElement(
          known: KnownElement(
            position: Position(order: -Int64(place), tie: id.bytes), id: id, updatedAt: nil,
            state: .live, sentAt: at),
          sequence: 1))
      rows.items.append(
        SharedItem(realm: "s#items", id: id, sentAt: at, digest: SharedItem.digest(of: bytes)))
      rows.contents[id] = bytes
    }
    return rows
  }

  private func rowsRead(of tables: String) throws -> Int {
    let text = try server.query(
      "SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE relname IN (\(tables))",
      in: url)
    return try #require(Int(text))
  }

  /// What a page costs does not grow with the pages before it: no table is read whole, by plans
  /// that were made when it was small.
  @Test func noTableIsReadWhole() async throws {
    let (pages, size) = (40, 50)
    do {
      let writer = PostgreSQLLedger(url: url, connections: 1)
      let reader = PostgreSQLLedger(url: url, connections: 1)
      var copy = SourceCopy(of: "s", number: 0, states: [:])
      for page in 0..<pages {
        let rows = rows(page: page, of: size)
        let base = page == 0 ? nil : SharedState(version: Int64(page), stamp: Int64(page) - 1)
        let move = try writer.write(
          rows, over: base, of: nil, leaving: nil, for: Server(id: "writer"))
        let news = try #require(try reader.news(beyond: copy))
        if page > 0 {
          guard case .rows(let brought)? = news.feeds.first else {
            Issue.record("no rows came of page \(page)")
            return
          }
          #expect(brought.elements.count == size && brought.contents.count == size)
        }
        copy.number = try #require(move).number
        copy.states["s/f"] = rows.feed.state
      }
    }
    // The connections are closed, and what they did is counted.
    let deadline = ContinuousClock.now + .seconds(20)
    let written = "SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'element'"
    while try server.query(written, in: url) != "\(pages * size)", ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try server.query(written, in: url) == "\(pages * size)")
    #expect(try rowsRead(of: "'item', 'element', 'content'") <= 10 * size)
  }
}
