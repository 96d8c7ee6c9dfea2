import Bytes
import Feed
import Testing

@testable import Upstream

/// Redirects stay at the origin, and so does the token.
@Suite(.serialized) struct RedirectTests {
  private static let good: [ScriptedUpstream.Step] = [
    .head("HTTP/1.1 200 OK\nContent-Length: 2"), .text("[]"),
  ]

  private func redirect(_ location: String, status: Int = 302) -> [ScriptedUpstream.Step] {
    [.head("HTTP/1.1 \(status) Moved\nLocation: \(location)\nContent-Length: 4"), .text("gone")]
  }

  private func page(_ upstream: ScriptedUpstream) async throws -> Fetched<Page> {
    try await exchange(upstream, token: Secret("secret", length: Secret.tokenLength)) {
      fetcher, _ in
      await fetcher.page(Window(page: 1, perPage: 20), of: .items)
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func followsToSameOrigin(status: Int) async throws {
    let upstream = try ScriptedUpstream { number in
      number == 0 ? redirect("/elsewhere", status: status) : Self.good
    }
    #expect(try await page(upstream).result.failure == nil)
    #expect(upstream.heads[1].hasPrefix("GET /elsewhere HTTP/1.1\r\n"))
    #expect(upstream.heads[1].contains("Authorization: Bearer secret\r\n"))
  }

  @Test func sendsNothingToAnotherOrigin() async throws {
    let other = try ScriptedUpstream(always: Self.good)
    other.start()
    defer { other.stop() }
    let upstream = try ScriptedUpstream(always: redirect(other.url + "/api/v2/items"))
    let fetched = try await page(upstream)
    #expect(fetched.result.failure == .malformed(reason: "redirect to another origin"))
    #expect(other.connectionCount == 0)
  }

  @Test(arguments: ["file:///etc/passwd", "https://127.0.0.1:1/", "//user@127.0.0.1:1/", "http://"])
  func followsToNoOtherScheme(location: String) async throws {
    let upstream = try ScriptedUpstream(always: redirect(location))
    #expect(try await page(upstream).result.failure != nil)
    #expect(upstream.heads.count == 1)
  }

  @Test(arguments: [3, 4])
  func followsThreeTimes(count: Int) async throws {
    let upstream = try ScriptedUpstream { number in
      number < count ? redirect("/\(number)") : Self.good
    }
    let fetched = try await page(upstream)
    let error = fetched.result.failure
    #expect(error == (count == 3 ? nil : .malformed(reason: "more than 3 redirects")))
    #expect(fetched.redirects == 3)
  }

  @Test func spendsOneTotalTimeOnAllOfThem() async throws {
    var limits = TransferLimits.forTests
    limits.totalTimeout = .milliseconds(300)
    let upstream = try ScriptedUpstream { number in number == 0 ? redirect("/a") : [.hold] }
    let error = try await exchange(upstream, limits: limits) { fetcher, _ in
      await fetcher.page(Window(page: 1, perPage: 20), of: .items).result.failure
    }
    #expect(error == .timedOut)
  }

  @Test func takesRedirectWithoutTargetForMalformed() async throws {
    let upstream = try ScriptedUpstream(always: [
      .head("HTTP/1.1 302 Found\nContent-Length: 0")
    ])
    #expect(try await page(upstream).result.failure == .malformed(reason: "status 302"))
  }
}
