import Feed
import Foundation
import Freshness
import History
import SQLiteStore
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// Any integer may stand in any column of what servers share: it is served, or the call throws.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct ExtremeSharedRowsTests {
  private let server: RunningPostgreSQL
  private let folder: TemporaryDirectory
  private let feed = FeedID(
    source: "s", pattern: FeedPattern("items", order: .value, content: "items"),
    parts: [Array("items".utf8)])
  private let time = VirtualTime()

  init() throws {
    server = try #require(RunningPostgreSQL.shared)
    folder = try TemporaryDirectory("tsugi-extremes")
  }

  private func store(_ name: String, at url: String) throws -> SharedStore {
    let copy = try TimelineDatabase(
      path: "\(folder.path)/\(name)", durability: .processOnly, isCopy: true)
    let ledger = PostgreSQLLedger(url: url, connections: 1)
    try ledger.prepare()
    return try SharedStore(copy: copy, ledger: ledger, server: name, time: time) { _ in
      .seconds(30)
    }
  }

  private var call: SharedCall {
    SharedCall(source: "s", key: "feed s/items", feed: feed, budget: nil)
  }

  private func merge(_ ids: [String], at second: Int64) -> Merge {
    var timeline = Timeline()
    timeline.proofs = [
      Proof(
        upper: .above(key: 200), lower: .below(key: 90), provenAt: Timestamp(seconds: second),
        count: ids.count, rankBelow: ids.count, belief: JoinProof.none)
    ]
    timeline.moves = [
      Move(
        number: 3, id: Identity("a"), from: Position(order: 9, tie: []),
        to: Position(order: 5, tie: []))
    ]
    timeline.lookedAt = Timestamp(seconds: second)
    timeline.total = Total(value: ids.count, asOf: Timestamp(seconds: second))
    var merge = Merge(feed: feed, sentAt: Timestamp(seconds: second), timeline: timeline)
    merge.seen = ids.enumerated().map { index, id in
      let key = Int64(100 - index)
      return Merge.Seen(
        position: Position(order: key, tie: Array(id.utf8)),
        item: PageItem(
          id: Identity(id), key: key, updatedAt: 7, bytes: Array("{\"id\":\"\(id)\"}".utf8)),
        state: .live, takesNumber: true)
    }
    return merge
  }

  /// Makes a call, and commits what it brought. Returns whether it could.
  private func ask(_ store: SharedStore, _ ids: [String], at second: Int64) throws -> Bool {
    let claim = try store.claim(call) { ground in
      var budget = ground?.budget ?? Budget(limit: 9, remaining: 8, resetAt: nil)
      budget.spend(at: time.now)
      return budget
    }
    guard case .granted = claim else { return false }
    let latest = UpstreamDate(date: 5, madeAt: time.now)
    let budget = Budget(limit: 9, remaining: 7, resetAt: time.now, spentAt: time.now)
    let pause = CallPause(until: time.now, meaning: .unavailable, failures: 3)
    store.note(
      CallAnswer(budget: budget, moved: (from: nil, to: latest)) { $0.inFlight = 0 }, to: call)
    _ = try store.commit(merge(ids, at: second), budget: nil)
    _ = try store.settle(call, settling: (budget, true), pausing: pause)
    return true
  }

  private func follow(_ store: SharedStore) throws {
    for _ in 0..<4 {
      guard let news = try store.news(of: "s") else { return }
      try store.take(news)
    }
  }

  /// A database with a row or more in every table, and a copy of it at a server.
  private func filled() throws -> String {
    let url = try server.newDatabase()
    let store = try store("filled", at: url)
    #expect(try ask(store, ["c", "b", "a"], at: 1_000))
    try follow(store)
    try store.note(["s/items": time.now])
    let answer = RawAnswer(
      head: StoredAnswer(
        status: 200, fields: [FieldLine("A", "b")], to: [], askedAt: 1_000, respondedAt: 1_001),
      body: [1])
    try PostgreSQLLedger(url: url, connections: 1).share(
      answer, renewing: nil, of: "s", as: "s", at: "/a", variantsMax: 4)
    store.close()
    return url
  }

  /// Each column of an integer with the extremes of its type, as the database itself tells.
  private func columns(of url: String) throws -> [(name: String, values: [Int64])] {
    try server.query(
      """
      SELECT table_name || '.' || column_name || '.' || data_type
      FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'NO'
        AND data_type IN ('bigint', 'integer', 'smallint') ORDER BY 1
      """, in: url
    ).split(separator: "\n").map { line in
      let words = line.split(separator: ".")
      let bits = ["bigint": 63, "integer": 31][words[2]] ?? 15
      let most = Int64.max >> Int64(63 - bits)
      return ("\(words[0]).\(words[1])", [most, -most - 1])
    }
  }

  @Test func noIntegerEndsTheProcess() throws {
    let url = try filled()
    let columns = try columns(of: url)
    #expect(columns.count >= 40 && columns.contains { $0.name == "feed.version" })
    for (number, column) in columns.enumerated() {
      let words = column.name.split(separator: ".")
      for (turn, value) in column.values.enumerated() {
        let other = try server.newDatabase(from: url)
        try server.query(
          "UPDATE \(words[0]) SET \(words[1]) = \(value) WHERE ctid = "
            + "(SELECT ctid FROM \(words[0]) LIMIT 1)", in: other)
        // One whose copy is older, and one that has none.
        let name = "copy-\(number)-\(turn)"
        for suffix in ["", "-wal"] {
          try? FileManager.default.copyItem(
            atPath: "\(folder.path)/filled\(suffix)", toPath: "\(folder.path)/\(name)\(suffix)")
        }
        use(other, by: name)
        use(other, by: "new-\(name)")
        tidy(other)
      }
    }
  }

  /// What throws has said what is wrong.
  private func use(_ url: String, by name: String) {
    guard let store = try? store(name, at: url) else { return }
    defer { store.close() }
    for second in [2_000, 3_000] as [Int64] {
      try? follow(store)
      compute((try? store.timeline(of: feed)) ?? nil)
      _ = try? store.bring([Identity("a"), Identity("b")], realm: feed.realm)
      if let reader = try? store.makeReader() {
        _ = try? reader.elements(of: feed, below: .top, above: .bottom, limit: 9)
        let number = SequenceNumber(epoch: store.epoch, number: 0)
        _ = try? reader.changes(of: feed, after: number, limit: 9, learned: true)
      }
      _ = try? ask(store, ["d", "c", "b", "a"], at: second)
      let budget = (try? store.budget(of: "s")) ?? nil
      _ = budget?.listeningPause(feeds: .max, policy: Policy(), at: time.now)
      _ = try? store.beat()
    }
    _ = try? store.delete([Identity("b")], realm: feed.realm, sentAt: Timestamp(seconds: 4_000))
    try? store.dropEverywhere(feed.name, of: "s", unless: nil)
    store.leave()
  }

  private func compute(_ timeline: Timeline?) {
    guard let timeline else { return }
    for proof in timeline.proofs {
      let freshness = Freshness(
        of: [proof], lookedAt: timeline.lookedAt, policy: Policy(), at: time.now)
      #expect(freshness.age(at: time.now) >= 0)
    }
  }

  private func tidy(_ url: String) {
    let ledger = PostgreSQLLedger(url: url, connections: 1)
    _ = try? ledger.tidy(.init(bytesMax: 1, answerBytesMax: 1, feedsMax: 1, remembers: .seconds(9)))
    _ = try? ledger.standing()
    for answer in (try? ledger.answers(of: "s", as: "s", at: "/a", most: 4)) ?? [] {
      _ = answer.head.timeToLive(by: CacheRules(), at: .max)
      _ = try? ledger.share(
        answer, renewing: answer, of: "s", as: "s", at: "/a", variantsMax: 1)
    }
    _ = try? ledger.purge(.all, of: "s")
    _ = try? ledger.budgets()
    _ = try? ledger.image(of: feed.name)
  }

  @Test func afterTheLastVersionThereAreMore() throws {
    let url = try filled()
    try server.query("UPDATE feed SET version = \(Int64.max)", in: url)
    let store = try store("last", at: url)
    _ = try store.timeline(of: feed)
    #expect(try ask(store, ["d", "c", "b", "a"], at: 2_000))
    #expect(try server.query("SELECT version FROM feed", in: url) == "1")
    #expect(try ask(store, ["e", "d", "c", "b", "a"], at: 3_000))
    #expect(try server.query("SELECT version FROM feed", in: url) == "2")
  }

  /// Numbers of a timeline's JSON.
  @Test(arguments: Extremes.texts) func aTimelineIsReadOrRefused(_ number: String) {
    for text in [
      #"{"lookedAt":N,"proofs":[],"lineages":[],"moves":[]}"#,
      #"{"total":[N,N],"proofs":[],"lineages":[],"moves":[]}"#,
      #"{"proofs":[[N,"",N,"61",N,N,N,null]],"lineages":[],"moves":[]}"#,
      #"{"proofs":[],"lineages":[["N",N,""]],"moves":[[N,"61",N,"",N,""]]}"#,
      #"{"proofs":[],"lineages":[],"moves":[],"doubts":"end - N N N N N N N N N N N"}"#,
    ] {
      let json = text.split(separator: "N", omittingEmptySubsequences: false)
      guard let timeline = try? TimelineCoding.timeline(json.joined(separator: number)) else {
        continue
      }
      compute(timeline)
      #expect((try? TimelineCoding.timeline(TimelineCoding.text(of: timeline))) == timeline)
    }
  }
}
