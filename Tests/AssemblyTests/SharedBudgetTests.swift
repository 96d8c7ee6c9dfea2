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
  /// An API whose every path is a list. It bears some calls and says how many are left, or any
  /// number and says nothing.
  private static func upstream(bearing limit: Int?) throws -> CountedUpstream {
    try CountedUpstream { _, call in
      let left = (limit ?? .max) - call
      var fields = Fields()
      fields.append(named: "content-type", "application/json")
      if let limit {
        fields.append(named: "x-left", "\(max(0, left))")
        fields.append(named: "x-limit", "\(limit)")
        fields.append(named: "x-reset", "3000")
      }
      return Response(
        status: left < 0 ? 429 : 200, fields: fields, body: Array(#"[{"id":"a"},{"id":"b"}]"#.utf8))
    }
  }

  /// Three servers of one source.
  private static func servers(
    of upstream: CountedUpstream, rate: String
  ) async throws -> SharedServers {
    try await SharedServers(
      3,
      of: """
        "baseURL":"http://127.0.0.1:\(upstream.port)","newFeedShare":1,"reserveCalls":0,
        "rate":{\(rate)},"feeds":{":name/items":{"order":"whole"}}
        """)
  }

  @Test func noCallIsMadeBeyondTheBudgetAndAllTellWhatIsLeft() async throws {
    let upstream = try SharedBudgetTests.upstream(bearing: 9)
    let servers = try await SharedBudgetTests.servers(
      of: upstream,
      rate: #""limit":"header:X-Limit","remaining":"header:X-Left","reset":"header:X-Reset""#)
    let ports = servers.ports
    await withTaskGroup(of: Void.self) { group in
      for request in 0..<200 {
        group.addTask {
          _ = try? Asked("/v1/s/f\(request % 25)/items?wait=500", at: ports[request % 3])
        }
      }
    }
    // One that is under way may count twice until it ends.
    #expect((8...9).contains(upstream.times.count))
    let readers = servers.nodes.compactMap { $0.sources.first?.reader }
    let left = { Set(readers.map(\.callsLeft.remaining)) }
    let deadline = ContinuousClock.now + .seconds(10)
    while left() != [0], ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(left() == [0])
    try await servers.stop()
    await upstream.stop()
  }

  /// What a client may open it may open at all servers together.
  @Test func aClientOpensAsManyAtAllAsAtOne() async throws {
    let upstream = try SharedBudgetTests.upstream(bearing: nil)
    let servers = try await SharedServers(
      2,
      of: """
        "baseURL":"http://127.0.0.1:\(upstream.port)","newFeedShare":1,"reserveCalls":0,
        "rate":{"calls":1000,"seconds":60},"feeds":{":name/items":{"order":"whole"}}
        """, newFeedsPerMinute: 3)
    let statuses = try [0, 1, 0, 1, 0].enumerated().map { number, server in
      try Asked("/v1/s/f\(number)/items", at: servers.ports[server]).status
    }
    #expect(statuses == [200, 200, 200, 429, 429])
    // What is stored is no opening.
    #expect(try Asked("/v1/s/f0/items", at: servers.ports[1]).status == 200)
    try await servers.stop()
    await upstream.stop()
  }

  /// By the upstream's own clock, whatever the servers' clocks differ by.
  @Test func aDeclaredRateIsKeptByAllTogether() async throws {
    let upstream = try SharedBudgetTests.upstream(bearing: nil)
    let servers = try await SharedBudgetTests.servers(
      of: upstream, rate: #""calls":20,"seconds":1"#)
    let ports = servers.ports
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<12 {
        group.addTask {
          for request in 0..<6 {
            _ = try? Asked("/v1/s/f\(task)x\(request)/items?wait=1500", at: ports[task % 3])
          }
        }
      }
    }
    let times = upstream.times
    let most = times.indices.map { index in
      times[index...].prefix { $0 < times[index] + .seconds(1) }.count
    }.max()
    #expect((most ?? 0) <= 20 && times.count > 20)
    try await servers.stop()
    await upstream.stop()
  }
}
