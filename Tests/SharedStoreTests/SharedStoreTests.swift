import Dispatch
import Engine
import Feed
import History
import SQLiteStore
import SharedStore
import Support
import Synchronization
import Testing

/// A copy and what it is a copy of.
@Suite struct SharedStoreTests {
  private let time = VirtualTime()
  private let ledger: MemoryLedger
  private let folder: TemporaryDirectory
  private let feed = FeedID.shared

  init() throws {
    ledger = MemoryLedger(time: time)
    folder = try TemporaryDirectory("tsugi-shared")
  }

  private func store(
    _ name: String, over ledger: (any SharedLedger)? = nil
  ) throws -> SharedStore {
    try SharedStore(name, in: folder, over: ledger ?? self.ledger, time: time)
  }

  private func merge(_ ids: [String], at second: Int64, of other: FeedID? = nil) -> Merge {
    var merge = Merge(feed: other ?? feed, sentAt: Timestamp(seconds: second), timeline: Timeline())
    merge.seen = ids.enumerated().map { index, id in
      let key = Int64(100 - index)
      return Merge.Seen(
        position: Position(order: key, tie: Array(id.utf8)),
        item: PageItem(
          id: Identity(id), key: key, updatedAt: nil, bytes: Array("{\"id\":\"\(id)\"}".utf8)),
        state: .live, takesNumber: true)
    }
    return merge
  }

  private func follow(_ store: SharedStore) throws {
    while let news = try store.news(of: "s") { try store.take(news) }
  }

  private func shown(_ store: SharedStore) throws -> [String] {
    let reader = try store.makeReader()
    do throws(StoreError) {
      return try reader.elements(of: feed, below: .top, above: .bottom, limit: 100).map(\.id.text)
    } catch {
      guard case .absent(let ids, let realm) = error else { throw error }
      #expect(try store.bring(ids, realm: realm))
      return try reader.elements(of: feed, below: .top, above: .bottom, limit: 100).map(\.id.text)
    }
  }

  @Test func whatOneWritesTheOtherShows() throws {
    let (a, b) = (try store("a"), try store("b"))
    #expect(try a.commit(merge(["x", "y"], at: 1), budget: nil) == 2)
    #expect(try b.timeline(of: feed)?.sequence == 2)
    #expect(try shown(b) == ["x", "y"])
    #expect(try b.commit(merge(["z"], at: 2), budget: nil) == 3)
    // Who has not followed writes nothing.
    #expect(throws: StoreError.overtaken) { try a.commit(merge(["w"], at: 3), budget: nil) }
    #expect(try shown(a) == ["x", "y"])
    try follow(a)
    #expect(Set(try shown(a)) == ["x", "y", "z"])
    #expect(a.epoch == b.epoch)
  }

  /// A feed that is not there is asked for once, until something was told of its source.
  @Test func absenceIsRememberedUntilTheNumberMoves() throws {
    let asked = Atomic(0)
    let counting = FaultyLedger(to: ledger) { _ in
      asked.add(1, ordering: .relaxed)
      return false
    }
    let (a, b) = (try store("a"), try store("b", over: counting))
    let before = asked.load(ordering: .relaxed)
    for _ in 0..<3 { #expect(try b.timeline(of: feed) == nil) }
    // Each call of the ledger is counted before and after it.
    #expect(asked.load(ordering: .relaxed) - before == 2)
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    try b.beat()
    #expect(try b.timeline(of: feed)?.sequence == 1)
  }

  /// Where the shared store is slow, only the caller that writes to it waits.
  @Test func theCopyIsFreeWhileTheSharedStoreIsAsked() throws {
    let watched = Watched()
    let slow = FaultyLedger(to: ledger) { _ in
      watched.look()
      return false
    }
    let a = try store("a", over: slow)
    watched.store.withLock { $0 = a }
    _ = try a.commit(merge(["x", "y"], at: 1), budget: nil)
    try a.keep(merge(["z"], at: 2).seen[0].item, realm: feed.realm, sentAt: Timestamp(seconds: 2))
    let answers = watched.answers.withLock { $0 }
    #expect(!answers.isEmpty && answers.allSatisfy(\.self))
  }

  /// A store that another thread asks whether it works, whenever the shared store is called.
  private final class Watched: Sendable {
    let store = Mutex<SharedStore?>(nil)
    let answers = Mutex<[Bool]>([])

    func look() {
      guard let store = store.withLock({ $0 }) else { return }
      let answer = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { if (try? store.check()) != nil { answer.signal() } }
      let isAnswered = answer.wait(timeout: .now() + .seconds(5)) == .success
      answers.withLock { $0.append(isAnswered) }
    }
  }

  /// What could not be shared is not in the copy.
  @Test func whatTheSharedStoreDoesNotTakeIsNotWritten() throws {
    let cut = FaultyLedger(to: ledger) { _ in false }
    let a = try store("a", over: cut)
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    cut.cut()
    #expect(throws: StoreError.self) { try a.commit(merge(["y"], at: 2), budget: nil) }
    let item = merge(["z"], at: 2).seen[0].item
    #expect(throws: StoreError.self) {
      try a.keep(item, realm: feed.realm, sentAt: Timestamp(seconds: 2))
    }
    #expect(try shown(a) == ["x"])
    #expect(try a.makeReader().item(item.id, realm: feed.realm) == nil)
  }

