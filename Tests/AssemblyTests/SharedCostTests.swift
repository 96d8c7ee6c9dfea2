import HTTP
import Support
import Testing

/// What it costs servers to share: transactions of a real PostgreSQL for each upstream call.
@Suite(
  .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .timeLimit(.minutes(3)))
struct SharedCostTests {
  /// An API whose every path is a list, newest first, that has another element with each call.
  private func growing() throws -> CountedUpstream {
    try CountedUpstream { request, call in
      let list = request.path.split(separator: "/").first ?? ""
      let elements = (0..<10 + call).reversed().map { #"{"id":"\#(list)-\#($0)","n":\#($0)}"# }
      var fields = Fields()
      fields.append(named: "content-type", "application/json")
      return Response(fields: fields, body: Array("[\(elements.joined(separator: ","))]".utf8))
    }
  }

  /// Servers of this API whose feeds are asked for again after a second.
  private func servers(_ count: Int, of upstream: CountedUpstream) async throws -> SharedServers {
    try await SharedServers(
      count,
      of: """
        "baseURL":"http://127.0.0.1:\(upstream.port)","newFeedShare":1,"reserveCalls":0,
        "rate":{"calls":1000,"seconds":60},"freshSeconds":1,"refreshSeconds":1,
        "pages":{"by":"page","at":"p","size":"n","max":100},
        "feeds":{":name/items":{"id":"id","order":"-n","time":"number"}}
        """, isRecorded: true)
  }

  /// The transactions that one call costs beyond what the servers do without any.
  private func cost(
    of upstream: CountedUpstream, _ servers: SharedServers, _ body: () throws -> Void
  ) async throws -> [[String]] {
    let postgreSQL = try #require(RunningPostgreSQL.shared)
    let (before, calls) = (try postgreSQL.transactions(in: servers.url).count, upstream.calls)
    try body()
    // Until each server has beaten, and followed what that told.
    try await Task.sleep(for: .milliseconds(1_700))
    #expect(upstream.calls - calls == 1)
    return try postgreSQL.transactions(in: servers.url).dropFirst(before)
      .filter { !$0.contains { $0.contains("INTO replica") || $0.contains("INTO duty") } }
  }

  /// The server that makes the call, and others to which the feed is new or of no interest.
  @Test(arguments: [1, 3].sample(1))
  func aCallCostsFewTransactions(count: Int) async throws {
    let upstream = try growing()
    let servers = try await servers(count, of: upstream)
    func ask(_ feed: String) throws {
      #expect(try Asked("/v1/s/\(feed)/items?limit=5", at: servers.ports[0]).status == 200)
    }
    _ = try await cost(of: upstream, servers) { try ask("warm") }
    for limit in [4, 3] {
      let made = try await cost(of: upstream, servers) { try ask("a") }
      let pulls = made.count { $0.contains { $0.hasPrefix("SELECT epoch, number, revision") } }
      #expect(made.count - pulls <= limit, "\(made)")
      // A beat in the middle of a call has others look twice.
      #expect(pulls <= 3 * count, "\(made)")
    }
    try await servers.stop()
    await upstream.stop()
  }

  /// What servers do without clients: a beat a second, and at most one more transaction for each.
  @Test func aQuietServerAsksTheDatabaseTwiceASecondAtMost() async throws {
    let upstream = try growing()
    let servers = try await servers(2, of: upstream)
    for port in servers.ports {
      #expect(try Asked("/v1/s/a/items?limit=5", at: port).status == 200)
    }
    let postgreSQL = try #require(RunningPostgreSQL.shared)
    let before = try postgreSQL.transactions(in: servers.url).count
    var made: ArraySlice<[String]> = []
    var beats = 0
    // Each looks once whether it is to evict something.
    while beats < 24 {
      try await Task.sleep(for: .milliseconds(500))
      made = try postgreSQL.transactions(in: servers.url).dropFirst(before)
      beats = made.count { $0.contains { $0.contains("INTO replica") } }
    }
    #expect(made.count <= 2 * beats, "\(made.count) of \(beats) beats")
    try await servers.stop()
    await upstream.stop()
  }
}
