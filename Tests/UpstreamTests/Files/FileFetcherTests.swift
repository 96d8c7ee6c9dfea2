import Feed
import Foundation
import Glibc
import Testing

@testable import Upstream

@Suite struct FileFetcherTests {
  /// The machine's clock: a file's times are of it too.
  struct Clock: TimeSource {
    /// How far it is ahead.
    var ahead: Duration = .zero

    var now: Timestamp { Timestamp(seconds: Int64(time(nil))) + ahead }

    func sleep(until deadline: Timestamp) async {}
  }

  private static let feed = FeedID(
    source: "fruits", pattern: FileFetcher.patterns()[0], parts: [Array("items".utf8)])

  /// Runs `body` with the path of a file that is removed afterwards.
  private func withFile(_ text: String?, _ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "tsugi-\(UUID().uuidString).json"
    if let text { try write(text, path) }
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
  }

  private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func page(
    _ fetcher: FileFetcher, unlessStill known: UInt64? = nil
  ) async -> Result<Page, FetchError> {
    await fetcher.page(Window(page: 1, perPage: 30), of: Self.feed, unlessStill: known).result
  }

  @Test func givesAllElementsWhateverTheWindow() async throws {
    let ids = (1...45).map(String.init)
    let text = "[\(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]"
    try await withFile(text) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      let page = try await page(fetcher).get()
      #expect(page.items.map(\.item.id.text) == ids)
      #expect(page.total == 45 && page.count == 45 && !page.hasNext)
    }
  }

  @Test func saysWhenNothingHasChanged() async throws {
    try await withFile(#"[{"id":1}]"#) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      let first = try #require(try await page(fetcher).get().revision)
      #expect(await page(fetcher, unlessStill: first) == .failure(.unchanged))
      // The same content, written again.
      try write(#"[{"id":1}]"#, path)
      #expect(await page(fetcher, unlessStill: first) == .failure(.unchanged))
      try write(#"[{"id":2}]"#, path)
      let second = try await page(fetcher, unlessStill: first).get()
      #expect(second.items.map(\.item.id.text) == ["2"] && second.revision != first)
    }
  }

  @Test func seesEveryKindOfChange() async throws {
    try await withFile(#"[{"id":1}]"#) { path in
      // So far ahead that a stamp is taken at its word.
      let fetcher = FileFetcher(path: path, clock: Clock(ahead: .seconds(60)), bytesMax: 1 << 20)
      var known = try await page(fetcher).get().revision
      // The same size and, set back, the same time of change.
      var status = stat()
      stat(path, &status)
      usleep(20_000)
      try write(#"[{"id":2}]"#, path)
      var times = [status.st_atim, status.st_mtim]
      utimensat(AT_FDCWD, path, &times, 0)
      known = try await page(fetcher, unlessStill: known).get().revision
      // Another file under its name.
      try write(#"[{"id":3}]"#, path + ".new")
      rename(path + ".new", path)
      #expect(
        try await page(fetcher, unlessStill: known).get().items.map(\.item.id.text) == ["3"])
    }
  }

  @Test func aStampThatIsRecentIsNotTakenAtItsWord() async throws {
    try await withFile(#"[{"id":1}]"#) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      var known = try await page(fetcher).get().revision
      // Many changes within one step of the file system's clock.
      for id in 2...9 {
        try write("[{\"id\":\(id)}]", path)
        let new = try await page(fetcher, unlessStill: known).get()
        #expect(new.items.map(\.item.id.text) == ["\(id)"])
        known = new.revision
      }
    }
  }

  @Test func aBadFileIsRefusedUntilItChanges() async throws {
    try await withFile(#"[{"id":1}]"#) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      let known = try await page(fetcher).get().revision
      try write("[{\"id\":1},\n{}]", path)
      let refused = Result<Page, FetchError>.failure(.malformed(reason: "line 2: no id"))
      #expect(await page(fetcher, unlessStill: known) == refused)
      #expect(await page(fetcher, unlessStill: known) == refused)
      try write(#"[{"id":1}]"#, path)
      #expect(await page(fetcher, unlessStill: known) == .failure(.unchanged))
    }
  }

  @Test func whatIsNoReadableFileIsUnreachable() async throws {
    try await withFile(nil) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      let missing = Result<Page, FetchError>.failure(
        .unreachable(reason: "No such file or directory"))
      #expect(await page(fetcher) == missing)
      let folder = FileFetcher(path: "/tmp", clock: Clock(), bytesMax: 1 << 20)
      #expect(await page(folder) == .failure(.unreachable(reason: "no regular file")))
      // One that would make its reader wait.
      mkfifo(path, 0o600)
      #expect(await page(fetcher) == .failure(.unreachable(reason: "no regular file")))
    }
  }

  @Test(arguments: [(10, true), (9, false)])
  func takesSoManyBytesOnly(bytesMax: Int, isTaken: Bool) async throws {
    try await withFile(#"[{"id":1}]"#) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: bytesMax)
      let result = await page(fetcher)
      #expect(((try? result.get()) != nil) == isTaken)
      if !isTaken { #expect(result == .failure(.tooLarge(limitBytes: 9))) }
    }
  }

  @Test func givesSingleItems() async throws {
    try await withFile(#"[{"id":1},{"id":"b","n":2}]"#) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      func item(_ id: String, _ kind: ItemKind = "items") async -> Result<PageItem, FetchError> {
        await fetcher.item(ItemName(Identity(id), kind: kind)).result
      }
      let (first, second) = (await item("1"), await item("b"))
      #expect((try? first.get().bytes) == Array(#"{"id":1}"#.utf8))
      #expect((try? second.get().bytes) == Array(#"{"id":"b","n":2}"#.utf8))
      #expect(await item("c") == .failure(.notFound))
      #expect(await item("1", "users") == .failure(.notFound))
    }
  }

  @Test func aLookCostsNothingThatRunsOut() async throws {
    try await withFile(#"[{"id":1}]"#) { path in
      let fetcher = FileFetcher(path: path, clock: Clock(), bytesMax: 1 << 20)
      var budget = Budget(assumed: Policy().allowance)
      for _ in 0..<200 {
        budget.spend(at: Clock().now)
        budget.learn(
          from: await fetcher.page(Window(page: 1, perPage: 30), of: Self.feed, unlessStill: 1))
      }
      #expect(budget.bears(.prefetch, reserve: 100, at: Clock().now))
    }
  }
}
