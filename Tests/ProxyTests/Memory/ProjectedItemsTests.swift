import Bytes
import Feed
import JSONBytes
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct ProjectedItemsTests {
  private func fields(_ text: String) throws -> FieldSelection {
    try FieldSelection(Array(text.utf8))
  }

  private func content(_ number: Int, bytes: Int = 10) -> [UInt8] {
    Array("{\"id\":\(number),\"text\":\"\(String(repeating: "a", count: bytes))\"}".utf8)
  }

  /// What a store has in one feed, cut as it is read, and how often it was asked.
  private final class ListedReader: TimelineReader {
    var elements: [Element]
    var reads = 0
    /// What happens while it reads.
    var meanwhile: () -> Void = {}
    let epoch = "epoch"

    init(_ count: Int64 = 0) {
      elements = (0..<count).reversed().map { number in
        Element(
          position: Position(order: number, tie: []), id: Identity("\(number)"),
          bytes: Array("{\"id\":\(number),\"text\":\"a\"}".utf8))
      }
    }

    private func range(_ upper: Cut, _ lower: Cut) -> [Element] {
      reads += 1
      meanwhile()
      return elements.filter { !upper.isBelow($0.position) && lower.isBelow($0.position) }
    }

    func elements(
      of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
    ) -> ArraySlice<Element> { range(upper, lower).prefix(limit) }

    func lastElements(
      of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
    ) -> ArraySlice<Element> { range(upper, lower).suffix(limit) }

    func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) -> Bool {
      !range(upper, lower).isEmpty
    }

    func position(at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut) -> Position?
    { range(upper, lower).dropFirst(offset).first?.position }

    func position(of id: Identity, in feed: FeedID) -> Position? {
      elements.first { $0.id == id }?.position
    }

    func changes(of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool)
      -> ChangeReading
    {
      .changes(Changes(changes: [], next: number, hasMore: false))
    }

    func item(_ id: Identity, realm: String) -> StoredItem? { nil }
  }

  /// A source whose version the test moves.
  private final class Versions {
    var version: UInt64 = 1
    var isBeingWritten = false
    var settled: UInt64? { isBeingWritten ? nil : version }
  }

  private let feed = FeedID(
    source: "qiita", pattern: FeedPattern("items", order: .value), parts: [Array("items".utf8)])

  private func reader(
    _ items: ProjectedItems, _ text: String = "text", of source: String = "qiita",
    version: UInt64 = 1
  ) throws -> CutReader {
    items.reader(
      over: ListedReader(), of: source, cutTo: try fields(text), version: version,
      settledVersion: { version })
  }

  /// More than it keeps: it begins anew, and the slice being read still ends.
  @Test func keepsSoManyBytesAndBeginsAnew() throws {
    let (items, base) = (ProjectedItems(), ListedReader(100))
    for index in base.elements.indices { base.elements[index].bytes = content(1, bytes: 100_000) }
    var most = 0
    for upper in (10...90).reversed() {
      let reader = items.reader(
        over: base, of: "qiita", cutTo: try fields("text"), version: 1, settledVersion: { 1 })
      let read = try reader.elements(
        of: feed, below: .below(key: Int64(upper)), above: .bottom, limit: 1)
      #expect(read.count == 1 && read.first?.digest != nil)
      #expect(items.bytes <= ProjectedItems.bytesMax)
      most = max(most, items.bytes)
    }
    #expect(most > ProjectedItems.bytesMax - 200_000)
  }

  @Test func knowsSoManyWaysOfCutting() throws {
    let items = ProjectedItems()
    for number in 0..<ProjectedItems.readersMax { _ = try reader(items, "f\(number)") }
    #expect(items.readerCount == ProjectedItems.readersMax)
    _ = try reader(items, "f0")
    #expect(items.readerCount == ProjectedItems.readersMax)
    _ = try reader(items, "more")
    #expect(items.readerCount == 1)
  }

  /// What is more than the loop may cut for one slice is left to be cut beside it.
  @Test func cutsSoMuchForOneSlice() throws {
    let (items, base) = (ProjectedItems(), ListedReader(2))
    base.elements[0].bytes = content(
      1, bytes: ProjectedItems.bytesOnLoopMax - content(1, bytes: 0).count)
    let reader = items.reader(
      over: base, of: "qiita", cutTo: try fields("id"), version: 1, settledVersion: { 1 })
    let elements = try reader.elements(of: feed, below: .top, above: .bottom, limit: 2)
    #expect(elements.map { $0.digest == nil } == [false, true])
    #expect(items.bytes == 0)
  }

  @Test func readsAPlaceOnceUntilTheVersionMoves() throws {
    let (items, versions, base) = (ProjectedItems(), Versions(), ListedReader(100))
    func read(_ upper: Cut, _ limit: Int, upwards: Bool = false) throws -> [Int64] {
      let reader = items.reader(
        over: base, of: "qiita", cutTo: try fields("id"), version: versions.version,
        settledVersion: { versions.settled })
      let elements =
        upwards
        ? try reader.lastElements(of: feed, below: .top, above: upper, limit: limit)
        : try reader.elements(of: feed, below: upper, above: .bottom, limit: limit)
      let number = elements.first?.position.order ?? 0
      #expect(elements.allSatisfy { $0.bytes == Array("{\"id\":\($0.position.order)}".utf8) })
      #expect(try reader.hasElement(of: feed, below: .top, above: upper) == (number < 99))
      return elements.map(\.position.order)
    }
    #expect(try read(.below(key: 90), 20) == Array((70..<90).reversed()))
    // Nothing is known yet of what stands above.
    #expect(base.reads == 2)
    #expect(try read(.below(key: 95), 10) == Array((85..<95).reversed()))
    let reads = base.reads
    for upper in Int64(71)...94 {
      #expect(try read(.below(key: upper), 1) == [upper - 1])
      #expect(try read(.below(key: upper), 1, upwards: true) == [upper])
    }
    #expect(base.reads == reads)
    #expect(try read(.below(key: 75), 20) == Array((55..<75).reversed()))
    #expect(base.reads == reads + 1)

    base.elements.removeAll { $0.position.order == 80 }
    versions.version += 1
    #expect(try read(.below(key: 82), 3) == [81, 79, 78])
    let kept = items.bytes
    versions.isBeingWritten = true
    let before = base.reads
    #expect(try read(.below(key: 82), 3) == [81, 79, 78])
    #expect(base.reads == before + 2)
    #expect(try read(.below(key: 50), 3) == [49, 48, 47])
    versions.isBeingWritten = false
    // Written while it was read: what came may be of either state.
    base.meanwhile = { versions.version += 1 }
    #expect(try read(.below(key: 30), 3) == [29, 28, 27])
    base.meanwhile = {}
    versions.version -= 2
    let last = base.reads
    #expect(try read(.below(key: 30), 3) == [29, 28, 27])
    #expect(base.reads > last)
    #expect(kept > 0)
  }

  /// Places count too, and what is not cut is not kept.
  @Test func keepsSoManyPlaces() throws {
    let (items, base) = (ProjectedItems(), ListedReader(50))
    func read() throws -> ArraySlice<Element> {
      let reader = items.reader(
        over: base, of: "qiita", cutTo: try fields("id"), version: 1, settledVersion: { 1 })
      return try reader.elements(of: feed, below: .top, above: .bottom, limit: 100)
    }
    let elements = try read()
    let kept = elements.reduce(0) {
      $0 + $1.id.bytes.count + $1.bytes.count + ProjectedItems.itemBytes
    }
    #expect(items.bytes == kept)
    _ = try read()
    #expect(base.reads == 1)
    #expect(items.bytes == kept)

    let large = ListedReader(2)
    large.elements[1].bytes = content(0, bytes: ProjectedItems.bytesOnLoopMax)
    let others = ProjectedItems()
    for _ in 0..<2 {
      let reader = others.reader(
        over: large, of: "qiita", cutTo: try fields("id"), version: 1, settledVersion: { 1 })
      let elements = try reader.elements(of: feed, below: .top, above: .bottom, limit: 9)
      #expect(elements.map { $0.digest == nil } == [false, true])
    }
    #expect(large.reads == 2)
  }

  /// Whatever changed and whatever was cut before, an item is cut of what it is now.
  @Test func slicesAreCutOfWhatIsStored() async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 0
    policy.prefetchItems = 0
    try await Stand.run(try await Stand(smallWorld(40), policy: policy)) { stand in
      let client = stand.client
      let ids = stand.qiita.withQiita { $0.world.ids }
      for round in 0..<40 {
        if round % 3 == 0, let id = ids.randomElement() {
          stand.qiita.withQiita { qiita in
            _ = round % 2 == 0 ? qiita.world.count(id: id) : qiita.world.delete(id: id)
          }
        }
        _ = try client.get("/v1/qiita/items?limit=40&refresh=true")
        let fields = ["id,likes_count", "user", "likes_count,title,tags.name"][round % 3]
        let start = ids.randomElement().map { "&startAt=id:\($0)" } ?? ""
        let place = "limit=\(Int.random(in: 1...25))" + (Bool.random() ? start : "")
        let whole = try client.get("/v1/qiita/items?\(place)").slice()
        let cut = try client.get("/v1/qiita/items?\(place)&fields=\(fields)").slice()
        let after = try client.get("/v1/qiita/items?\(place)").slice()
        // What is looked at behind a reply may change the list between two requests.
        guard whole.items == after.items else { continue }
        let selection = try self.fields(fields)
        #expect(cut.items == whole.items.map { selection.cut($0) })
        #expect(!cut.items.isEmpty)
      }
    }
  }
}
