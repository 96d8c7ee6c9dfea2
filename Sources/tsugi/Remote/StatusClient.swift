import Bytes
import Feed
import JSONBytes
import Upstream

/// Asks a running server how it stands, by its public JSON and its metrics.
struct StatusClient {
  /// The most feeds that are listed.
  static let feedsMax = 1_000

  /// Where it is, without a slash at the end.
  let base: String
  let key: Secret?
  let client: UpstreamClient

  /// How it stands.
  ///
  /// - Throws: `.noAnswer`, `.refused` or `.notATsugi`.
  func status() async throws(CommandError) -> ServerStatus {
    let index = try await json("/v1")
    guard let sources = index["sources"]?.members else { throw .notATsugi }
    let metrics = MetricLines(String(decoding: try await reply("/metrics").body, as: UTF8.self))
    var status = ServerStatus()
    status.servers = max(1, metrics.sum("tsugi_replicas"))
    status.bytes = metrics.sum("tsugi_store_bytes")
    for line in metrics.values(of: "tsugi_upstream_budget_remaining") {
      let source = line.labels["source"] ?? ""
      let calls = { (labels: [String: String]) in labels["source"] == source }
      let named = line.labels["budget"]
      status.sources.append(
        ServerStatus.Source(
          name: named.map { "\(source) \($0)" } ?? source, left: line.count,
          calls: named == nil ? metrics.sum("tsugi_upstream_calls_total", where: calls) : nil,
          failed: named == nil
            ? metrics.sum("tsugi_upstream_calls_total") {
              calls($0) && !["ok", "unchanged"].contains($0["outcome"])
            } : nil))
    }
    let tellsAll = index["explorer"] == .text("all")
    for source in sources {
      status.feeds +=
        tellsAll
        ? try await storedFeeds(of: source.name)
        : try await plainFeeds(of: source.name, source.value)
    }
    return status
  }

  /// The stored feeds of a source, as its operator sees them.
  private func storedFeeds(of source: String) async throws(CommandError) -> [ServerStatus.Feed] {
    var feeds: [ServerStatus.Feed] = []
    var next: String? = "/v1/\(source):feeds?limit=100"
    while let place = next, feeds.count < StatusClient.feedsMax {
      let body = try await json(place)
      guard case .array(let rows) = body["feeds"] else { throw .notATsugi }
      feeds += rows.map { feed in
        ServerStatus.Feed(
          name: feed["feed"]?.scalar ?? "", items: feed.number("items"), gaps: feed.number("gaps"),
          checkedAt: feed["checkedAt"]?.scalar)
      }
      next = body["next"]?.scalar
    }
    return feeds
  }

  /// The feeds of a source that its patterns name, without a variable; one that was never read has
  /// no items.
  private func plainFeeds(
    of source: String, _ value: JSONTree
  ) async throws(CommandError) -> [ServerStatus.Feed] {
    guard case .array(let patterns) = value["feeds"] else { return [] }
    var feeds: [ServerStatus.Feed] = []
    for case let path? in patterns.map({ $0["pattern"]?.scalar }) where !path.contains(":") {
      let name = "\(source)/\(path)"
      let body: JSONTree
      do throws(CommandError) {
        body = try await json("/v1/\(name):status")
      } catch {
        // A feed that only the owner may read, or that needs a parameter.
        if case .refused(let status, _, _) = error, 400...404 ~= status, status != 401 { continue }
        throw error
      }
      var gaps = 0
      if case .array(let all) = body["gaps"] { gaps = all.count }
      feeds.append(
        ServerStatus.Feed(
          name: name, items: body.number("items"), gaps: gaps,
          checkedAt: body["freshness"]?["checkedAt"]?.scalar))
    }
    return feeds
  }

  private func json(_ path: String) async throws(CommandError) -> JSONTree {
    let reply = try await reply(path)
    do throws(JSONError) {
      return try JSONTree(json: reply.body)
    } catch {
      throw .notATsugi
    }
  }

  private func reply(_ path: String) async throws(CommandError) -> Reply {
    let reply: Reply
    do throws(FetchError) {
      reply = try await client.reply(from: base + path, key: key)
    } catch {
      throw .noAnswer(error)
    }
    guard reply.status == 200 else { throw .refused(reply) }
    return reply
  }
}

extension JSONTree {
  /// The whole number of a member; 0 where there is none.
  fileprivate func number(_ name: String) -> Int { self[name]?.scalar.flatMap { Int($0) } ?? 0 }
}
