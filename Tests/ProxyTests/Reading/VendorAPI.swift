import Foundation
import HTTP
import Testing

/// A stand-in for one list of a vendor's API, written from the vendor's documentation: how it is
/// asked, what stands in its answers and in their head. The greatest number comes first.
struct VendorAPI: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var preset: String
  /// The API's path prefix.
  var base: String
  /// The path of the list below the source at Tsugi.
  var feed: String
  /// How many elements it has.
  var count: Int
  /// What names an element, and its JSON by the element's rank, from 0.
  var key = "id"
  var id: @Sendable (_ rank: Int) -> String
  /// The most calls that a walk may take.
  var callsMax: Int
  var answer: @Sendable (RuledUpstream.Call) -> Response

  /// An answer with elements in an array, or in what `wrap` makes of it.
  private static func page(
    _ elements: [String], _ fields: [(String, String)] = [],
    wrap: (String) -> String = { $0 }
  ) -> Response {
    Response(json: wrap("[\(elements.joined(separator: ","))]"), fields)
  }

  /// The instant of an element, a minute below the one before.
  private static func instant(_ rank: Int) -> Date {
    Date(timeIntervalSince1970: 1_700_000_000 - Double(rank) * 60)
  }

  /// docs.gitlab.com/api/rest: offset-based pagination. Above 10,000 elements there is no total.
  static func gitlab(tellsTotal: Bool) -> VendorAPI {
    let count = 230
    return VendorAPI(
      testDescription: "GitLab by page, \(tellsTotal ? "with" : "without") a total",
      preset: "gitlab", base: "/api/v4", feed: "projects/7/issues", count: count,
      id: { "\(5000 - $0)" }, callsMax: 4
    ) { call in
      let (page, size) = (call.number("page", or: 1), min(100, call.number("per_page", or: 20)))
      let ranks = min(count, (page - 1) * size)..<min(count, page * size)
      let link = "<http://127.0.0.1:\(call.port)\(call.path)?page=\(page + 1)&per_page=\(size)>"
      let hasNext = ranks.upperBound < count
      return Self.page(
        ranks.map {
          let time = instant($0).formatted(.iso8601)
          return #"{"id":\#(5000 - $0),"created_at":"\#(time)","updated_at":"\#(time)"}"#
        },
        [("x-page", "\(page)"), ("x-per-page", "\(size)")]
          + [("x-next-page", hasNext ? "\(page + 1)" : "")]
          + (hasNext ? [("link", "\(link); rel=\"next\"")] : [])
          + (tellsTotal ? [("x-total", "\(count)")] : []))
    }
  }

  /// docs.gitlab.com/api/rest: keyset-based pagination.
  static let gitlabKeyset = VendorAPI(
    testDescription: "GitLab by keyset", preset: "gitlab", base: "/api/v4", feed: "projects",
    count: 230, id: { "\(5000 - $0)" }, callsMax: 4
  ) { call in
    let size = min(100, call.number("per_page", or: 20))
    let from = 5001 - call.number("id_before", or: 5001)
    let ranks = from..<min(230, from + size)
    let url = "http://127.0.0.1:\(call.port)\(call.path)?pagination=keyset&id_before="
    return page(
      ranks.map { #"{"id":\#(5000 - $0)}"# },
      ranks.upperBound < 230
        ? [("link", "<\(url)\(5001 - ranks.upperBound)>; rel=\"next\"")] : [])
  }

  /// docs.joinmastodon.org/api/guidelines: links with max_id and min_id; a full page has a next,
  /// also where it is the last.
  private static func mastodon(
    _ name: String, feed: String, most: Int, callsMax: Int,
    element: @escaping @Sendable (Int) -> Int
  ) -> VendorAPI {
    VendorAPI(
      testDescription: "Mastodon's \(name)", preset: "mastodon", base: "/api/v1", feed: feed,
      count: 120, id: { #""\#(element($0))""# }, callsMax: callsMax
    ) { call in
      let size = min(most, call.number("limit", or: most / 2))
      let from = (117_020_580_518_794_573 - call.number("max_id", or: key(-1))) / 1000 + 1
      let ranks = min(120, from)..<min(120, from + size)
      let url = "http://127.0.0.1:\(call.port)\(call.path)?limit=\(size)"
      let reset = Date().addingTimeInterval(250).formatted(
        .iso8601.year().month().day().time(includingFractionalSeconds: true))
      return page(
        ranks.map { #"{"id":"\#(element($0))","edited_at":null}"# },
        [
          ("x-ratelimit-limit", "300"), ("x-ratelimit-remaining", "\(290 - call.number)"),
          ("x-ratelimit-reset", "\(reset)Z"),
        ]
          + (ranks.count == size
            ? [("link", "<\(url)&max_id=\(key(ranks.upperBound - 1))>; rel=\"next\"")] : [])
          + (ranks.isEmpty
            ? [] : [("link", "<\(url)&min_id=\(key(ranks.lowerBound))>; rel=\"prev\"")]))
    }
  }

  /// Mastodon's key of a rank: identities of statuses, and in links alone those of followings.
  private static func key(_ rank: Int) -> Int { 117_020_580_518_794_573 - rank * 1000 }

  static let mastodonStatuses = mastodon(
    "statuses", feed: "accounts/1/statuses", most: 40, callsMax: 5, element: key)
  /// The order is that of the followings, whose identities are in the links alone.
  static let mastodonFollowers = mastodon(
    "followers", feed: "accounts/1/followers", most: 80, callsMax: 4
  ) { ($0 * 37 + 11) % 131 + 1000 }

  /// docs.stripe.com/api/pagination: an anchor that exists, and a flag.
  static let stripe = VendorAPI(
    testDescription: "Stripe", preset: "stripe", base: "/v1", feed: "customers", count: 230,
    id: { #""cus_\#($0 * 7919 % 1000)""# }, callsMax: 3
  ) { call in
    let size = min(100, call.number("limit", or: 10))
    let ids = (0..<230).map { "cus_\($0 * 7919 % 1000)" }
    let anchor = call.parameters["starting_after"]
    guard let above = anchor.map({ ids.firstIndex(of: $0) }) ?? -1 else {
      return Response(json: #"{"error":{"code":"resource_missing"}}"#, status: 400)
    }
    let ranks = (above + 1)..<min(230, above + 1 + size)
    return page(
      ranks.map {
        let time = Int(instant($0).timeIntervalSince1970)
        return #"{"id":"\#(ids[$0])","object":"customer","created":\#(time)}"#
      }
    ) {
      let hasMore = ranks.upperBound < 230
      return #"{"object":"list","url":"/v1/customers","has_more":\#(hasMore),"data":\#($0)}"#
    }
  }

  /// api.stackexchange.com/docs/paging and /throttle: `todate` is within, three of one second.
  static func stackExchange(backoff: String = "") -> VendorAPI {
    VendorAPI(
      testDescription: "Stack Exchange", preset: "stackexchange", base: "/2.3",
      feed: "questions", count: 230, key: "question_id", id: { "\(9000 - $0)" }, callsMax: 4
    ) { call in
      let (page, size) = (call.number("page", or: 1), min(100, call.number("pagesize", or: 30)))
      let times = (0..<230).map { 1_700_000_000 - $0 / 3 * 60 }
      let first = times.firstIndex { $0 <= call.number("todate", or: .max) } ?? 230
      let from = min(230, first + (page - 1) * size)
      let ranks = from..<min(230, from + size)
      return Self.page(
        ranks.map { #"{"question_id":\#(9000 - $0),"creation_date":\#(times[$0])}"# }
      ) {
        #"{"items":\#($0),"has_more":\#(ranks.upperBound < 230),"quota_max":300,"#
          + #""quota_remaining":\#(290 - call.number)\#(backoff)}"#
      }
    }
  }
}