  @Test func whatIsErasedIsGoneFromEveryCopy() throws {
    let (a, b) = (try store("a"), try store("b"))
    _ = try a.commit(merge(["x", "y"], at: 1), budget: nil)
    _ = try b.timeline(of: feed)
    _ = try shown(b)
    _ = try a.delete([Identity("x")], realm: feed.realm, sentAt: Timestamp(seconds: 2))
    for store in [a, b] {
      try follow(store)
      #expect(try shown(store) == ["y"])
      #expect(try store.makeReader().item(Identity("x"), realm: feed.realm)?.bytes == nil)
    }
  }

  /// A backup that lacks what a copy has: nobody goes on as if that had never been told.
  @Test func aStoreThatLostItsEndBeginsAnotherEpoch() throws {
    let (a, b) = (try store("a"), try store("b"))
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    let backup = ledger.backup
    _ = try a.commit(merge(["y"], at: 2), budget: nil)
    try follow(a)
    let epoch = a.epoch
    ledger.restore(backup)
    try follow(a)
    #expect(a.epoch != epoch)
    try b.beat()
    #expect(b.epoch == a.epoch)
    #expect(try a.timeline(of: feed)?.sequence == 1)
    #expect(try shown(a) == ["x"] && shown(b) == [])
  }

  /// Lost as well, but others have written since.
  @Test func aStoreThatWentOnOtherwiseIsFoundOutByItsStamps() throws {
    let (a, b) = (try store("a"), try store("b"))
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    let backup = ledger.backup
    _ = try a.commit(merge(["y"], at: 2), budget: nil)
    try follow(a)
    let epoch = a.epoch
    ledger.restore(backup)
    _ = try b.timeline(of: feed)
    _ = try b.commit(merge(["z"], at: 3), budget: nil)
    _ = try b.commit(merge(["w"], at: 4), budget: nil)
    try follow(a)
    #expect(a.epoch != epoch)
    _ = try a.timeline(of: feed)
    #expect(Set(try shown(a)) == ["x", "z", "w"])
  }

  /// Others have come to the same number by the same calls: a heartbeat shows it, although nothing
  /// has moved since.
  @Test func twoHistoriesOfOneNumberAreToldApart() throws {
    let (a, b) = (try store("a"), try store("b"))
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    let backup = ledger.backup
    _ = try a.commit(merge(["y"], at: 2), budget: nil)
    try follow(a)
    #expect(try !a.isBehind(a.beat(), of: "s"))
    let epoch = a.epoch
    ledger.restore(backup)
    _ = try b.timeline(of: feed)
    _ = try b.commit(merge(["z"], at: 3), budget: nil)
    #expect(try a.isBehind(a.beat(), of: "s"))
    try follow(a)
    #expect(a.epoch != epoch)
    #expect(Set(try shown(a)) == ["x", "z"])
  }

