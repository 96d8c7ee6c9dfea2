import Foundation
import Testing

/// A client of Qiita's API v2, written from its documentation alone: `page` and `per_page`, pages
/// by `Link` (RFC 5988), `Total-Count`, `Rate-…`, errors with `message` and `type`. It knows
/// nothing of any server but its host.
struct DocumentedClient {
  let client: Client

  /// A client of the server at a port of this machine.
  init(port: Int) {
    client = Client(port: port)
  }

  struct Failure: Error, Decodable, Equatable {
    var message: String
    var type: String
  }

  struct Answer {
    var body: [UInt8]
    var elements: [[String: Any]]
    var totalCount: Int?
    var rateLimit: Int?
    var rateRemaining: Int?
    var rateReset: Date?
    /// URLs by their relation.
    var links: [String: String]

    /// The elements' identities.
    var ids: [String] {
      elements.compactMap { ($0["id"] ?? ($0["user"] as? [String: Any])?["id"]) as? String }
    }
  }

  /// `GET /api/v2/<path>`; an error as Qiita describes it is thrown.
  func get(_ path: String) throws -> Answer {
    try get(url: "http://localhost/api/v2/\(path)")
  }

  /// Asks for a URL of the API, as it stands in `Link`.
  func get(url: String) throws -> Answer {
    let parts = try #require(URLComponents(string: url))
    let target = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    let reply = try client.get(target, ["Accept: application/json"])
    let data = Data(reply.body)
    guard reply.status == 200 else {
      throw try JSONDecoder().decode(Failure.self, from: data)
    }
    let json = try JSONSerialization.jsonObject(with: data)
    func number(_ name: String) -> Int? { reply[name].flatMap { Int($0) } }
    return Answer(
      body: reply.body,
      elements: json as? [[String: Any]] ?? (json as? [String: Any]).map { [$0] } ?? [],
      totalCount: number("Total-Count"), rateLimit: number("Rate-Limit"),
      rateRemaining: number("Rate-Remaining"),
      rateReset: number("Rate-Reset").map { Date(timeIntervalSince1970: Double($0)) },
      links: DocumentedClient.links(reply["Link"] ?? ""))
  }

  /// All pages from one on, each by the `next` of the one before.
  func pages(_ path: String, most: Int = 1_000, between: () -> Void = {}) throws -> [Answer] {
    var pages = [try get(path)]
    while let next = pages.last?.links["next"], pages.count < most {
      between()
      pages.append(try get(url: next))
    }
    return pages
  }

  private static func links(_ field: String) -> [String: String] {
    var links: [String: String] = [:]
    for link in field.components(separatedBy: ",") {
      let parts = link.components(separatedBy: ";").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard let url = parts.first, url.hasPrefix("<"), url.hasSuffix(">") else { continue }
      for parameter in parts.dropFirst() where parameter.hasPrefix("rel=\"") {
        links[String(parameter.dropFirst(5).dropLast())] = String(url.dropFirst().dropLast())
      }
    }
    return links
  }
}
