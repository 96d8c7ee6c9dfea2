import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient
@testable import TsugiStore

/// A note, as an app keeps it.
struct Note: Identifiable, Codable, Hashable, Sendable {
  var id: String
  var text: String

  static func json(_ id: String, _ text: String = "") -> String {
    #"{"id":"\#(id)","text":"\#(text)"}"#
  }
}

/// A store in a folder of its own, a scripted network, and lists of both.
@MainActor final class StoreStand {
  let folder = FileManager.default.temporaryDirectory.appending(path: "tsugi-\(UUID().uuidString)")
  let transport = ScriptedTransport()
  let clock = ManualClock()
  private(set) var events: [FeedEvent] = []

  var file: URL { folder.appending(path: "deep/notes.sqlite") }

  deinit { try? FileManager.default.removeItem(at: folder) }  // It lies in a temporary folder.

  func feed(
    _ path: FeedPath = "shop/notes", limit: Int = 3, fields: [String] = []
  ) throws -> Feed<Note> {
    let url = try #require(URL(string: "https://notes.example"))
    return FeedClient(baseURL: url, transport: transport, clock: clock)
      .feed(path, limit: limit, fields: fields)
  }

  func store(
    maxBytes: Int = 64 << 20, access: FeedStore.Access = .readWrite,
    log: (@Sendable (FeedEvent) -> Void)? = nil, fault: @escaping @Sendable () -> Int32 = { 0 }
  ) -> FeedStore {
    FeedStore(StoreCore(file, maxBytes: maxBytes, access: access, log: log, fault: fault))
  }

  func list(_ store: FeedStore, _ feed: Feed<Note>? = nil) throws -> PagedList<Note> {
    PagedList(try feed ?? self.feed(), in: store, options: PagedOptions(prefetchDistance: 0))
  }

  func until(_ holds: () -> Bool) async { while !holds() { await Task.yield() } }

  func settle(_ list: PagedList<Note>) async {
    await until {
      !list.refreshState.isLoading && !list.moreState.isLoading && !list.previousState.isLoading
    }
  }

  /// A slice of notes; cursors are ids.
  func slice(_ ids: String, hasMore: Bool = false, seq: String = "e.1") -> TransportReply {
    let ids = ids.split(separator: " ").map(String.init)
    return .slice(
      of: ids.map { Note.json($0) }, hasMore: hasMore, start: ids.first, end: ids.last, seq: seq)
  }

  /// A list of `a b c` and `d e f`, more below, written.
  func keepSix(_ store: FeedStore) async throws {
    transport.next(slice("a b c", hasMore: true))
    transport.next(slice("d e f", hasMore: true))
    let list = try list(store)
    list.start()
    await settle(list)
    list.loadMore()
    await settle(list)
    #expect(list.items.count == 6)
    await store.flush()
  }

  /// The query of each request so far.
  var asked: [String] {
    transport.requests.map { $0.url.lastPathComponent + "?" + ($0.url.query ?? "") }
  }

  func bytes(_ name: String = "") -> Data {
    (try? Data(contentsOf: URL(filePath: file.path + name))) ?? Data()
  }
}

extension PagedList<Note> {
  var ids: String { items.map(\.id).joined(separator: " ") }
}