  /// A server that never had a feed makes it again after another one has evicted it.
  @Test func noNumberOfAFeedThatIsGoneIsUsedAgain() throws {
    let (a, b) = (try store("a"), try store("b"))
    _ = try b.news(of: "s")
    let last = try a.commit(merge(["x", "y", "z"], at: 1), budget: nil)
    try a.dropEverywhere(feed.name, of: "s", unless: nil)
    let call = SharedCall(source: "s", key: "k", feed: feed, budget: nil)
    #expect(try b.claim(call) { _ in Budget(limit: 9, remaining: 8, resetAt: nil) } == .granted)
    #expect(try b.commit(merge(["x"], at: 2), budget: nil) == last + 2)
  }

  /// What stood at a place of an observed feed in the history that was lost is no longer asked for.
  @Test func cursorsOfALostHistoryExpire() throws {
    let a = try store("a")
    var begun = merge(["x"], at: 1)
    begun.timeline.lineages = [Lineage(name: 5)]
    _ = try a.commit(begun, budget: nil)
    let other = feed.searched(for: Array("value".utf8))
    _ = try a.commit(merge(["x"], at: 1, of: other), budget: nil)
    try ledger.begin(after: a.epoch)
    try a.beat()
    let timeline = try #require(try a.timeline(of: feed))
    #expect(timeline.lineages.count == 1 && !timeline.finds(.top, of: 5))
    #expect(timeline.finds(.bottom, of: timeline.lineages[0].name))
    // A feed ordered by value has no names.
    #expect(try a.timeline(of: other)?.lineages == [])
    // Nothing is written over what was read before.
    #expect(try ledger.feed(feed.name)?.feed.version == 2)
  }

  /// A number of an epoch of which only the others have heard: read by what is there then.
  @Test func changesAreToldByWhatWasFollowed() throws {
    let (a, b) = (try store("a"), try store("b"))
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    _ = try b.timeline(of: feed)
    let reader = try FeedReader(
      source: "s", policy: Policy(), fetcher: Nowhere(), store: b, time: time, executor: time)
    try ledger.begin(after: a.epoch)
    try a.beat()
    _ = try a.timeline(of: feed)
    _ = try a.commit(merge(["y"], at: 2), budget: nil)
    #expect(a.epoch != b.epoch)
    let (feed, number) = (feed, SequenceNumber(epoch: a.epoch, number: 1))
    let reading = time.run {
      try? await reader.changes(of: feed, after: number, limit: 9, learned: false)
    }
    guard case .changes(let changes) = reading ?? nil else {
      Issue.record("\(String(describing: reading))")
      return
    }
    #expect(changes.changes.count == 1 && changes.told == 2)
  }

  /// An empty feed is in memory alone, so that no news bring what another server finds in it.
  @Test func whatAClientKnowsIsReadWhereTheFeedWasEmpty() throws {
    let (a, b) = (try store("a"), try store("b"))
    let reader = try FeedReader(
      source: "s", policy: Policy(), fetcher: Nowhere(isEmpty: true), store: b, time: time,
      executor: time)
    var request = SliceRequest(feed: feed, limit: 9, wait: .seconds(5))
    let first = time.run { [request] in try? await reader.slice(request, permit: nil, room: nil) }
    #expect((first ?? nil)?.items.isEmpty == true)
    #expect(try b.timeline(of: feed) == nil)
    var merge = merge(["x"], at: 2)
    merge.timeline.proofs = [
      Proof(
        upper: .top, lower: .bottom, provenAt: merge.sentAt, count: 1, rankBelow: 1,
        belief: JoinProof.none)
    ]
    _ = try a.commit(merge, budget: nil)
    request.told = 1
    request.wait = .zero
    let later = time.run { [request] in try? await reader.slice(request, permit: nil, room: nil) }
    #expect((later ?? nil)?.items.map(\.id.text) == ["x"])
  }

  @Test func aFileOfItsOwnIsNoCopy() throws {
    let path = "\(folder.path)/own"
    let own = try TimelineDatabase(path: path, durability: .processOnly)
    _ = try own.commit(merge(["x"], at: 1), budget: nil)
    own.close()
    #expect(throws: StoreError.self) { try store("own") }
    let again = try TimelineDatabase(path: path, durability: .processOnly)
    #expect(try again.timeline(of: feed)?.sequence == 1)
  }
}
