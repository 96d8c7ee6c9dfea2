import Engine
import Feed
import History
import Support
import Testing

@testable import SharedStore

/// A copy that has no room serves what it has, says so, and goes on as soon as there is room.
@Suite struct FullCopyTests {
  private let time = VirtualTime()
  private let feed = FeedID.shared
  private let folder: TemporaryDirectory
  private let writer: SharedStore
  private let full: SharedStore

  init() throws {
    folder = try TemporaryDirectory("tsugi-full-copy")
    let ledger = MemoryLedger(time: time)
    writer = try SharedStore("a", in: folder, over: ledger, time: time)
    full = try SharedStore("b", in: folder, over: ledger, time: time, bytesMax: 2 << 20)
    _ = try writer.commit(merge(["y": 9], at: 1), budget: nil)
    _ = try full.timeline(of: feed)
    #expect(try full.bring([Identity("y")], realm: feed.realm))
  }

  /// An answer that shows the whole feed: elements by name, with the bytes of their contents.
  private func merge(_ bytes: KeyValuePairs<String, Int>, at second: Int64) -> Merge {
    let elements = bytes.map { (id: $0, content: "\"\(String(repeating: "x", count: $1))\"") }
    return .whole(elements, at: time.now + .seconds(second))
  }

  private func follow() throws {
    while let news = try full.news(of: "s") { try full.take(news) }
  }

  private func shown() throws -> [String] {
    try full.makeReader().elements(of: feed, below: .top, above: .bottom, limit: 9).map(\.id.text)
  }

  @Test func servesWhatItHasAndGoesOnWhenThereIsRoom() throws {
    try full.check()
    _ = try writer.commit(merge(["large": 3 << 20, "y": 9], at: 2), budget: nil)
    #expect(throws: StoreError.full) { try follow() }
    #expect(throws: StoreError.full) { try full.check() }
    #expect(try shown() == ["y"])
    _ = try writer.commit(merge(["large": 9, "y": 9], at: 3), budget: nil)
    try follow()
    try full.check()
    #expect(try shown() == ["large", "y"])
  }

  /// What is not asked for again does not make a server unready for ever.
  @Test func isAskedAgainAfterAWhile() throws {
    _ = try writer.commit(merge(["large": 3 << 20, "y": 9], at: 2), budget: nil)
    #expect(throws: StoreError.full) { try follow() }
    let time = time
    time.run { await time.sleep(SharedStore.refusalDuration - .milliseconds(1)) }
    #expect(throws: StoreError.full) { try full.check() }
    time.run { await time.sleep(.milliseconds(1)) }
    try full.check()
  }

  /// A reader gets what is there, and no call is made for what could not be kept.
  @Test func aReaderGetsWhatIsThere() throws {
    _ = try writer.commit(merge(["large": 3 << 20, "y": 9], at: 2), budget: nil)
    let reader = try FeedReader(
      source: "s", policy: Policy(), fetcher: Nowhere(), store: full, time: time, executor: time)
    let (feed, time) = (feed, time)
    let slice = time.run {
      var request = SliceRequest(feed: feed, limit: 20, wait: .seconds(5))
      request.refreshes = true
      return try? await reader.slice(request, permit: nil, room: nil)
    }
    #expect(try #require(slice ?? nil).items.map(\.id.text) == ["y"])
  }
}
