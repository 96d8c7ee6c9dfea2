import Engine
import Feed
import History
import SQLiteStore
import SharedStore
import Support
import Synchronization
import Testing

/// A copy gives up nothing that it can serve for what it cannot bring.
@Suite struct OutageTests {
  private let time = VirtualTime()
  private let ledger: MemoryLedger
  private let folder: TemporaryDirectory
  private let feed = FeedID.shared

  init() throws {
    ledger = MemoryLedger(time: time)
    folder = try TemporaryDirectory("tsugi-outage")
  }

  private func store(
    _ name: String, over ledger: (any SharedLedger)? = nil
  ) throws -> SharedStore {
    try SharedStore(name, in: folder, over: ledger ?? self.ledger, time: time)
  }

  /// An answer that shows the whole feed, the first element on top.
  private func merge(_ ids: [String], at second: Int64, version: Int = 1) -> Merge {
    let elements = ids.map { (id: $0, content: "{\"id\":\"\($0)\",\"version\":\(version)}") }
    return .whole(elements, at: Timestamp(seconds: second))
  }

  private func shown(_ store: SharedStore) throws -> [String] {
    try store.makeReader().elements(of: feed, below: .top, above: .bottom, limit: 100)
      .map(\.id.text)
  }

  /// A store that has all of the feed, on a way to the ledger that ends at its `call`th use.
  private func filled(_ way: Way) throws -> SharedStore {
    let b = try store("b", over: FaultyLedger(to: ledger) { $0 ? false : way.isOver() })
    _ = try b.timeline(of: feed)
    #expect(try b.bring(["x", "y"].map { Identity($0) }, realm: feed.realm))
    return b
  }

  /// A way that ends when it was used so often.
  private final class Way: Sendable {
    private let left = Mutex(Int.max)

    func end(after calls: Int) { left.withLock { $0 = calls } }

    func isOver() -> Bool {
      left.withLock { left in
        left -= 1
        return left < 0
      }
    }
  }

  @Test(arguments: 0..<6)
  func newsThatBreakOffKeepWhatIsServed(calls: Int) throws {
    let (a, way) = (try store("a"), Way())
    _ = try a.commit(merge(["x", "y"], at: 1), budget: nil)
    let b = try filled(way)
    _ = try a.commit(merge(["z", "x", "y"], at: 2, version: 2), budget: nil)
    way.end(after: calls)
    do {
      while let news = try b.news(of: "s") { try b.take(news) }
    } catch StoreError.unreachable {
      #expect(calls < 6)
    }
    #expect(try [["x", "y"], ["z", "x", "y"]].contains(shown(b)))
  }

  /// All that its news need is there when they are taken.
  @Test func whatFollowsIsServedWithoutTheOthers() throws {
    let (a, way) = (try store("a"), Way())
    _ = try a.commit(merge(["x", "y"], at: 1), budget: nil)
    let b = try filled(way)
    _ = try a.commit(merge(["z", "x", "y"], at: 2, version: 2), budget: nil)
    while let news = try b.news(of: "s") { try b.take(news) }
    way.end(after: 0)
    #expect(try shown(b).first == "z")
  }

  @Test(arguments: 0..<6)
  func anotherHistoryThatBreaksOffKeepsWhatIsServed(calls: Int) throws {
    let (a, way) = (try store("a"), Way())
    _ = try a.commit(merge(["x", "y"], at: 1), budget: nil)
    let b = try filled(way)
    try ledger.begin(after: a.epoch)
    way.end(after: calls)
    _ = try? b.beat()
    #expect(try shown(b) == ["x", "y"])
  }

  @Test(arguments: ["", "LEDGER01", "ledger0", "ledger012", "led er01", "lédger0", "a\nb"])
  func anEpochThatNoServerMakesIsAnOutage(epoch: String) throws {
    let a = try store("a")
    _ = try a.commit(merge(["x", "y"], at: 1), budget: nil)
    let before = a.epoch
    ledger.tell(epoch: epoch)
    let call = SharedCall(source: "s", key: "k", feed: nil, budget: nil)
    let calls: [() throws -> Void] = [
      { _ = try a.beat() }, { _ = try a.claim(call) { _ in nil } }, { _ = try a.news(of: "s") },
    ]
    for call in calls {
      #expect { try call() } throws: { error in
        guard case .unreachable = error as? StoreError else { return false }
        return true
      }
    }
    #expect(try a.epoch == before && a.sharing?.isUp == false && shown(a) == ["x", "y"])
  }

  @Test func aDeadlineEndsWhatOthersMoveEachTime() throws {
    let contrary = FaultyLedger(to: ledger) { _ in false }
    let a = try store("a", over: contrary)
    _ = try a.commit(merge(["x"], at: 1), budget: nil)
    contrary.distort { ground in
      ground.number += 1
      ground.state = SharedState(version: 99, stamp: 0)
    }
    let reader = try FeedReader(
      source: "s", policy: Policy(), fetcher: Nowhere(), store: a, time: time, executor: time)
    let begun = time.now
    var request = SliceRequest(feed: feed, limit: 20, wait: .seconds(12))
    request.refreshes = true
    let slice = time.run { [request] in
      try? await reader.slice(request, permit: nil, room: nil)
    }
    #expect(slice != nil)
    #expect(time.now - begun <= .seconds(13))
    #expect(a.sharing?.counts["behind"] ?? 0 <= 60)
  }
}
