import Feed
import Support
import Synchronization
import Testing

@testable import PostgreSQLStore

/// Whether a server is notified of what others write, and whether it knows that it is not.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .serialized)
struct ListenerTests {
  private enum Event: Equatable {
    case reported(Listener.Hearing)
    case notified(Set<String>)
  }

  private let server: RunningPostgreSQL
  private let url: String
  private let ledger: PostgreSQLLedger

  init() throws {
    let database = try ownDatabase()
    (server, url, ledger) = (
      database.server, database.server.directURL(of: database.url), database.ledger
    )
    try ledger.prepare()
  }

  /// The first events of a listener at a URL. `then` is done after the first.
  private func events(
    _ count: Int, at url: String, then: () throws -> Void = {}
  ) async throws -> [Event] {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    let listener = Listener(
      url: url, server: "One-1", of: ledger, Listener.Times(trial: 500),
      report: { continuation.yield(.reported($0)) },
      notify: { continuation.yield(.notified($0)) })
    listener.start()
    defer { listener.stop() }
    var events: [Event] = []
    for await event in stream {
      events.append(event)
      if events.count == 1 { try then() }
      if events.count == count { break }
    }
    return events
  }

  @Test func aDirectConnectionHearsWhatAnotherWrites() async throws {
    let heard = try await events(2, at: url) {
      for text in ["mine One-1", "s other"] {
        _ = try server.query("SELECT pg_notify('tsugi', '\(text)')", in: url)
      }
    }
    #expect(heard == [.notified([]), .notified(["s"])])
  }

  /// `LISTEN` there succeeds, and what is written here is never notified there.
  @Test func aConnectionThatLosesNotificationsIsFoundOut() async throws {
    let elsewhere = server.directURL(of: try server.newDatabase())
    #expect(try await events(1, at: elsewhere) == [.reported(.lost)])
  }

  @Test(.enabled(if: RunningPooler.isThere, "pgbouncer is not installed"))
  func aPoolerInTransactionModeLosesNotifications() async throws {
    let pooler = try RunningPooler(before: server.port)
    defer { pooler.stop() }
    #expect(try await events(1, at: pooler.url(of: url)) == [.reported(.lost)])
  }
}
