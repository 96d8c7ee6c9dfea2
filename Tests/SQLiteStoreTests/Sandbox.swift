import Feed
import Foundation
import History
import SQLiteStore
import Support
import Testing

/// A directory of its own for one test's store, removed with it.
final class Sandbox: Sendable {
  private let temporary: TemporaryDirectory
  var directory: String { temporary.path }
  var path: String { directory + "/tsugi.sqlite" }

  init() throws {
    temporary = try TemporaryDirectory("tsugi-store")
  }

  func open(bytesMax: Int64? = nil) throws(StoreError) -> TimelineDatabase {
    try TimelineDatabase(path: path, durability: .processOnly, bytesMax: bytesMax)
  }

  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
  }

  func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  func makeDirectory() throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  /// How many locks this process has on a file. What all processes have is no steady list: it is
  /// read in pieces while others lock.
  func locks(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let inode = try #require(attributes[.systemFileNumber] as? Int)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")
    // A lock stands beside each descriptor of its file, with a number of its own there.
    let locks = open.flatMap { descriptor -> [Substring] in
      let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
      return (text ?? "").split(separator: "\n").filter { $0.hasPrefix("lock:") }
    }
    let ours = locks.filter { $0.contains(":\(inode) ") }
    return Set(ours.map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }).count
  }

  func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }
}

let items = FeedID(
  source: "qiita", pattern: FeedPattern("items", order: .value), parts: [Array("items".utf8)])

func tagged(_ tag: String) -> FeedID {
  FeedID(
    source: "qiita", pattern: FeedPattern("tags/:id/items", order: .observed),
    parts: [Array("tags".utf8), Array(tag.utf8), Array("items".utf8)])
}

func instant(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

/// An element of a value feed: `order` is its second, its identity the tie.
func seen(
  _ id: String, _ order: Int64, content: String? = nil, updatedAt: Int64? = nil,
  state: KnownElement.State = .live, takesNumber: Bool = true
) -> Merge.Seen {
  Merge.Seen(
    position: place(id, order),
    item: PageItem(
      id: Identity(id), key: order, updatedAt: updatedAt,
      bytes: Array((content ?? "{\"id\":\"\(id)\"}").utf8)),
    state: state, takesNumber: takesNumber)
}

func place(_ id: String, _ order: Int64) -> Position {
  Position(order: order, tie: Array(id.utf8))
}

func merge(
  _ feed: FeedID = items, sentAt: Int64, seen: [Merge.Seen] = [], missing: [Position] = [],
  removed: [Position] = []
) -> Merge {
  var merge = Merge(feed: feed, sentAt: instant(sentAt), timeline: Timeline())
  merge.seen = seen
  merge.missing = missing
  merge.removed = removed
  return merge
}

extension TimelineStore {
  /// What a reader gets of a whole feed.
  func elements(of feed: FeedID = items) throws -> [Element] {
    Array(try makeReader().elements(of: feed, below: .top, above: .bottom, limit: 1000))
  }

  /// The identities that stand in a feed, joined: `c b a`.
  func standing(in feed: FeedID = items) throws -> String {
    try elements(of: feed).map(\.id.text).joined(separator: " ")
  }

  func content(_ id: String, realm: String = "qiita#items") throws -> String? {
    try makeReader().item(Identity(id), realm: realm)?.bytes.map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
