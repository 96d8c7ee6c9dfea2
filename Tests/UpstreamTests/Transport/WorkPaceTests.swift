import Feed
import Settings
import Support
import Synchronization
import Testing

@testable import Upstream

/// Pauses while a large answer is worked on.
@Suite(.serialized, .timeLimit(.minutes(10))) struct WorkPaceTests {
  private final class Pauses: Sendable {
    private let taken = Atomic(0)

    var count: Int { taken.load(ordering: .relaxed) }

    func take() { taken.add(1, ordering: .relaxed) }
  }

  @Test(arguments: [
    ([WorkPace.pieceBytes - 1], 0), ([WorkPace.pieceBytes], 1),
    ([WorkPace.pieceBytes - 1, 1, WorkPace.pieceBytes - 1], 1), ([WorkPace.pieceBytes * 9], 1),
    ([Int](repeating: 1, count: 100), 0), ([Int](repeating: WorkPace.pieceBytes / 4, count: 9), 2),
  ])
  func pausesAfterEachPiece(pieces: [Int], count: Int) {
    let pauses = Pauses()
    var pace = WorkPace(pauses.take)
    for bytes in pieces { pace.note(bytes: bytes) }
    #expect(pauses.count == count)
  }

  /// The pauses that a client takes for a page of so many elements of so many bytes.
  private func pauses(for count: Int, bytes: Int) async throws -> Int {
    let text = String(repeating: "a", count: bytes)
    let elements = (0..<count).map {
      #"{"id":"\#($0)","created_at":"2026-11-21T20:00:00+09:00","text":"\#(text)"}"#
    }
    let body = "[\(elements.joined(separator: ","))]"
    let upstream = try ScriptedUpstream(always: [
      .head("HTTP/1.1 200 OK\nContent-Length: \(body.utf8.count)"), .text(body),
    ])
    upstream.start()
    defer { upstream.stop() }
    let pauses = Pauses()
    let client = try UpstreamClient(version: "0.0.0", pause: pauses.take)
    let base = try #require(BaseURL(upstream.url + "/api/v2"))
    var recipe = Presets.qiita
    recipe.baseURL = base
    let fetcher = ListFetcher(
      recipe, client: client, clock: HandClock(at: standstill), limits: .forTests)
    let page = try await fetcher.page(Window(page: 1, perPage: 100), of: .items).result.get()
    #expect(page.items.count == count)
    await client.close()
    return pauses.count
  }

  @Test func aSmallPageIsWorkedOnWithoutAPause() async throws {
    // The one before the transfer.
    #expect(try await pauses(for: 5, bytes: 100) == 1)
  }

  @Test func aLargePageIsWorkedOnInPieces() async throws {
    let (count, bytes) = (100, 20_000)
    // Both the taking and the reading: pieces end where what comes, or an element, does.
    #expect(try await pauses(for: count, bytes: bytes) >= 2 * count * bytes / (64 << 10))
  }
}
