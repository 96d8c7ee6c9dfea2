import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

struct SliceTests {
  @Test(
    arguments: [
      ("2026-11-21T00:00:00Z", 0), ("2026-11-21T00:00:00.5Z", 0.5), ("2026-11-21t00:00:01z", 1),
      ("2026-11-21T09:00:00+09:00", 0), ("2026-11-20T23:59:59-00:00", -1),
      ("2026-11-21T00:00:00.123456789Z", 0.123), ("2024-02-29T00:00:00Z", -86_054_400),
      ("2026-02-29T00:00:00Z", nil), ("2026-02-30T00:00:00Z", nil),
      ("2026-13-01T00:00:00Z", nil), ("2026-11-21T00:00:00Zjunk", nil),
      ("2026-11-21", nil), ("2026-11-21T00:00:00", nil), ("20261121T000000Z", nil), ("", nil),
    ] as [(String, Double?)])
  func readsTimes(text: String, seconds: Double?) throws {
    let midnight = try #require(Date(rfc3339: "2026-11-21T00:00:00Z"))
    #expect(midnight.timeIntervalSince1970 == 1_795_219_200)
    let date = Date(rfc3339: text)
    guard let seconds, let date else {
      #expect((date == nil) == (seconds == nil))
      return
    }
    #expect(abs(date.timeIntervalSince(midnight) - seconds) < 0.001)
  }

  private func slice<Item: Decodable & Sendable>(_ reply: TransportReply) throws -> FeedSlice<Item>
  {
    try FeedSlice<Item>(reply.body, decoder: FeedClient.decoder())
  }

  @Test func readsWhatTheServerWrites() throws {
    let slice: FeedSlice<Post> = try slice(
      .json(
        """
        {"items":[{"id":"a","title":"A"}],"limit":1,"hasMore":true,"hasPrevious":true,
        "startCursor":"s","endCursor":"e","next":"/v1/qiita/items?limit=1&startAfter=e",
        "previous":null,"endReason":null,
        "gap":{"id":"g","skip":"/v1/qiita/items?limit=1&startAfter=k%20l&endBefore=z"},
        "seq":"k3f9.57","total":{"value":680484,"asOf":"2026-11-21T00:00:00Z"},
        "freshness":{"state":"stale","checkedAt":"2026-11-21T00:00:00Z",
        "provenAt":"2026-11-20T23:58:10Z"},"novelty":[1]}
        """))
    #expect(slice.items == [Post(id: "a", title: "A")])
    #expect(slice.limit == 1 && slice.hasMore && slice.hasPrevious)
    #expect(slice.startCursor == FeedCursor(rawValue: "s"))
    #expect(slice.endCursor == FeedCursor(rawValue: "e"))
    #expect(slice.endReason == nil)
    #expect(slice.gap?.id == "g")
    let place = FeedPosition.cursor(FeedCursor(rawValue: "k l"))
    let end = FeedPosition.cursor(FeedCursor(rawValue: "z"))
    #expect(slice.gap?.skip == SliceRequest(start: .after(place), end: .before(end)))
    #expect(slice.seq.rawValue == "k3f9.57")
    #expect(slice.total?.value == 680_484)
    #expect(slice.freshness.checkedAt == Date(timeIntervalSince1970: 1_795_219_200))
    #expect(slice.freshness.provenAt == Date(timeIntervalSince1970: 1_795_219_090))
    #expect(!slice.freshness.isFresh)
  }

  @Test(arguments: [(#""omitted":2,"#, 2), ("", 0)])
  func tellsWhatItsRangeLacks(member: String, omitted: Int) throws {
    let slice: FeedSlice<Post> = try slice(
      .json(
        """
        {"items":[],"limit":1,"hasMore":false,"hasPrevious":false,"startCursor":null,
        "endCursor":null,"next":null,"previous":null,"endReason":"end","gap":null,"seq":"k.1",
        \(member)"total":null,"freshness":{"state":"fresh","checkedAt":"2026-11-21T00:00:00Z",
        "provenAt":"2026-11-20T23:58:10Z"}}
        """))
    #expect(slice.omitted == omitted)
  }

  /// Foundation refuses the text, not the reply.
  @Test func aLoneSurrogateCostsItsItemOnly() throws {
    let items = [Post.json("a"), #"{"id":"b","title":"cut \ud83d"}"#, Post.json("c")]
    let slice: FeedSlice<Post> = try slice(.slice(of: items, hasMore: false))
    #expect(slice.items.map(\.id) == ["a", "c"])
    #expect(slice.undecodable.map(\.id) == ["b"])
  }

  @Test func tellsItsEndReason() throws {
    let slice: FeedSlice<Post> = try slice(
      .slice(of: [], hasMore: false, endReason: "upstreamLimit"))
    #expect(slice.endReason == .upstreamLimit)
  }

  @Test func keepsTheGoodItemsBesideBadOnes() throws {
    let items = [Post.json("a"), #"{"id":7,"title":"b"}"#, #"{"id":"c","title":{}}"#, "null"]
    let slice: FeedSlice<Post> = try slice(.slice(of: items + [Post.json("e")], hasMore: true))
    #expect(slice.items.map(\.id) == ["a", "e"])
    #expect(slice.undecodable.map(\.index) == [1, 2, 3])
    #expect(slice.undecodable.map(\.id) == ["7", "c", nil])
    #expect(slice.undecodable[1].reason == "items.2.title is not String")
  }

  @Test func readsDatesAsTheDecoderIsTold() throws {
    struct Dated: Decodable, Sendable { var at: Date }
    let slice: FeedSlice<Dated> = try slice(
      .slice(
        of: [
          #"{"at":"2025-12-09T15:24:45+09:00"}"#, #"{"at":"2025-12-09T06:24:45.250Z"}"#,
          #"{"at":"yesterday"}"#,
        ], hasMore: false))
    #expect(slice.items.map(\.at.timeIntervalSince1970) == [1_765_261_485, 1_765_261_485.25])
    #expect(slice.undecodable.count == 1)
  }

  @Test func readsSnakeCaseWhereTheAppAsksForIt() throws {
    struct Cased: Decodable, Sendable { var likesCount: Int }
    let decoder = FeedClient.decoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let reply = TransportReply.slice(of: [#"{"likes_count":3}"#], hasMore: false)
    #expect(try FeedSlice<Cased>(reply.body, decoder: decoder).items.map(\.likesCount) == [3])
  }

  @Test func refusesItemsWithoutAPlace() {
    let text =
      #"{"items":[{"id":"a"}],"limit":1,"hasMore":false,"hasPrevious":false,"seq":"e.1","#
      + #""freshness":{"state":"fresh","checkedAt":"","provenAt":""}}"#
    let error = #expect(throws: TsugiError.self) { () -> Void in
      let _: FeedSlice<Post> = try slice(.json(text))
    }
    #expect(
      error == .decoding(DecodingFailure(path: "endCursor", reason: "is null beside items")))
  }

  @Test(arguments: ["", "[]", "<html>", #"{"items":[]}"#])
  func callsWhatIsNoSliceUndecodable(text: String) {
    let error = #expect(throws: TsugiError.self) { () -> Void in
      let _: FeedSlice<Post> = try slice(.json(text))
    }
    guard case .decoding = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
