import Feed
import History
import Support
import Testing

@Suite struct MergeLayingTests {
  private static let feed = FeedID(
    source: "qiita", pattern: FeedPattern("items", order: .observed), parts: [Array("items".utf8)])
  private static let ids = (0..<12).map { Identity("id\($0)") }

  private func merge(_ random: inout SeededGenerator, sentAt: Int64) -> Merge {
    var merge = Merge(feed: Self.feed, sentAt: Timestamp(seconds: sentAt), timeline: Timeline())
    for (number, id) in Self.ids.enumerated() {
      // A place that no other identity ever takes.
      let order = Int64(random.next(below: 3))
      let position = Position(order: order, tie: [UInt8(number)])
      switch random.next(below: 8) {
      case 0: merge.removed.append(position)
      case 1: merge.missing.append(position)
      case 2, 3:
        let item = PageItem(id: id, key: order, updatedAt: sentAt, bytes: [1, 2, 3])
        merge.seen.append(
          Merge.Seen(
            position: position, item: item, state: random.chance(25) ? .displaced : .live,
            takesNumber: random.chance(50)))
      default: break
      }
    }
    return merge
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func whatIsLaidOverIsWhatTheStoreKnowsAfterwards(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = MemoryStore()
    for step in 1...6 as ClosedRange<Int64> {
      let merges = (0..<2).map { _ in merge(&random, sentAt: step) }
      let upper = Cut(position: Position(order: Int64(random.next(below: 4)), tie: [4]))
      let lower = Cut(position: Position(order: Int64(random.next(below: 2)), tie: [7]))
      let range = CutRange(upper: max(upper, lower), lower: min(upper, lower))
      let asked = Self.ids.filter { _ in random.chance(50) }
      var laid = try store.known(in: Self.feed, below: range.upper, above: range.lower)
      var laidByID = try store.known(in: Self.feed, ids: asked)
      for merge in merges {
        laid = merge.laid(over: laid) { range.holds($0.position) }
        laidByID = merge.laid(over: laidByID) { asked.contains($0.id) }
      }
      _ = try store.commit(merges, budget: nil)
      #expect(laid == (try store.known(in: Self.feed, below: range.upper, above: range.lower)))
      #expect(Set(laidByID) == Set(try store.known(in: Self.feed, ids: asked)))
    }
  }
}
