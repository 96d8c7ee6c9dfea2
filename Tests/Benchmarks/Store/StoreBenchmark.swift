import Feed
import Glibc
import SQLiteStore
import StoreInC
import Support

/// Times twenty rows at random cuts of a store of a million items, read through the store's
/// reader, against the same SQL asked with sqlite3 from C over the same file.
///
/// ```sh
/// swift run -c release StoreBenchmark            # makes a store in a temporary directory
/// swift run -c release StoreBenchmark 1000000 D  # of so many items, kept in directory D
/// ```
@main struct StoreBenchmark {
  static let limit = 20
  static let slicesPerRound = 2000
  static let rounds = 41

  static func main() throws {
    let arguments = CommandLine.arguments
    let count = arguments.count > 1 ? Int(arguments[1]) ?? 0 : 1_000_000
    let directory = arguments.count > 2 ? arguments[2] : try temporaryDirectory()
    let benchmark = try StoreBenchmark(count: count, path: "\(directory)/benchmark.sqlite")
    try benchmark.run()
    if arguments.count <= 2 { remove(directory) }
  }

  private let feed = FeedID(
    source: "qiita", pattern: FeedPattern("items", order: .value), parts: [Array("items".utf8)])
  private let items: MadeItems
  private let path: String
  private let store: TimelineDatabase

  /// Opens the store at `path`, and fills it when it is empty. One kept from before has to have
  /// been made with the same count.
  init(count: Int, path: String) throws {
    self.path = path
    items = MadeItems(count: count)
    store = try TimelineDatabase(path: path, durability: .processOnly)
    if let timeline = try store.timeline(of: feed) {
      // Every item took a number.
      precondition(timeline.sequence == Int64(count), "the store kept has another count")
      return
    }
    let duration = try ContinuousClock().measure { try items.write(to: store, as: feed) }
    print("\(count) items written in \(duration)")
  }

  /// Reads the same cuts by each way in turn, round after round, so that what the machine does
  /// meanwhile falls on all alike; prints medians.
  func run() throws {
    let ways: [(name: String, read: (Position) throws -> Int)] = [
      ("store's reader", try storeReading()),
      ("C, one buffer", try readingInC(SLICE_ONE_BUFFER)),
      ("C, a block a row", try readingInC(SLICE_BLOCK_PER_ROW)),
    ]
    var times: [[Double]] = ways.map { _ in [] }
    var random = SystemRandomNumberGenerator()
    for round in 0..<StoreBenchmark.rounds {
      let cuts = (0..<StoreBenchmark.slicesPerRound).map { _ in
        items.position(.random(in: 0..<items.count - StoreBenchmark.limit, using: &random))
      }
      for turn in ways.indices {
        let way = (turn + round) % ways.count
        let duration = try ContinuousClock().measure {
          for cut in cuts {
            let bytes = try ways[way].read(cut)
            precondition(bytes >= StoreBenchmark.limit * MadeItems.contentBytes)
          }
        }
        times[way].append(duration / .microseconds(StoreBenchmark.slicesPerRound))
      }
    }
    report(zip(ways.map(\.name), times.map { $0.sorted()[$0.count / 2] }))
  }

  private func report(_ medians: some Sequence<(String, Double)>) {
    var first: Double?
    for (name, median) in medians {
      let shown = (median * 100).rounded() / 100
      let ratio = first.map { "; the store's is \((($0 / median) * 1000).rounded() / 1000) of it" }
      print("\(name): \(shown) µs a slice of \(StoreBenchmark.limit)\(ratio ?? "")")
      first = first ?? median
    }
  }

  private func storeReading() throws -> (Position) throws -> Int {
    let reader = try store.makeReader()
    return { [feed] position in
      let elements = try reader.elements(
        of: feed, below: .below(position), above: .bottom, limit: StoreBenchmark.limit)
      return elements.reduce(0) {
        $0 + $1.position.tie.count + $1.id.bytes.count + $1.bytes.count
      }
    }
  }

  private func readingInC(_ copying: slice_copying) throws -> (Position) throws -> Int {
    let opened = slice_reader_open(path, SliceSQL.setup, SliceSQL.downward, copying)
    guard let reader = opened else { throw StoreError.failed(code: 0, message: "in C") }
    // Never closed: it lives as long as the process.
    let name = feed.name
    return { position in
      Int(
        slice_reader_read(
          reader, name, position.order, position.tie, position.tie.count,
          Int32(StoreBenchmark.limit)))
    }
  }

  private static func temporaryDirectory() throws -> String {
    var template = Array("/tmp/tsugi-benchmark-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw StoreError.failed(code: errno, message: "no temporary directory")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func remove(_ directory: String) {
    for companion in ["", "-wal", "-shm", "-lock"] {
      unlink("\(directory)/benchmark.sqlite\(companion)")
    }
    rmdir(directory)
  }
}

/// Items that can be made again from their rank: no list of a million is kept.
struct MadeItems {
  /// The size of each one's content.
  static let contentBytes = 400

  /// How many there are.
  let count: Int

  /// The place of the item at `rank`, from 0 at the top; two and more share a second.
  func position(_ rank: Int) -> Position {
    Position(order: 1_800_000_000 - Int64(rank / 3), tie: id(rank).bytes)
  }

  /// Twenty hexadecimal digits, like Qiita's; within a second they fall.
  private func id(_ rank: Int) -> Identity {
    let mixed = UInt64(truncatingIfNeeded: rank / 3 + 1) &* 0x9e37_79b9_7f4a_7c15
    let head = String(mixed ^ (mixed >> 29), radix: 16)
    let digits = String(repeating: "0", count: 16 - head.count) + head
    return Identity("\(digits)000\(9 - rank % 3)")
  }

  /// Writes them all. Fifty thousand a commit: each rewrites most pages of the two indexes by
  /// identity.
  func write(to store: TimelineDatabase, as feed: FeedID) throws {
    for start in stride(from: 0, to: count, by: 50_000) {
      let sentAt = Timestamp(seconds: 1_800_000_000)
      var merge = Merge(feed: feed, sentAt: sentAt, timeline: Timeline())
      merge.seen = (start..<min(start + 50_000, count)).map { rank in
        let position = position(rank)
        let item = PageItem(
          id: Identity(bytes: position.tie), key: position.order,
          updatedAt: position.order, bytes: content(rank))
        return Merge.Seen(position: position, item: item, state: .live, takesNumber: true)
      }
      _ = try store.commit(merge, budget: nil)
    }
  }

  private func content(_ rank: Int) -> [UInt8] {
    let start = Array("{\"id\":\"\(id(rank).text)\",\"body\":\"".utf8)
    return start
      + [UInt8](repeating: UInt8(ascii: "x"), count: MadeItems.contentBytes - start.count - 2)
      + Array("\"}".utf8)
  }
}
