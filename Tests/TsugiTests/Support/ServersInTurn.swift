import Foundation
import Glibc
import JSONBytes
import Support
import Testing

/// The servers, what they share, and the upstream they ask.
struct ServersInTurn {
  let upstream: RunningCommand
  let base: String
  let database: RunningPostgreSQL
  let url: String
  private let store: String
  var servers: [RunningCommand] = []
  var ports: [Int] = []

  /// Servers that reach the database by the way that `store` makes of its URL; over a database
  /// server of their own unless one is given.
  init(
    _ count: Int = 3, items: Int = 600, drift: String = "insert=0.3,delete=0.1",
    on database: RunningPostgreSQL? = nil, store: (String) -> String = { "\"url\": \"\($0)\"" }
  ) async throws {
    self.database = try database ?? RunningPostgreSQL.start()
    url = try self.database.newDatabase()
    self.store = store(url)
    upstream = try RunningCommand([
      "simulate", "--port", "0", "--items", "\(items)", "--drift", drift, "--budget", "1000",
    ])
    base = try #require(await upstream.servedAddress())
    for _ in 0..<count { try await begin() }
  }

  /// Starts one more.
  mutating func begin() async throws {
    let configuration = """
      {"server": {"port": 0}, "store": {\(store)},
       "sources": {"qiita": {"kind": "qiita", "baseURL": "\(base)"}}}
      """
    let server = try RunningCommand(
      ["serve", "--config", "config.json"], files: ["config.json": configuration])
    ports.append(try await port(of: server))
    servers.append(server)
  }

  /// Kills one, and starts another.
  mutating func restart(_ index: Int) async throws {
    servers.remove(at: index).signal(SIGKILL)
    ports.remove(at: index)
    try await begin()
  }

  /// The body of an answer of one of the servers; nil where its status is not 200.
  func body(of target: String, from port: Int) throws -> JSONTree? {
    let answer = try exchange(
      "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port)
    let text = String(decoding: answer, as: UTF8.self)
    guard text.hasPrefix("HTTP/1.1 200"), let head = text.range(of: "\r\n\r\n") else {
      return nil
    }
    return try JSONTree(json: Array(text[head.upperBound...].utf8))
  }

  /// The identities that a walk is given that asks another server for each slice.
  func walk(limit: Int, from first: Int) throws -> [String] {
    var (ids, target, number): ([String], String?, Int) = (
      [], "/v1/qiita/items?limit=\(limit)&fields=id&wait=20000", first
    )
    var failures = 0
    while let next = target {
      number += 1
      guard let body = try body(of: next, from: ports[number % ports.count]) else {
        failures += 1
        try #require(failures < 200, "\(next)")
        usleep(100_000)
        continue
      }
      guard case .array(let items) = body["items"] else { break }
      ids += items.compactMap { $0["id"]?.scalar }
      target = body["next"]?.scalar
    }
    return ids
  }

  /// The name of the database.
  var name: String { RunningPostgreSQL.name(of: url) }

  func query(_ sql: String) throws -> String { try database.query(sql, in: url) }
}
