import Feed
import Support
import Testing

@testable import SQLiteStore

/// Files of earlier versions.
@Suite struct SchemaTests {
  @Test func aFileOfTheFirstVersionIsTakenUp() throws {
    let sandbox = try Sandbox()
    do {
      let connection = try Connection(path: sandbox.path, access: .readWrite)
      try connection.execute("PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL")
      try connection.execute(Schema.steps[0])
      try connection.execute(
        """
        INSERT INTO store (epoch) VALUES ('abcdefgh');
        INSERT INTO feed (key, name, source, realm, sequence) VALUES
          (1, 'qiita/items', 'qiita', 'qiita#items', 5),
          (2, 'qiita/tags/Swift/items', 'qiita', 'qiita#items', 1),
          (3, 'qiita/items/a/likes', 'qiita', 'qiita/items/a/likes#own', 1);
        INSERT INTO item (key, realm, id, sent_at) VALUES (1, 'qiita#items', x'61', 1);
        INSERT INTO content VALUES (1, x'7b7d');
        INSERT INTO element (feed, ord, tie, state, item, id, sent_at, sequence) VALUES
          (1, 7, x'61', 0, 1, x'61', 1, 1), (2, 9, x'', 0, 1, x'61', 1, 1),
          (3, 9, x'', 0, 1, x'61', 1, 1);
        PRAGMA application_id = \(Schema.applicationID);
        PRAGMA user_version = 1;
        """)
    }
    let store = try sandbox.open()
    #expect(store.setAside == nil && store.epoch == "abcdefgh")
    #expect(try store.standing() == "a" && store.standing(in: tagged("Swift")) == "a")
    let feeds = ["qiita/items", "qiita/tags/Swift/items", "qiita/items/a/likes"]
    let orders = try feeds.map { try store.foot(of: $0, limit: 1)?.order }
    #expect(orders == [.value, .observed, .whole])
    #expect(try store.timeline(of: items)?.lineages == [])
    let lineage = try #require(try store.timeline(of: tagged("Swift"))?.lineages.first)
    #expect(lineage.floor == .bottom)
  }

  @Test func movesAreKeptInTheirOrder() throws {
    let sandbox = try Sandbox()
    let moves = (1...5).map { number in
      let place = Position(order: Int64(number), tie: [UInt8(number)])
      return Move(
        number: Int64(number) * 10, id: Identity("a\(number)"), from: place,
        to: Cut.bottom.position)
    }
    for range in [0..<3, 0..<3, 1..<4, 3..<5] {
      let store = try sandbox.open()
      var change = merge(items, sentAt: 10, seen: [seen("a", 1)])
      change.timeline.moves = Array(moves[range])
      _ = try store.commit(change, budget: nil)
      store.close()
      #expect(try sandbox.open().timeline(of: items)?.moves == Array(moves[range]))
    }
    let store = try sandbox.open()
    try store.drop(items.name)
    _ = try store.commit(merge(items, sentAt: 20, seen: [seen("b", 1)]), budget: nil)
    #expect(try store.timeline(of: items)?.moves == [])
  }

  @Test func doubtsAreKeptWithTheFeed() throws {
    let sandbox = try Sandbox()
    var change = merge(items, sentAt: 10, seen: [seen("a", 1)])
    change.timeline.doubts.hear(.disorder, at: instant(10))
    for _ in 0..<2 {
      let store = try sandbox.open()
      _ = try store.commit(change, budget: nil)
      store.close()
      #expect(try sandbox.open().timeline(of: items)?.doubts == change.timeline.doubts)
      change.timeline.doubts.clear(.disorder)
    }
  }

  @Test func lineagesAreKeptInTheirOrder() throws {
    let sandbox = try Sandbox()
    let lineages = [
      Lineage(name: 7, floor: .below(key: 5)), Lineage(name: .max), Lineage(name: 0),
    ]
    for count in [3, 1, 2] {
      let store = try sandbox.open()
      var change = merge(tagged("Swift"), sentAt: 10, seen: [seen("a", 1)])
      change.timeline.lineages = Array(lineages.prefix(count))
      _ = try store.commit(change, budget: nil)
      store.close()
      let stored = try sandbox.open().timeline(of: tagged("Swift"))?.lineages
      #expect(stored == Array(lineages.prefix(count)))
    }
  }
}
