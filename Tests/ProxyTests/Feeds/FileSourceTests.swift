import Feed
import Foundation
import JSONBytes
import Support
import Testing
import Upstream
import Wire

@testable import Proxy

/// A file as a source: `/v1/fruits/items`.
@Suite(.serialized) struct FileSourceTests {
  private static let target = "/v1/fruits/items"

  /// A file with elements of these numbers, as an array or a line each.
  private func file(_ ids: some Sequence<Int>, lines: Bool = false) -> String {
    let elements = ids.map { "{\"id\":\($0),\"name\":\"n\($0)\",\"price\":\($0 * 100)}" }
    return lines
      ? elements.joined(separator: "\n") : "[\n \(elements.joined(separator: ",\n ")) ]\n"
  }

  private func ids(_ slice: SliceReply) throws -> [Int] {
    try slice.items.map { item in
      let range = try #require(try JSON.member("id", of: item[...]))
      return Int(try JSON.wholeNumber(item[range]))
    }
  }

  private func slice(_ stand: FileStand, _ query: String = "") throws -> SliceReply {
    let reply = try stand.client.get(Self.target + query)
    guard reply.status == 200 else {
      throw Client.WalkFailure(target: query, reply: reply)
    }
    return try SliceReply(numbered: reply.body)
  }

