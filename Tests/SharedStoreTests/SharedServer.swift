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
