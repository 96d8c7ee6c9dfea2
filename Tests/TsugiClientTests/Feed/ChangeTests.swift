import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

struct ChangeTests {
  private let transport = ScriptedTransport()

  private func page(_ reply: TransportReply) async throws -> FeedChangePage<Post> {
    transport.next(reply)
    let feed = try FeedClient.scripted(transport).feed("qiita/items", of: Post.self)
    return try await feed.changes(since: SequenceNumber(rawValue: "e.1"))
  }

  private static func changes(_ changes: String..., hasMore: Bool = false) -> TransportReply {
    .json(
      """
      {"changes":[\(changes.joined(separator: ","))],"nextSince":"e.9","next":null,
      "hasMore":\(hasMore)}
      """)
  }

  @Test func readsEveryOperation() async throws {
    let page = try await page(
      Self.changes(
        #"{"op":"upsert","seq":"e.2","cursor":"c","item":{"id":"a","title":"A"}}"#,
        #"{"op":"remove","seq":"e.3","id":"b"}"#, #"{"op":"delete","seq":"e.4","id":"c"}"#,
        #"{"op":"reset"}"#, hasMore: true))
    #expect(page.changes.map(\.operation) == [.upsert, .remove, .delete, .reset])
    #expect(page.changes.map(\.id) == ["a", "b", "c", nil])
    #expect(page.changes[0].item == Post(id: "a", title: "A"))
    #expect(page.changes[0].cursor == FeedCursor(rawValue: "c"))
    #expect(page.changes[1].seq == SequenceNumber(rawValue: "e.3"))
    #expect(page.nextSince == SequenceNumber(rawValue: "e.9"))
    #expect(page.hasMore)
  }

  /// Events tell of a like who likes, and no more than that.
  @Test func readsTheIdentityOfALikeThatCannotBeDecoded() throws {
    struct Like: Decodable, Identifiable, Sendable {
      var user: QiitaUser
      var createdAt: Date
      var id: String { user.id }
    }
    let json = #"{"op":"upsert","seq":"e.2","cursor":"c","item":{"user":{"id":"qiitan"}}}"#
    let change = try FeedClient.decoder().decode(FeedChange<Like>.self, from: Data(json.utf8))
    #expect(change.id == "qiitan" && change.item == nil)
  }

  /// An item whose id is a number is told of by a text once it left.
  @Test(arguments: [#""7""#, "7"], ["remove", "delete"])
  func readsAnIdThatIsANumber(id: String, operation: String) throws {
    struct Numbered: Decodable, Identifiable, Sendable { var id: Int }
    let json = #"{"op":"\#(operation)","seq":"e.2","id":\#(id)}"#
    let change = try FeedClient.decoder().decode(FeedChange<Numbered>.self, from: Data(json.utf8))
    #expect(change.id == 7 && change.operation.rawValue == operation)
  }

  @Test(arguments: [#""seven""#, "null", "{}"])
  func beginsAgainWhereItCannotBeReadWhoLeft(id: String) throws {
    struct Numbered: Decodable, Identifiable, Sendable { var id: Int }
    let json = #"{"op":"remove","seq":"e.2","id":\#(id)}"#
    let change = try FeedClient.decoder().decode(FeedChange<Numbered>.self, from: Data(json.utf8))
    #expect(change.id == nil && change.operation == .reset)
    #expect(change.seq == SequenceNumber(rawValue: "e.2"))
  }

  @Test func asksForWhatTheFeedIsAbout() async throws {
    transport.next(Self.changes())
    let feed = try FeedClient.scripted(transport).feed(
      "qiita/items", of: Post.self, query: "a b", fields: ["title"])
    _ = try await feed.changes(since: SequenceNumber(rawValue: "e.1"), limit: 50)
    #expect(
      transport.requests.last?.url.absoluteString == "https://api.example/tsugi/v1/"
        + "qiita/items:changes?limit=50&query=a%20b&fields=title&since=e.1")
  }

  @Test func tellsTheIdOfAnItemThatCannotBeDecoded() async throws {
    let page = try await page(
      Self.changes(#"{"op":"upsert","seq":"e.2","item":{"id":"a","title":7}}"#))
    #expect(page.changes.map(\.id) == ["a"])
    #expect(page.changes[0].item == nil)
  }

  @Test func passesOverWhatItDoesNotKnow() async throws {
    let page = try await page(
      Self.changes(#"{"op":"shuffle","seq":"e.2"}"#, #"{"op":"remove","seq":"e.3","id":"b"}"#))
    #expect(page.changes.map(\.id) == ["b"])
    #expect(page.undecodable.map(\.index) == [0])
  }

  @Test func refusesANumberThatStandsStill() async throws {
    transport.next(.json(#"{"changes":[],"nextSince":"e.1","hasMore":true}"#))
    let feed = try FeedClient.scripted(transport).feed("qiita/items", of: Post.self)
    await #expect(throws: TsugiError.standstill) {
      _ = try await feed.changes(since: SequenceNumber(rawValue: "e.1"))
    }
  }

  @Test(arguments: [
    ("e.2", "e.1", true), ("e.10", "e.9", true), ("e.1", "e.1", false), ("e.1", "e.2", false),
    ("f.2", "e.1", false), ("2", "1", false), ("e.x", "e.1", false),
  ])
  func comparesNumbersOfOneStore(left: String, right: String, isAfter: Bool) {
    let (left, right) = (SequenceNumber(rawValue: left), SequenceNumber(rawValue: right))
    #expect(left.isAfter(right) == isAfter)
  }
}
