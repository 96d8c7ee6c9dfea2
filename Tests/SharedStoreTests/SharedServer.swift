import Engine
import Feed
import History
import SQLiteStore
import SharedStore
import Support

extension FeedID {
  /// The feed that the servers of these tests share.
  static let shared = FeedID(
    source: "s", pattern: FeedPattern("items", order: .value, content: "items"),
    parts: [Array("items".utf8)])
}

extension Merge {
  /// An answer that shows the whole feed: elements by name, with their contents, the first on top.
  static func whole(_ elements: [(id: String, content: String)], at instant: Timestamp) -> Merge {
    var timeline = Timeline()
    timeline.lookedAt = instant
    timeline.proofs = [
      Proof(
        upper: .above(key: 100 + Int64(elements.count)), lower: .bottom, provenAt: instant,
        count: elements.count, rankBelow: elements.count, belief: JoinProof.none)
    ]
    var merge = Merge(feed: .shared, sentAt: instant, timeline: timeline)
    merge.seen = elements.enumerated().map { index, element in
      let key = Int64(100 + elements.count - index)
      return Merge.Seen(
        position: Position(order: key, tie: Array(element.id.utf8)),
        item: PageItem(
          id: Identity(element.id), key: key, updatedAt: nil, bytes: Array(element.content.utf8)),
        state: .live, takesNumber: true)
    }
    return merge
  }
}

extension SharedStore {
  /// A server of this name, with its copy of so many bytes at most in a folder; its calls may take
  /// 30 s.
  convenience init(
    _ name: String, in folder: TemporaryDirectory, over ledger: any SharedLedger,
    time: any TimeSource, bytesMax: Int64? = nil
  ) throws {
    let copy = try TimelineDatabase(
      path: "\(folder.path)/\(name)", durability: .processOnly, bytesMax: bytesMax, isCopy: true)
    try self.init(copy: copy, ledger: ledger, server: name, time: time) { _ in .seconds(30) }
  }
}
