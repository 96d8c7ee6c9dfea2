import Foundation
import TsugiClient
import TsugiClientTesting
import TsugiStore

/// Times `appeared` for each row of a list of 1,000, 10,000 and 100,000 items, and what a list
/// keeps of 100,000 items that are read from the top to the end, with and without `maxItems`. Then
/// how long a list takes to begin from 1,000 rows on disk, and a slice to be written.
///
/// ```sh
/// swift run -c release ListBenchmark
/// ```
@main @MainActor struct ListBenchmark {
  private static let rounds = 11
  private static let sizes = [1_000, 10_000, 100_000]
  private nonisolated static let sliceItems = 100

  static func main() async throws {
    // What the first list takes is mostly for good, whatever it keeps.
    _ = try await read(100_000, PagedOptions(maxItems: 1_000))
    for maxItems in [1_000, nil] {
      let before = try residentKilobytes()
      let list = try await read(100_000, PagedOptions(maxItems: maxItems))
      let kept = list.items.count
      print(
        "maxItems \(maxItems.map(String.init) ?? "none"): \(kept) of 100000 items kept,",
        "\(try residentKilobytes() - before) KB")
    }
    var times: [Int: [Double]] = [:]
    var lists: [Int: PagedList<Row>] = [:]
    for size in sizes { lists[size] = try await read(size, PagedOptions()) }
    for _ in 0..<rounds {
      for size in sizes {
        guard let list = lists[size] else { continue }
        let items = list.items
        let duration = ContinuousClock().measure {
          for item in items { list.appeared(item) }
        }
        times[size, default: []].append(duration / .nanoseconds(1) / Double(items.count))
      }
    }
    for size in sizes {
      let sorted = times[size, default: []].sorted()
      print("\(size) items: \(Int(sorted[rounds / 2])) ns for each row that appears (median)")
    }
    try await timeStore()
  }

  /// An article as a row shows it.
  private struct Article: Identifiable, Codable, Sendable {
    var id: String
    var title: String
  }

  /// Times the store: the start of a list, and the write of one slice more.
  private static func timeStore() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite")
    let (written, write) = AsyncStream<Duration>.makeStream()
    let title = String(repeating: "x", count: 200)
    let transport = ScriptedTransport { request in
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems
      let place = items?.first { $0.name == "startAfter" }?.value
      let first = place.flatMap(Int.init).map { $0 + 1 } ?? 0
      return .slice(
        of: (first..<first + 20).map { #"{"id":"\#($0)","title":"\#(title)"}"# },
        hasMore: first < 980, start: String(first), end: String(first + 19))
    }
    guard let url = URL(string: "https://api.example") else { return }
    let feed = FeedClient(baseURL: url, transport: transport)
      .feed("qiita/items", of: Article.self)
    let store = FeedStore(at: file) { event in
      if case .stored(_, _, let took) = event { write.yield(took) }
    }
    let list = PagedList(feed, in: store)
    list.start()
    while list.items.count < 1_000 {
      list.loadMore()
      await Task.yield()
      if list.items.count % 100 == 0 { await store.flush() }
    }
    if let last = list.items.last { list.appeared(last) }
    await store.flush()
    write.finish()
    var writes: [Duration] = []
    for await took in written { writes.append(took) }
    writes.sort()
    let starts = (0..<rounds).map { _ in
      ContinuousClock().measure {
        let list = PagedList(feed, in: FeedStore(at: file))
        precondition(list.items.count == 100, "the rows around the reader are there")
      }
    }.sorted()
    print("a list begins from 1000 rows on disk in \(starts[rounds / 2]) (median)")
    print("a slice is written in \(writes[writes.count / 2]) (median)")
  }

  /// An item as small as one can be: what the list adds to it is measured.
  private struct Row: Identifiable, Decodable, Sendable {
    var id: Int
  }

  /// A list that was read from the top to the end by rows that appear.
  private static func read(_ count: Int, _ options: PagedOptions) async throws -> PagedList<Row> {
    let transport = ScriptedTransport { request in
      let parameters = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems
      let place = parameters?.first { $0.name == "startAfter" }?.value
      let first = place.flatMap(Int.init).map { $0 + 1 } ?? 0
      let last = min(first + sliceItems, count) - 1
      return .slice(
        of: (first...last).map { #"{"id":\#($0)}"# }, hasMore: last < count - 1,
        start: String(first), end: String(last))
    }
    guard let url = URL(string: "http://127.0.0.1") else { throw TsugiError.request("no URL") }
    let client = FeedClient(baseURL: url, transport: transport)
    let list = PagedList(
      client.feed("qiita/items", of: Row.self, limit: sliceItems), options: options)
    await list.refresh()
    while let last = list.items.last, list.canLoadMore {
      list.appeared(last)
      while list.moreState.isLoading { await Task.yield() }
    }
    return list
  }

  private static func residentKilobytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4 } ?? 0
  }
}
