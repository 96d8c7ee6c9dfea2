import Feed
import Foundation
import HTTP
import Logging
import Proxy
import SQLiteStore
import Settings
import Support
import Synchronization
import Testing

@testable import Assembly

/// Several servers in one process, on one PostgreSQL, with one budget.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct SharedBudgetTests {
  /// An API whose every path is a list, that bears some calls and tells how many are left.
  private final class Upstream: Sendable {
    let port: Int
    private let server: Server
    private let counted: Counted

    private final class Counted: Sendable { let calls = Atomic(0) }

    /// How many calls it was asked for.
    var calls: Int { counted.calls.load(ordering: .relaxed) }

    init(bearing limit: Int) throws {
      let counted = Counted()
      self.counted = counted
      server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
        _, responder in
        let left = limit - counted.calls.add(1, ordering: .relaxed).newValue
        var fields = Fields()
        fields.append(named: "content-type", "application/json")
        fields.append(named: "x-left", "\(max(0, left))")
        fields.append(named: "x-limit", "\(limit)")
        fields.append(named: "x-reset", "3000")
        responder.send(
          Response(
            status: left < 0 ? 429 : 200, fields: fields,
            body: Array(#"[{"id":"a"},{"id":"b"}]"#.utf8)))
      }
      port = try server.start().port
    }

    func stop() async { await server.stop(drain: .zero) }
  }

  private func node(_ number: Int, _ upstream: Upstream, in folder: String, sharing url: String)
    async throws -> Node
  {
    let json = """
      {"server":{"port":0,"newFeedsPerMinute":0},
      "store":{"path":"\(folder)/\(number).sqlite","url":"\(url)"},
      "sources":{"s":{"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
      "newFeedShare":1,"reserveCalls":0,
      "rate":{"limit":"header:X-Limit","remaining":"header:X-Left","reset":"header:X-Reset"},
      "feeds":{":name/items":{"order":"whole"}}}}}
      """
    var options = NodeOptions(
      version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    options.durability = .processOnly
    return try await Node(try Configuration.read(Array(json.utf8)), options)
  }

  @Test func noCallIsMadeBeyondTheBudgetAndAllTellWhatIsLeft() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tsugi-budget-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let url = try #require(RunningPostgreSQL.shared).newDatabase()
    let upstream = try Upstream(bearing: 9)
    var nodes: [Node] = []
    var ports: [Int] = []
    for number in 0..<3 {
      let node = try await node(number, upstream, in: folder, sharing: url)
      ports.append(try await node.start().port)
      nodes.append(node)
    }
    await withTaskGroup(of: Void.self) { [ports] group in
      for request in 0..<200 {
        group.addTask {
          _ = try? Asked("/v1/s/f\(request % 25)/items?wait=500", at: ports[request % 3])
        }
      }
    }
    // One that is under way may count twice until it ends.
    #expect((8...9).contains(upstream.calls))
    let readers = nodes.compactMap { $0.sources.first?.reader }
    let left = { Set(readers.map(\.callsLeft.remaining)) }
    let deadline = ContinuousClock.now + .seconds(10)
    while left() != [0], ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(left() == [0])
    for node in nodes { await node.drain() }
    await upstream.stop()
    try FileManager.default.removeItem(atPath: folder)
  }
}
