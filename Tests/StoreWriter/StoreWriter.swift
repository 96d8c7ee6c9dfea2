import BufferedStore
import CSQLite
import Engine
import Feed
import Glibc
import History
import SQLiteStore
import Support

/// Walks a feed over a store in a file until it is killed, and says what it tells, line by line:
///
/// - `slice PROVEN MORE ORDER TIE LINEAGE IDS`: a slice, and the cursor to go on with
/// - `told NUMBER ID`: an element has taken this sequence number, and clients were told
/// - `expired`: the cursor to go on with is found no more; `ended`: the walk came to its end.
///   Another one begins at the top.
///
/// ```sh
/// StoreWriter PATH ROUND items|followers [ORDER TIE LINEAGE]
/// ```
@main struct StoreWriter {
  /// Enough for one of the feeds and less than both take, so that one is given up for the other.
  static let bytesMax: Int64 = 9 << 18
  /// What passes from slice to slice: so much that each is looked at again.
  static let pause = Duration.seconds(100)

  private let time: VirtualTime
  private let feed: FeedID
  private let store: BufferedStore
  private let reader: FeedReader
  private let storeKeeper: StoreKeeper
  private let numbers: NumberReader

  static func main() throws {
    let arguments = CommandLine.arguments
    let writer = try StoreWriter(
      path: arguments[1], round: Int(arguments[2]) ?? 0, isByValue: arguments[3] == "items")
    try writer.run(from: arguments.count > 6 ? Array(arguments[4...6]) : nil)
  }

  private init(path: String, round: Int, isByValue: Bool) throws {
    time = VirtualTime(now: RoundedFeed.begin(of: round))
    feed =
      isByValue
      ? FeedID(
        source: "qiita", pattern: FeedPattern("items", order: .value),
        parts: [Array("items".utf8)])
      : FeedID(
        source: "qiita",
        pattern: FeedPattern("users/:id/followers", order: .observed, content: "users"),
        parts: ["users", "a", "followers"].map { Array($0.utf8) })
    store = try BufferedStore(
      over: TimelineDatabase(path: path, bytesMax: StoreWriter.bytesMax))
    var policy = Policy()
    policy.recheckSeconds = 90
    policy.openingPermille = 1_000_000
    reader = try FeedReader(
      source: "qiita", policy: policy, fetcher: RoundedFeed(round: round, time: time),
      store: store, time: time, executor: time)
    storeKeeper = StoreKeeper(
      store: store, readers: [reader],
      limits: Eviction.Limits(
        bytesMax: StoreWriter.bytesMax, feedsMax: 10, remembers: .seconds(20_000)),
      time: time, executor: time)
    numbers = try NumberReader(path: path, feed: feed.name)
  }

  private func run(from cursor: [String]?) throws {
    var request = SliceRequest(feed: feed, limit: 100, wait: .seconds(30))
    request.start = cursor.flatMap(bound)
    var told = try store.timeline(of: feed)?.sequence ?? 0
    say("began")
    while true {
      switch slice(request) {
      case .failure(.positionExpired):
        request.start = nil
        say("expired")
      case .failure(let error):
        say("failed \(error)")
        exit(1)
      case .success(let slice):
        for (number, id) in try numbers.read(after: told, upTo: slice.sequence) {
          say("told \(number) \(id)")
        }
        told = max(told, slice.sequence)
        say(line(for: slice))
        request.start = slice.hasMore ? slice.items.last.map { bound(of: $0, in: slice) } : nil
        if !slice.hasMore { say("ended") }
      }
      let (time, storeKeeper) = (time, storeKeeper)
      time.run {
        await time.sleep(until: time.now + StoreWriter.pause)
        await storeKeeper.tick()
      }
    }
  }

  private func slice(_ request: SliceRequest) -> Result<Slice, ReadError> {
    time.slice(request, from: reader)
  }

  private func bound(of element: Element, in slice: Slice) -> SliceRequest.Bound {
    let cut = Cut.below(element.position)
    return feed.pattern.order == .value ? .cut(cut) : .observed(cut, lineage: slice.lineage)
  }

  private func bound(_ cursor: [String]) -> SliceRequest.Bound? {
    guard let order = Int64(cursor[0]), let lineage = UInt64(cursor[2]) else { return nil }
    let tie = cursor[1].split(separator: ".").compactMap { UInt8($0) }
    let cut = Cut.below(Position(order: order, tie: tie))
    return feed.pattern.order == .value ? .cut(cut) : .observed(cut, lineage: lineage)
  }

  private func line(for slice: Slice) -> String {
    let last = slice.items.last?.position ?? Position(order: 0, tie: [])
    let tie = last.tie.map { "\($0)." }.joined()
    let ids = slice.items.map(\.id.text).joined(separator: ",")
    let proven = RoundedFeed.round(of: slice.freshness.provenAt)
    return "slice \(proven) \(slice.hasMore) \(last.order) .\(tie) \(slice.lineage) \(ids)"
  }

  /// Writes a line at once and whole.
  private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}

/// Reads which element took which number, over a connection of its own.
private final class NumberReader {
  private var handle: OpaquePointer?
  private let feed: String

  private struct Failure: Error {
    var message: String
  }

  init(path: String, feed: String) throws {
    self.feed = feed
    try check(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil))
  }

  func read(after low: Int64, upTo high: Int64) throws -> [(number: Int64, id: String)] {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v2(
        handle,
        """
        SELECT element.sequence, CAST(element.id AS TEXT) FROM element
        WHERE feed = (SELECT key FROM feed WHERE name = '\(feed)')
          AND element.sequence > \(low) AND element.sequence <= \(high)
        """, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    var rows: [(number: Int64, id: String)] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      guard let text = sqlite3_column_text(statement, 1) else { continue }
      rows.append((sqlite3_column_int64(statement, 0), String(cString: text)))
    }
    return rows
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
  }
}
