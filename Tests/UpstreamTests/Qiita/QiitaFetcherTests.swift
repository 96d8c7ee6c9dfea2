import Bytes
import Feed
import Settings
import Support
import Testing

@testable import Upstream

/// The whole way: a window asked for over a socket, and what becomes of the answer.
@Suite(.serialized) struct QiitaFetcherTests {
  private static let element = #"{"id":"a","created_at":"2025-12-09T14:21:53+09:00"}"#

  private func reply(_ status: String, _ body: String, _ fields: String = "X: y")
    -> [ScriptedUpstream.Step]
  {
    [
      .head("HTTP/1.1 \(status)\n\(fields)\nContent-Length: \(body.utf8.count)"), .text(body),
    ]
  }

  @Test func readsGoodPage() async throws {
    let fields = """
      DATE: Mon, 29 Sep 2014 03:17:27 GMT
      rate-limit: 60
      Rate-Remaining: 55
      RATE-RESET: 1411961301
      total-count: 680484
      link: <https://qiita.com/api/v2/items?page=1>; rel="first", <x?page=2>; rel="next"
      """
    let fetched = try await firstPage(reply("200 OK", "[\(Self.element)]", fields))
    let page = try fetched.result.get()
    #expect(page.ids == "a")
    #expect(page.hasNext)
    #expect(page.total == 680_484)
    #expect(fetched.date == 1_411_960_647)
    #expect(
      fetched.budget == BudgetReading(limit: 60, remaining: 55, resetSeconds: 1_411_961_301))
    #expect(fetched.sentAt == standstill)
  }

  @Test(arguments: [
    (FeedID.items, "items?page=2&per_page=99"),
    (
      .qiita("items", "items", query: "tag:C# 日"),
      "items?page=2&per_page=99&query=tag%3AC%23%20%E6%97%A5"
    ),
    (.qiita("tags/:id/items", "tags", "CI/CD", "items"), "tags/CI%2FCD/items?page=2&per_page=99"),
    (.qiita("items/:id/likes", "items", "0f", "likes"), "items/0f/likes?page=1&per_page=100"),
  ])
  func asksForWindow(feed: FeedID, target: String) async throws {
    let upstream = try ScriptedUpstream(always: reply("200 OK", "[]"))
    try await exchange(upstream) { fetcher, _ in
      _ = await fetcher.page(Window(page: 2, perPage: 99), of: feed)
    }
    let head = try #require(upstream.heads.first)
    #expect(head.hasPrefix("GET /api/v2/\(target) HTTP/1.1\r\n"))
    #expect(!head.contains("Authorization"))
  }

  @Test(arguments: [
    ("401 Unauthorized", #"{"type":"unauthorized"}"#, FetchError.refused(status: 401)),
    ("403 Forbidden", #"{"message":"x","type":"forbidden"}"#, .refused(status: 403)),
    ("403 Forbidden", #"{"type":"rate_limit_exceeded"}"#, .rateLimited(retryAfterSeconds: nil)),
    ("403 Forbidden", "<html>rate_limit_exceeded", .refused(status: 403)),
    ("404 Not Found", #"{"type":"not_found"}"#, .notFound),
    ("429 Too Many Requests", "", .rateLimited(retryAfterSeconds: nil)),
    ("410 Gone", "{}", .notFound), ("451 Odd", "", .refused(status: 451)),
    ("408 Request Timeout", "", .serverError(status: 408)),
    ("425 Too Early", "", .serverError(status: 425)),
    ("400 Bad Request", "{}", .rejected(status: 400)), ("422 Odd", "", .rejected(status: 422)),
    ("500 Internal Server Error", "{}", .serverError(status: 500)),
    ("502 Bad Gateway", "<html>", .serverError(status: 502)),
    ("202 Accepted", "", .malformed(reason: "status 202")),
    ("200 OK", "<!DOCTYPE html>", .malformed(reason: "not a JSON array")),
    ("200 OK", "", .malformed(reason: "empty body")),
    ("200 OK", #"{"items":[]}"#, .malformed(reason: "not a JSON array")),
    ("200 OK", #"[{"id":"a""#, .cut),
  ])
  func tellsErrorsApart(status: String, body: String, error: FetchError) async throws {
    let fields = "Rate-Limit: 60\nRate-Remaining: 0\nRate-Reset: 1763690009"
    let fetched = try await firstPage(reply(status, body, fields))
    #expect(fetched.result.failure == error)
    #expect(fetched.budget == BudgetReading(limit: 60, remaining: 0, resetSeconds: 1_763_690_009))
  }

  @Test(arguments: [
    ("Retry-After: 120", 120), ("Retry-After: soon", nil), ("Retry-After: -1", nil),
    ("Date: Mon, 29 Sep 2014 03:17:27 GMT\nretry-after: Mon, 29 Sep 2014 03:18:27 GMT", 60),
    ("Date: Mon, 29 Sep 2014 03:17:27 GMT\nretry-after: Mon, 29 Sep 2014 03:16:27 GMT", 0),
  ])
  func readsRetryAfter(fields: String, seconds: Int?) async throws {
    let fetched = try await firstPage(reply("429 Too Many Requests", "", fields))
    #expect(fetched.result.failure == .rateLimited(retryAfterSeconds: seconds))
    let failed = try await firstPage(reply("503 Service Unavailable", "", fields))
    #expect(failed.result.failure == .serverError(status: 503, retryAfterSeconds: seconds))
  }

  /// Nothing, of what is said to be something, is doubted: see `Page.isHollow`.
  @Test(arguments: [
    ("Total-Count: 0", false), ("Total-Count: 3", true), ("Total-Count: many", false),
    ("Link: <http://a/b?page=2>; rel=\"next\"", true),
  ])
  func emptinessOfAFeedThatIsDeniedIsTold(fields: String, isDenied: Bool) async throws {
    for feed in [FeedID.qiita("items/:id/likes", "items", "0f", "likes"), .items] {
      let upstream = try ScriptedUpstream(always: reply("200 OK", "[]", fields))
      let fetched = try await exchange(upstream) { fetcher, _ in
        await fetcher.page(Window(page: 1, perPage: 30), of: feed)
      }
      let hollow = try fetched.result.get().isHollow(
        in: Window(page: 1, perPage: 30), paging: feed.pattern.paging, perPageMax: 30)
      #expect((hollow == true) == isDenied)
    }
  }

  /// A first page has at most what was asked for, and four more are left for the next; one with
  /// more is of another size, up to the largest. What comes whole has a limit of its own.
  @Test(arguments: [
    (FeedID.items, 1), (.items, 30), (.qiita("tags/:id/items", "tags", "a", "items"), 100),
    (.qiita("items/:id/likes", "items", "0f", "likes"), ListFetcher.wholeCountMax),
  ])
  func takesNoMoreElementsThanWereAskedFor(feed: FeedID, countMax: Int) async throws {
    func fetched(_ count: Int) async throws -> Fetched<Page> {
      let body = "[\([String](repeating: "0", count: count).joined(separator: ","))]"
      let upstream = try ScriptedUpstream(always: reply("200 OK", body))
      return try await exchange(upstream) { fetcher, _ in
        await fetcher.page(Window(page: 1, perPage: min(countMax, 100)), of: feed)
      }
    }
    #expect(try await fetched(countMax).result.get().count == countMax)
    let error = FetchError.malformed(reason: "more than \(countMax) elements")
    let spare = countMax == ListFetcher.wholeCountMax ? 0 : 4
    #expect(try await fetched(countMax + spare).result.get().count == countMax)
    if countMax < 100 {
      #expect(try await fetched(countMax + 5).result.get().count == countMax + 5)
    }
    #expect(try await fetched(max(100, countMax + spare) + 1).result.failure == error)
  }

  @Test func takesStatusBeforeCutBody() async throws {
    let fetched = try await firstPage([
      .head("HTTP/1.1 502 Bad Gateway\nContent-Length: 99"), .text("<html>"), .close,
    ])
    #expect(fetched.result.failure == .serverError(status: 502))
  }

  @Test func readsSingleItem() async throws {
    let upstream = try ScriptedUpstream(always: reply("200 OK", Self.element + "\n"))
    let fetched = try await exchange(upstream) { fetcher, _ in
      await fetcher.item(ItemName(Identity("a")))
    }
    #expect(try fetched.result.get().bytes == Array(Self.element.utf8))
    #expect(upstream.heads.first?.hasPrefix("GET /api/v2/items/a HTTP/1.1\r\n") == true)
  }

  @Test(arguments: [
    (ItemName(Identity("a"), kind: "users"), "users/a"),
    (ItemName(Identity("C#"), kind: "tags"), "tags/C%23"),
    (ItemName(Identity("0a"), kind: "comments"), "comments/0a"),
  ])
  func asksForEachKindAtItsPath(name: ItemName, path: String) async throws {
    let upstream = try ScriptedUpstream(always: reply("200 OK", #"{"id":"\#(name.id.text)"}"#))
    let fetched = try await exchange(upstream) { fetcher, _ in await fetcher.item(name) }
    #expect(try fetched.result.get().id == name.id)
    #expect(upstream.heads.first?.hasPrefix("GET /api/v2/\(path) HTTP/1.1\r\n") == true)
  }

  @Test(arguments: [
    ("tags" as ItemKind, true), ("users", true), ("items", false), ("comments", false),
  ])
  func takesAnotherLetterCaseForNamesOnly(kind: ItemKind, isTaken: Bool) async throws {
    let upstream = try ScriptedUpstream(always: reply("200 OK", #"{"id":"Swift"}"#))
    let name = ItemName(Identity("sWIFT"), kind: kind)
    let fetched = try await exchange(upstream) { fetcher, _ in await fetcher.item(name) }
    #expect((try? fetched.result.get().id) == (isTaken ? name.id : nil))
  }

  @Test(arguments: ["[]", #"{"id":"b"}"#, #"{"id":"a""#, "", "<html>"])
  func refusesWhatIsNotTheItem(body: String) async throws {
    let upstream = try ScriptedUpstream(always: reply("200 OK", body))
    let fetched = try await exchange(upstream) { fetcher, _ in
      await fetcher.item(ItemName(Identity("a")))
    }
    #expect(fetched.result.failure == .malformed(reason: "not the item asked for"))
  }

  @Test func showsNoTokenInAnError() async throws {
    let upstream = try ScriptedUpstream(always: [.reset])
    let token = try #require(Secret("secret-0123", length: Secret.tokenLength))
    let fetched = try await exchange(upstream, token: token) { fetcher, _ in
      await fetcher.page(Window(page: 1, perPage: 20), of: .items)
    }
    #expect(!"\(fetched)".contains("secret"))
    #expect(upstream.heads.first?.contains("\r\nAuthorization: Bearer secret-0123\r\n") == true)
  }

  @Test func matchesEachPathWithOnePattern() {
    let paths = Presets.qiita.patterns.map { pattern in
      pattern.words.map { Array(($0.hasPrefix(":") ? "x" : $0).utf8) }
    }
    for path in paths {
      #expect(Presets.qiita.patterns.filter { $0.matches(path) }.count == 1)
    }
  }
}