  /// A file of 250 elements with another identity, in disorder, by a time with ties.
  @Test func isServedByItsOwnIdentityAndKey() async throws {
    let numbers = (0..<250).map { $0 * 7 % 250 }
    func file(_ numbers: some Sequence<Int>) -> String {
      numbers.map { #"{"key":"k\#(1000 + $0)","at":\#(1_700_000_000 + $0 / 3)}"# }
        .joined(separator: "\n")
    }
    let sorted = numbers.sorted(by: >).map { "k\(1000 + $0)" }
    let stand = try await FileStand(file(numbers)) { list in
      list.id = FieldPath(key: "key")
      list.order = .falling(FieldPath(key: "at"))
      list.time = .seconds
    }
    try await FileStand.run(stand) { stand in
      func walk() throws -> [String] {
        var keys: [String] = []
        var target: String? = Self.target + "?limit=100"
        while let place = target {
          let reply = try stand.client.get(place)
          let slice = try SliceReply(numbered: reply.body)
          for item in slice.items {
            let range = try #require(try JSON.member("key", of: item[...]))
            keys.append(String(decoding: try JSON.text(item[range]), as: UTF8.self))
          }
          #expect(slice.envelope.proof == "value")
          target = slice.envelope.next
        }
        return keys
      }
      #expect(try walk() == sorted)
      let middle = try stand.client.get(Self.target + "?limit=1&startAt=at:2023-11-14T22:13:40Z")
      #expect(String(decoding: middle.body, as: UTF8.self).contains("\"at\":1700000020"))
      let one = try stand.client.get("/v1/fruits/items/k1007")
      #expect(String(decoding: one.body, as: UTF8.self) == #"{"key":"k1007","at":1700000002}"#)
      // One more at the top, and one away: the feed follows.
      try stand.write(file(numbers.filter { $0 != 100 } + [300]))
      let after = try stand.client.get(Self.target + "?limit=1&refresh=true")
      #expect(String(decoding: after.body, as: UTF8.self).contains("k1300"))
    }
  }

  @Test(arguments: [(0, 5), (1, 5), (5, 5), (17, 5), (20, 5), (17, 1), (17, 100), (250, 100)])
  func hasMoreIsExact(count: Int, limit: Int) async throws {
    for lines in [false, true] where count > 0 || !lines {
      try await FileStand.run(FileStand(file(1..<count + 1, lines: lines))) { stand in
        var seen: [Int] = []
        var target: String? = "?limit=\(limit)"
        while let query = target {
          let slice = try slice(stand, query)
          seen += try ids(slice)
          #expect(slice.envelope.hasMore == (seen.count < count))
          #expect(slice.envelope.endReason == (seen.count < count ? nil : "end"))
          #expect(slice.items.count == min(limit, count - seen.count + slice.items.count))
          #expect(slice.envelope.total?.value == count)
          target = slice.envelope.next.map { String($0.dropFirst(Self.target.count)) }
        }
        #expect(seen == Array(1..<count + 1))
      }
    }
  }

  @Test func positionsCutItInEveryForm() async throws {
    try await FileStand.run(FileStand(file(1...17))) { stand in
      let cursor = try #require(try slice(stand, "?limit=5").envelope.endCursor)
      for position in [cursor, "id:5"] {
        for (query, expected) in [
          ("startAfter=\(position)&limit=5", 6...10), ("startAt=\(position)&limit=3", 5...7),
          ("endBefore=\(position)", 1...4), ("endAt=\(position)", 1...5),
          ("endBefore=\(position)&limit=2&limitToLast=true", 3...4),
          ("startAt=id:2&endAt=\(position)&limit=2&limitToLast=true", 4...5),
          ("startAfter=\(position)&limit=100", 6...17),
        ] {
          #expect(try ids(slice(stand, "?\(query)")) == Array(expected), "\(query)")
        }
      }
      let last = try slice(stand, "?startAfter=id:15&limit=5")
      let previous = try #require(last.envelope.previous)
      #expect(
        try ids(slice(stand, String(previous.dropFirst(Self.target.count)))) == Array(11...15))
      let cut = try slice(stand, "?limit=2&fields=name")
      #expect(
        cut.items == [#"{"id":1,"name":"n1"}"#, #"{"id":2,"name":"n2"}"#].map { Array($0.utf8) })
      let time = try stand.client.get(Self.target + "?startAt=at:2026-01-01T00:00:00Z")
      #expect(try time.problem().code == "invalid_parameter")
      let none = try stand.client.get(Self.target + "?startAfter=id:99")
      #expect(try none.problem().code == "item_not_found")
    }
  }

  @Test func itIsReadAgainWhenItChanges() async throws {
    let clock = HandClock()
    try await FileStand.run(FileStand(file(1...5), time: clock)) { stand in
      #expect(try ids(slice(stand)) == Array(1...5))
      let after3 = try #require(try slice(stand, "?limit=3").envelope.endCursor)
      for change in [[9, 1, 2, 3, 4, 5], [9, 1, 2, 4, 5, 6], [5, 4], [1], [7, 8, 1]] {
        try stand.write(file(change))
        // Within a second it is not even looked at.
        let before = try ids(slice(stand))
        #expect(before != change)
        clock.advance(.seconds(1))
        let now = try slice(stand)
        #expect(try ids(now) == change)
        #expect(now.envelope.freshness.state == "fresh")
      }
      try stand.write(file([1, 2, 3, 4, 5]))
      clock.advance(.seconds(1))
      _ = try slice(stand)
      // The order was another meanwhile.
      let expired = try stand.client.get(Self.target + "?startAfter=\(after3)")
      #expect(expired.status == 410)
      #expect(try expired.problem().code == "cursor_expired")
    }
  }

  @Test func aPriceThatChangesShows() async throws {
    let clock = HandClock()
    try await FileStand.run(FileStand(file(1...5), time: clock)) { stand in
      let first = try stand.client.get(Self.target)
      let names = try stand.client.get(Self.target + "?fields=name")["ETag"]
      try stand.write(file(1...5).replacing("500", with: "550"))
      clock.advance(.seconds(1))
      let second = try stand.client.get(Self.target)
      #expect(second["ETag"] != first["ETag"])
      #expect(String(decoding: second.body, as: UTF8.self).contains("550"))
      let known = try #require(names)
      let again = try stand.client.get(Self.target + "?fields=name", ["If-None-Match: \(known)"])
      #expect(again.status == 304)
      let (before, after) = (
        try SliceReply(numbered: first.body), try SliceReply(numbered: second.body)
      )
      #expect(before.envelope.seq != after.envelope.seq)
    }
  }

  @Test func aBadFileIsRefusedWhileTheOldContentStays() async throws {
    let clock = HandClock()
    try await FileStand.run(FileStand(file(1...5), time: clock)) { stand in
      _ = try slice(stand)
      for (bad, reason) in [
        ("[\n{\"id\":1},\n{\"name\":\"x\"}]", "line 3: no id"),
        ("", "line 1: there is nothing; an empty feed is []"),
        ("{\"id\":1}\n{\"id\":2", "line 2: it ends before its last value does"),
      ] {
        try stand.write(bad)
        clock.advance(.seconds(2))
        for _ in 0..<3 { #expect(try ids(slice(stand)) == Array(1...5)) }
        let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("tsugi_file_refused{source=\"fruits\",reason=\"\(reason)\"} 1\n"))
      }
      try FileManager.default.removeItem(atPath: stand.path)
      clock.advance(.seconds(2))
      #expect(try ids(slice(stand)) == Array(1...5))
      try stand.write(file(1...6))
      clock.advance(.seconds(2))
      #expect(try ids(slice(stand)) == Array(1...6))
      let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
      #expect(!metrics.contains("tsugi_file_refused{"))
    }
  }

  @Test func aFileThatIsBadFromTheBeginningIsNoAnswer() async throws {
    try await FileStand.run(FileStand("nonsense")) { stand in
      let reply = try stand.client.get(Self.target)
      #expect(reply.status == 502)
      #expect(try reply.problem().code == "upstream_bad_response")
      let item = try stand.client.get(Self.target + "/1")
      #expect(item.status == 502)
    }
  }

  @Test func singleItemsAreThereAndGo() async throws {
    let clock = HandClock()
    try await FileStand.run(FileStand(file(1...5), time: clock)) { stand in
      #expect(
        try stand.client.get(Self.target + "/3").body
          == Array(#"{"id":3,"name":"n3","price":300}"#.utf8))
      #expect(try stand.client.get(Self.target + "/9").problem().code == "item_not_found")
      #expect(try ids(slice(stand)) == Array(1...5))
      try stand.write(file([1, 2, 4]))
      clock.advance(.seconds(2))
      #expect(try ids(slice(stand)) == [1, 2, 4])
      let gone = try stand.client.get(Self.target + "/3")
      #expect(gone.status == 410)
      #expect(try gone.problem().code == "item_deleted")
      try stand.write(file([1, 2, 3, 4]))
      clock.advance(.seconds(2))
      #expect(try ids(slice(stand)) == [1, 2, 3, 4])
      #expect(try stand.client.get(Self.target + "/3").status == 200)
    }
  }

  @Test func cursorsAndOrderLiveThroughARestart() async throws {
    let clock = HandClock()
    let first = try await FileStand(file(1...9), time: clock)
    let cursor = try #require(try slice(first, "?limit=4").envelope.endCursor)
    let storePath = await first.stop(keepsStore: true)
    clock.advance(.seconds(1))
    let second = try await FileStand(file([0] + Array(1...9)), time: clock, storePath: storePath)
    try await FileStand.run(second) { stand in
      let rest = try slice(stand, "?startAfter=\(cursor)")
      #expect(try ids(rest) == Array(5...9))
      #expect(try ids(slice(stand)) == Array(0...9))
    }
  }

  @Test func finishedAnswersAreGivenAgainWithinTheSecond() async throws {
    let clock = HandClock()
    try await FileStand.run(FileStand(file(1...5), time: clock)) { stand in
      _ = try slice(stand)
      let whole = try stand.client.get(Self.target)
      for _ in 0..<3 { #expect(try stand.client.hit(Self.target).body == whole.body) }
      let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
      // The second request was one as well, though it was its connection's last.
      #expect(metrics.contains("tsugi_answer_cache_hits_total 4\n"))
      clock.advance(.seconds(1))
      try stand.write(file([2]))
      #expect(try ids(SliceReply(numbered: stand.client.hit(Self.target).body)) == [2])
    }
  }

  @Test func thousandsThatGoAtOnceGoQuickly() async throws {
    let clock = HandClock()
    try await FileStand.run(FileStand(file(1...3_000, lines: true), time: clock)) { stand in
      #expect(try slice(stand).envelope.total?.value == 3_000)
      try stand.write(file(2_991...3_000))
      clock.advance(.seconds(2))
      let reply = try stand.client.get(Self.target + "?wait=30000")
      #expect(try ids(SliceReply(numbered: reply.body)) == Array(2_991...3_000))
      #expect(try stand.client.get(Self.target + "/1").status == 410)
    }
  }

  @Test func qiitasPathsHaveNothingWithoutQiita() async throws {
    try await FileStand.run(FileStand(file(1...5))) { stand in
      let reply = try stand.client.get("/api/v2/items")
      #expect(reply.status == 404)
      #expect(reply["Rate-Limit"] == nil)
    }
  }
}
