import Feed
import Support
import Testing

@testable import SQLiteStore

/// Which answer is believed when two disagree: the one that was asked for later.
@Suite struct EvidenceTests {
  let sandbox: Sandbox
  let store: TimelineDatabase

  init() throws {
    sandbox = try Sandbox()
    store = try sandbox.open()
  }

  @Test(arguments: [[10, 20], [20, 10]] as [[Int64]])
  func keepsContentOfLaterAnswer(order: [Int64]) throws {
    for sentAt in order {
      let change = merge(sentAt: sentAt, seen: [seen("a", 1, content: "from \(sentAt)")])
      _ = try store.commit(change, budget: nil)
    }
    #expect(try store.content("a") == "from 20")
    #expect(try store.makeReader().item(Identity("a"), realm: "qiita#items")?.sentAt == instant(20))
  }

  @Test(arguments: [[10, 20], [20, 10]] as [[Int64]])
  func keepsItemAskedForByItself(order: [Int64]) throws {
    for sentAt in order {
      let item = seen("a", 1, content: "from \(sentAt)").item
      try store.keep(item, realm: "qiita#items", sentAt: instant(sentAt))
    }
    #expect(try store.content("a") == "from 20")
  }

  @Test func takesContentOfAnswerSentAtSameInstant() throws {
    for content in ["first", "second"] {
      _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1, content: content)]), budget: nil)
    }
    #expect(try store.content("a") == "second")
  }

  @Test func putsElementInFeedThoughItsContentIsOlder() throws {
    try store.keep(
      seen("a", 1, content: "later").item, realm: "qiita#items", sentAt: instant(20))
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1, content: "old")]), budget: nil)
    #expect(try store.standing() == "a")
    #expect(try store.content("a") == "later")
  }

  @Test func bringsNoRemovedElementBackFromOlderAnswer() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    _ = try store.commit(merge(sentAt: 30, removed: [place("a", 1)]), budget: nil)
    #expect(try store.commit(merge(sentAt: 20, seen: [seen("a", 1)]), budget: nil) == 2)
    #expect(try store.standing() == "")
    #expect(try store.commit(merge(sentAt: 40, seen: [seen("a", 1)]), budget: nil) == 3)
    #expect(try store.standing() == "a")
  }

  @Test func removesNothingThatLaterAnswerSaw() throws {
    _ = try store.commit(merge(sentAt: 30, seen: [seen("a", 1)]), budget: nil)
    _ = try store.commit(merge(sentAt: 20, missing: [place("a", 1)]), budget: nil)
    #expect(try store.commit(merge(sentAt: 20, removed: [place("a", 1)]), budget: nil) == 1)
    #expect(try store.standing() == "a")
    #expect(try store.known(in: items, ids: [Identity("a")])[0].missingSince == nil)
  }

  @Test func movesNothingBackByOlderAnswer() throws {
    let feed = tagged("Swift")
    _ = try store.commit(merge(feed, sentAt: 30, seen: [seen("a", 9)]), budget: nil)
    _ = try store.commit(merge(feed, sentAt: 20, seen: [seen("a", 1)]), budget: nil)
    #expect(try store.elements(of: feed).map(\.position) == [place("a", 9)])
  }

  @Test func erasesDeletedItemFromAllFeedsOfItsRealm() throws {
    let elsewhere = FeedID(
      source: "other", pattern: FeedPattern("items", order: .value),
      parts: [Array("items".utf8)])
    for feed in [items, tagged("Swift"), elsewhere] {
      _ = try store.commit(
        merge(feed, sentAt: 10, seen: [seen("b", 2), seen("a", 1)]), budget: nil)
    }
    let changed = try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(20))
    #expect(
      changed == ["qiita/items": 3, "qiita/tags/Swift/items": 3])
    #expect(try store.standing() == "b")
    #expect(try store.standing(in: tagged("Swift")) == "b")
    #expect(try store.standing(in: elsewhere) == "b a")
    let item = try store.makeReader().item(Identity("a"), realm: "qiita#items")
    #expect(item == StoredItem(bytes: nil, sentAt: instant(20)))
    #expect(try store.timeline(of: items)?.sequence == 3)
  }

  @Test func leavesNoByteOfDeletedItemInFiles() throws {
    let secret = "to be forgotten"
    for number in 0..<50 {
      _ = try store.commit(
        merge(sentAt: 10, seen: [seen("i\(number)", 1, content: "\(secret) \(number)")]),
        budget: nil)
    }
    for number in 0..<50 {
      _ = try store.delete([Identity("i\(number)")], realm: "qiita#items", sentAt: instant(20))
    }
    #expect(try files(holding: secret) == [])
  }

  /// Such as a backup, whose state of the file stays as long as it reads.
  @Test func leavesNoByteOnceAnotherProcessHasReadToItsEnd() throws {
    let secret = "to be forgotten"
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1, content: secret)]), budget: nil)
    let backup = try Connection(path: sandbox.path, access: .readOnly)
    try backup.execute("BEGIN; SELECT epoch FROM store")
    let changed = try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(20))
    #expect(changed == [items.name: 2])
    #expect(try files(holding: secret) != [])
    try backup.execute("COMMIT")
    let sweep = Sweep(goneBefore: instant(0), looseBefore: instant(0), rowsMax: 1)
    _ = try store.sweep(sweep)
    #expect(try files(holding: secret) == [])
  }

  private func files(holding text: String) throws -> [String] {
    try sandbox.files.filter { file in
      let bytes = try sandbox.bytes("\(sandbox.directory)/\(file)")
      return String(decoding: bytes, as: UTF8.self).contains(text)
    }
  }

  @Test func bringsDeletedItemBackByLaterAnswerOnly() throws {
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    _ = try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(30))
    _ = try store.commit(
      merge(tagged("Swift"), sentAt: 20, seen: [seen("a", 1, content: "old")]), budget: nil)
    try store.keep(seen("a", 1, content: "old").item, realm: "qiita#items", sentAt: instant(20))
    #expect(try store.content("a") == nil)
    #expect(try store.standing(in: tagged("Swift")) == "")
    _ = try store.commit(merge(sentAt: 40, seen: [seen("a", 1, content: "new")]), budget: nil)
    #expect(try store.content("a") == "new")
    #expect(try store.standing() == "a")
  }

  @Test func deletesNothingThatLaterAnswerBrought() throws {
    _ = try store.commit(merge(sentAt: 30, seen: [seen("a", 1)]), budget: nil)
    #expect(try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(20)).isEmpty)
    #expect(try store.standing() == "a")
  }

  @Test func leavesNoRowOfUnknownItemThatIsGone() throws {
    #expect(try store.delete([Identity("a")], realm: "qiita#items", sentAt: instant(20)).isEmpty)
    #expect(try store.makeReader().item(Identity("a"), realm: "qiita#items") == nil)
  }
}
