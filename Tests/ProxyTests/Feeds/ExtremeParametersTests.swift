import Feed
import HTTP
import Simulator
import Support
import Testing

@testable import Proxy

/// Any number may stand in any parameter of a request, in a cursor and in a header field.
@Suite struct ExtremeParametersTests {
  private static let statuses: Set<Int> = [200, 304, 400, 404, 410, 416, 429, 503, 504]

  /// Targets with `{}` for the number, and `EPOCH` for the store's.
  static let targets = [
    "/v1/qiita/items?limit={}", "/v1/qiita/items?wait={}", "/v1/qiita/users?limit={}",
    "/v1/qiita/items?startAfter={}", "/v1/qiita/items?startAfter=id:{}",
    "/v1/qiita/items?startAt=at:{}-01-01T00:00:00Z",
    "/v1/qiita/items?startAt=at:2020-01-01T00:{}:00Z",
    "/v1/qiita/items?endBefore={}&limitToLast=true", "/v1/qiita/items:changes?wait=0&since={}",
    "/v1/qiita/items:changes?wait=0&since=EPOCH.{}",
    "/v1/qiita/items:changes?wait={}&since=EPOCH.0",
    "/v1/qiita/items:changes?limit={}&since=EPOCH.0",
    "/api/v2/items?page={}", "/api/v2/items?per_page={}", "/api/v2/items?page={}&per_page={}",
    "/api/v2/items?startAfter={}&page=2", "/v1/qiita/items/{}", "/v1/qiita/users/{}/items?wait=0",
  ]

  /// Fields with `{}` for the number.
  private static let fields = [
    "Range: bytes={}-{}", "If-None-Match: \"{}\"",
    "If-Modified-Since: Fri, 21 Nov {} 01:55:00 GMT", "Cache-Control: max-age={}, min-fresh={}",
    "Cache-Control: max-stale={}", "Accept-Encoding: gzip;q={}", "X-Forwarded-For: {}",
    "Priority: u={}",
  ]

  private func stand() async throws -> Stand {
    let stand = try await Stand(smallWorld(130))
    for feed in ["items", "users"] {
      _ = try stand.client.walk("/v1/qiita/\(feed)?limit=50")
    }
    return stand
  }

  @Test func everyParameterIsReadOrRefused() async throws {
    let stand = try await stand()
    for target in Self.targets {
      for number in Extremes.texts where number.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x2B }) {
        let asked = target.replacing("EPOCH", with: stand.epoch).filled(with: number)
        let status = try stand.client.get(asked, ["Cache-Control: only-if-cached"]).status
        #expect(Self.statuses.contains(status), "\(asked): \(status)")
      }
    }
    await stand.stop()
  }

  @Test func everyFieldIsReadOrPassedOver() async throws {
    let stand = try await stand()
    for field in Self.fields {
      for number in Extremes.texts where number.utf8.allSatisfy({ $0 < 0x80 }) {
        let line = field.filled(with: number)
        let status = try stand.client.get("/v1/qiita/items?limit=1", [line]).status
        #expect(Self.statuses.contains(status), "\(line): \(status)")
      }
    }
    await stand.stop()
  }

  /// A client can make up a cursor: any position, trail and number.
  @Test(arguments: ["items", "users"]) func everyCursorIsServedOrGone(_ path: String) async throws {
    let stand = try await stand()
    let pattern = FeedPattern(
      path, order: path == "items" ? .value : .observed, content: ItemKind(path))
    let feed = FeedID(source: "qiita", pattern: pattern, parts: [Array(path.utf8)])
    let lineage = try stand.timeline(of: feed)?.lineages.last?.name ?? 0
    for order in Extremes.integers {
      for (trail, told) in [
        (Trail(), nil), (Trail(known: 1, begin: .max, given: [1]), 0),
        (Trail(known: Move.numbers.upperBound, begin: .min), Int64.max),
      ] as [(Trail, Int64?)] {
        let cursor = Cursor.text(
          at: Position(order: order, tie: [0x61]), in: feed, lineage: lineage, trail: trail,
          told: told)
        for bound in ["startAfter", "startAt", "limitToLast=true&endBefore"] {
          let target = "/v1/qiita/\(path)?limit=3&wait=0&\(bound)=\(cursor)"
          let status = try stand.client.get(target).status
          #expect(Self.statuses.subtracting([400]).contains(status), "\(order) \(bound): \(status)")
        }
        _ = try stand.client.get("/api/v2/\(path)?startAfter=\(cursor)")
      }
    }
    await stand.stop()
  }
}

extension String {
  fileprivate func filled(with number: String) -> String {
    split(separator: "{}", omittingEmptySubsequences: false).joined(separator: number)
  }
}
