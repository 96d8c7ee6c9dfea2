import Bytes
import Feed
import Simulator
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct SliceTests {
  @Test func positionsCutTheSameFeedInEveryForm() async throws {
    try await Stand.run(try await Stand(smallWorld(200))) { stand in
      let client = stand.client
      let ids = stand.qiita.withQiita { $0.world.ids }
      let all = try client.get("/v1/qiita/items?limit=100").slice()
      let cursor = try #require(
        try client.get("/v1/qiita/items?limit=11").slice().envelope.endCursor)
      #expect(all.ids == Array(ids[..<100]))
      for position in [cursor, "id:\(ids[10])"] {
        let paths: [(String, ArraySlice<String>)] = [
          ("startAfter=\(position)&limit=5", ids[11..<16]),
          ("startAt=\(position)&limit=5", ids[10..<15]),
          ("endBefore=\(position)&limit=100", ids[0..<10]),
          ("endAt=\(position)&limit=100", ids[0..<11]),
          ("endBefore=\(position)&limit=4&limitToLast=true", ids[6..<10]),
          ("endAt=\(position)&limit=4&limitToLast=true", ids[7..<11]),
          ("startAfter=id:\(ids[3])&endBefore=\(position)", ids[4..<10]),
          ("startAt=id:\(ids[3])&endAt=\(position)&limit=3&limitToLast=true", ids[8..<11]),
        ]
        for (query, expected) in paths {
          let slice = try client.get("/v1/qiita/items?\(query)").slice()
          #expect(slice.ids == Array(expected), "\(query)")
        }
      }
    }
  }

  @Test func timesIncludeOrExcludeTheirSecond() async throws {
    var world = smallWorld(0)
    for second in [100, 99, 99, 98, 97] as [Int64] {
      world.insertLate(createdAt: 1_700_000_000 + second)
    }
    try await Stand.run(try await Stand(world)) { stand in
      let ids = stand.qiita.withQiita { $0.world.ids }
      let time = RFC3339.text(Timestamp(seconds: 1_700_000_099))
      let tables: [(String, ArraySlice<String>)] = [
        ("startAfter=at:\(time)", ids[3...]), ("startAt=at:\(time)", ids[1...]),
        ("endBefore=at:\(time)", ids[..<1]), ("endAt=at:\(time)", ids[..<3]),
        ("startAt=at:\(time)&endAt=at:\(time)", ids[1..<3]),
        ("startAfter=at:\(time)&endAt=at:\(time)", ids[..<0]),
      ]
      for (query, expected) in tables {
        let slice = try stand.client.get("/v1/qiita/items?\(query)").slice()
        #expect(slice.ids == Array(expected), "\(query)")
        #expect(!slice.envelope.hasMore)
      }
    }
  }

  @Test func aDeepTimeOfAColdStoreIsFoundInFewWindows() async throws {
    try await Stand.run(try await Stand(smallWorld(9_000, ties: 0.1))) { stand in
      let (ids, second) = stand.qiita.withQiita { qiita in
        let ids = qiita.world.ids
        return (ids, qiita.world.createdAtSeconds(of: ids[6_000]) ?? 0)
      }
      let time = RFC3339.text(Timestamp(seconds: second))
      let slice = try stand.client.get("/v1/qiita/items?startAt=at:\(time)&limit=10").slice()
      let first = try #require(ids.firstIndex(of: slice.ids.first ?? ""))
      #expect(slice.ids == Array(ids[first..<first + 10]))
      #expect((5_980...6_000).contains(first))
      #expect(stand.qiita.callCount <= 9, "\(stand.qiita.callCount) calls")
      #expect(slice.envelope.hasPrevious)
    }
  }

  @Test func previousLeadsBackToTheTop() async throws {
    try await Stand.run(try await Stand(smallWorld(95))) { stand in
      let slices = try stand.client.walk("/v1/qiita/items?limit=10")
      var ids: [String] = slices.last?.ids ?? []
      var previous = slices.last?.envelope.previous
      while let target = previous {
        let slice = try stand.client.get(target).slice()
        ids = slice.ids + ids
        previous = slice.envelope.previous
      }
      #expect(ids == stand.qiita.withQiita { $0.world.ids })
    }
  }

  @Test func anEmptySliceRepeatsTheAskedBound() async throws {
    try await Stand.run(try await Stand(smallWorld(5))) { stand in
      let all = try stand.client.get("/v1/qiita/items").slice()
      let (start, end) = (
        try #require(all.envelope.startCursor), try #require(all.envelope.endCursor)
      )
      let above = try stand.client.get("/v1/qiita/items?endBefore=\(start)&limitToLast=true")
        .slice()
      #expect(above.items.isEmpty)
      #expect(above.envelope.startCursor == start)
      #expect(above.envelope.endReason == "range")
      let below = try stand.client.get("/v1/qiita/items?startAfter=\(end)").slice()
      #expect(below.items.isEmpty)
      #expect(below.envelope.endCursor == end)
      #expect(below.envelope.endReason == "end")
      #expect(below.envelope.hasPrevious)
    }
  }

  @Test func theFarBoundIsKeptByNext() async throws {
    try await Stand.run(try await Stand(smallWorld(60))) { stand in
      let ids = stand.qiita.withQiita { $0.world.ids }
      _ = try stand.client.get("/v1/qiita/items?limit=50")
      let slices = try stand.client.walk("/v1/qiita/items?limit=7&endAt=id:\(ids[20])")
      #expect(slices.flatMap(\.ids) == Array(ids[...20]))
      #expect(slices.last?.envelope.endReason == "range")
    }
  }

  @Test func theLimitAboveAHundredIsServedAsAHundred() async throws {
    try await Stand.run(try await Stand(smallWorld(150))) { stand in
      let slice = try stand.client.get("/v1/qiita/items?limit=99999999999999999999").slice()
      #expect(slice.items.count == 100)
      #expect(slice.envelope.limit == 100)
    }
  }

  @Test func searchTextsAreFeedsOfTheirOwn() async throws {
    try await Stand.run(try await Stand(smallWorld(40))) { stand in
      let user = try #require(stand.qiita.withQiita { $0.world.ids.first })
      let item = try stand.client.get("/v1/qiita/items/\(user)")
      #expect(item.status == 200)
      let none = try stand.client.get("/v1/qiita/items?query=title:no+such+title+%E3%81%82")
      #expect(try none.slice().items.isEmpty)
      let cursor = try #require(try stand.client.get("/v1/qiita/items").slice().envelope.endCursor)
      let other = try stand.client.get("/v1/qiita/items?query=a&startAfter=\(cursor)")
      #expect(try other.problem().code == "cursor_mismatch")
    }
  }

  @Test func refreshShowsWhatIsNew() async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(30), policy: policy)) { stand in
      _ = try stand.client.get("/v1/qiita/items")
      let new = stand.qiita.withQiita { qiita in
        qiita.world.insert(at: Int64(SystemTime().now.seconds) - 100)
      }
      #expect(try !stand.client.get("/v1/qiita/items").slice().ids.contains(new))
      let refreshed = try stand.client.get("/v1/qiita/items?refresh=true")
      #expect(try refreshed.slice().ids.first == new)
      #expect(refreshed["Cache-Control"] == "no-cache")
      let again = try stand.client.get("/v1/qiita/items", ["Cache-Control: no-cache"])
      #expect(try again.slice().ids.first == new)
    }
  }
}
