import Feed
import Freshness
import Support
import Testing

@testable import SQLiteStore

/// Any integer may stand in any column of the file: it is served, or the call throws.
@Suite struct ExtremeRowsTests {
  private let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
  }

  private static let values: [Int64] = [
    .min, .min + 1, -(1 << 62), -1, 0, (1 << 31) + 1, 1 << 53, 1 << 62, .max - (1 << 34), .max - 1,
    .max,
  ]

  /// Each column of an integer, as the file itself tells.
  static let columns: [String] = {
    do {
      let sandbox = try Sandbox()
      _ = try sandbox.open()
      let connection = try Connection(path: sandbox.path, access: .readOnly)
      let list = try connection.text(
        """
        SELECT group_concat(t.name || '.' || c.name, ' ') FROM sqlite_schema AS t
        JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND c.type = 'INTEGER'
        """)
      return list.split(separator: " ").map(String.init)
    } catch {
      Issue.record(error)
      return []
    }
  }()

  @Test func everyTableIsAmongThem() {
    #expect(Self.columns.contains("answer.responded_at") && Self.columns.contains("move.number"))
    #expect(Self.columns.count >= 40)
  }

  @Test(arguments: columns, [false, true])
  func aColumnIsReadWhateverItHolds(_ column: String, isCopy: Bool) throws {
    let words = column.split(separator: ".")
    // Each column holds other values in a short run.
    for value in Self.values.sample(2, for: "\(column) \(isCopy)") {
      let sandbox = try Sandbox()
      try fill(sandbox.path, isCopy: isCopy)
      let connection = try Connection(path: sandbox.path, access: .readWrite)
      // A key that is taken by another row stays.
      try connection.execute("UPDATE OR IGNORE \(words[0]) SET \(words[1]) = \(value)")
      use(sandbox.path, isCopy: isCopy, now: instant(5_000))
      use(sandbox.path, isCopy: isCopy, now: nil)
    }
  }

  @Test(arguments: [0, 100, 101, 199, 600, 999, .max, .min] as [Int64])
  func anAnswerWithAStatusThatNoneHasIsNotKept(status: Int64) throws {
    try fill(sandbox.path)
    try Connection(path: sandbox.path, access: .readWrite).execute(
      "UPDATE answer SET status = \(status)")
    let store = try sandbox.open()
    #expect(try store.answers(of: "s", at: "/a").isEmpty)
    try keep(in: store)
    #expect(try store.answers(of: "s", at: "/a").map(\.head.status) == [200])
  }

  @Test func sizesThatNoneHasAreTakenAway() throws {
    try fill(sandbox.path)
    let connection = try Connection(path: sandbox.path, access: .readWrite)
    try connection.execute("UPDATE answer SET size = \(Int64.max)")
    let store = try sandbox.open()
    try store.trimAnswers(of: "s", toBytes: 0)
    #expect(try store.answers(of: "s", at: "/a").isEmpty)
  }

  /// One row or more in every table.
  private func fill(_ path: String, isCopy: Bool = false) throws {
    let store = try TimelineDatabase(path: path, durability: .processOnly, isCopy: isCopy)
    defer { store.close() }
    for feed in [items, tagged("t")] {
      var change = merge(
        feed, sentAt: 10, seen: ["d", "c", "b", "a"].map { seen($0, 5, updatedAt: 3) })
      change.missing = [place("b", 5)]
      change.timeline = timeline()
      let budget = Budget(limit: 9, remaining: 8, resetAt: instant(90), spentAt: instant(10))
      if isCopy {
        let (rows, base) = try store.prepared([change])
        try store.take(rows, over: base, of: [change], number: 1)
      } else {
        _ = try store.commit(change, budget: budget)
      }
    }
    _ = try store.commit(merge(sentAt: 20, removed: [place("d", 5)]), budget: nil)
    if isCopy { try store.take(StoreNews(source: "qiita", number: 7, epoch: store.epoch)) }
    try keep(in: store)
  }

  private func timeline() -> Timeline {
    var timeline = Timeline()
    timeline.proofs = [
      Proof(
        upper: .above(key: 9), lower: .below(key: 1), provenAt: instant(10), count: 4,
        rankBelow: 4, belief: JoinProof.none)
    ]
    timeline.lineages = [Lineage(name: 1)]
    timeline.moves = [
      Move(number: 3, id: Identity("a"), from: place("a", 9), to: place("a", 5))
    ]
    timeline.lookedAt = instant(10)
    timeline.total = Total(value: 4, asOf: instant(10))
    return timeline
  }

  private func keep(in store: TimelineDatabase) throws {
    let answer = RawAnswer(
      head: StoredAnswer(
        status: 200, fields: [FieldLine("Cache-Control", "max-age=9")], to: [],
        askedAt: 1_000, respondedAt: 2_000), body: Array("hello".utf8))
    for target in ["/a", "/b"] {
      try store.keep(answer, renewing: nil, of: "s", at: target, variantsMax: 2)
    }
  }

  /// All that a server asks of a store. What throws has said what is wrong.
  private func use(_ path: String, isCopy: Bool, now: Timestamp?) {
    guard
      let store = try? TimelineDatabase(
        path: path, durability: .processOnly, now: now, isCopy: isCopy)
    else { return }
    defer { store.close() }
    for feed in [items, tagged("t")] { use(store, feed, isCopy: isCopy) }
    use(answersOf: store)
    _ = try? store.copied(of: "qiita")
    _ = try? store.feeds()
    _ = try? store.sequenceFloor()
    _ = try? store.check()
    for _ in 0..<4 {
      _ = try? store.sweep(
        Sweep(goneBefore: instant(6_000), looseBefore: instant(6_000), rowsMax: 2))
    }
    for feed in [items, tagged("t")] { evict(feed, from: store) }
  }

  private func use(_ store: TimelineDatabase, _ feed: FeedID, isCopy: Bool) {
    let timeline = (try? store.timeline(of: feed)) ?? nil
    let budget = (try? store.budget(of: "qiita")) ?? nil
    compute(timeline ?? Timeline(), budget, feed)
    if let reader = try? store.makeReader() {
      let elements = try? reader.elements(of: feed, below: .top, above: .bottom, limit: 9)
      for element in elements ?? [] {
        let text = Cursor.text(at: element.position, in: feed, lineage: 1, told: .max)
        #expect((try? Cursor.reading(text, in: feed))?.position == element.position)
      }
      for number in [0, 1, Int64.max] {
        let number = SequenceNumber(epoch: store.epoch, number: number)
        _ = try? reader.changes(of: feed, after: number, limit: 9, learned: true)
      }
      let item = (try? reader.item(Identity("a"), realm: feed.realm)) ?? nil
      _ = item.map { instant(5_000) - $0.sentAt }
    }
    for known in (try? store.known(in: feed, ids: [Identity("a"), Identity("b")])) ?? [] {
      _ = feed.pattern.unit.second(of: known.updatedAt ?? 0)
      _ = known.missingSince.map { instant(5_000) - $0 }
    }
    var change = merge(feed, sentAt: 6_000, seen: [seen("e", 6), seen("a", 5, content: "{}")])
    change.timeline = timeline ?? Timeline()
    if isCopy {
      if let (rows, base) = try? store.prepared([change]) {
        try? store.take(rows, over: base, of: [change], number: 1)
      }
    } else {
      _ = try? store.commit(change, budget: budget)
    }
    _ = try? store.delete([Identity("c")], realm: feed.realm, sentAt: instant(6_100))
    _ = try? store.image(of: feed.name)
  }

  /// What is computed of what was read, before and after a slice.
  private func compute(_ timeline: Timeline, _ budget: Budget?, _ feed: FeedID) {
    var budget = budget ?? Budget(assumed: Policy().allowance)
    let now = instant(5_000)
    _ = budget.listeningPause(feeds: .max, policy: Policy(), at: now)
    budget.spend(at: now)
    _ = budget.opensAgain(permille: 500, at: now)
    for proof in timeline.proofs {
      let freshness = Freshness(
        of: [proof], lookedAt: timeline.lookedAt, policy: Policy(), at: now)
      #expect(freshness.age(at: now) >= 0)
    }
    var seek = Seek(target: .below(key: 3), timeline: timeline, paging: feed.pattern.paging)
    while let window = seek.window(perPageMax: 100), seek.asked < 9 {
      seek.asked += 1
      #expect(window.firstRank >= 0)
    }
  }

  private func use(answersOf store: TimelineDatabase) {
    let rules = CacheRules()
    for target in ["/a", "/b"] {
      for answer in (try? store.answers(of: "s", at: target)) ?? [] {
        let now = instant(5_000).milliseconds
        #expect(answer.head.age(at: now) >= 0)
        _ = Reuse([], stored: answer.head, by: rules, at: now)
        #expect((200...599).contains(answer.head.status))
        try? store.keep(answer, renewing: answer, of: "s", at: target, variantsMax: 1)
      }
      try? store.noteUse(of: target, of: "s", at: instant(5_000))
    }
    _ = try? store.trimAnswers(of: "s", toBytes: 3)
    _ = try? store.purge(.prefix("/"), of: "s", askedBy: nil)
  }

  private func evict(_ feed: FeedID, from store: TimelineDatabase) {
    _ = try? store.contentBytes(of: feed.name)
    if let foot = (try? store.foot(of: feed.name, limit: 9)) ?? nil {
      if case .cut(let cut, let timeline) = Eviction.step(for: foot, limit: 9, keepsTop: false) {
        _ = try? store.cut(feed.name, below: cut, leaving: timeline)
      }
    }
    _ = try? store.drop(feed.name)
  }
}
