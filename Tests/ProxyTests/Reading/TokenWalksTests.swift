import HTTP
import Synchronization
import Testing

/// Lists of tokens that change far down while they are walked again and again.
@Suite struct TokenWalksTests {
  /// A list of numbers in an order of its own, in pages of ten.
  private final class List: Sendable {
    let numbers: Mutex<[Int]>

    init(_ count: Int) { numbers = Mutex(Array(0..<count)) }

    func answer(_ call: RuledUpstream.Call) -> Response {
      numbers.withLock { numbers in
        let from = min(numbers.count, call.first(inPagesOf: 10))
        let end = min(numbers.count, from + 10)
        let next = end < numbers.count ? "\"i\(end - 1)\"" : "null"
        return Response(json: Response.elements(numbers[from..<end], #","after":\#(next)"#))
      }
    }

    /// Calls `body` with a server of it, that looks at what is a second old.
    func served(_ body: (RecipeStand) async throws -> Void) async throws {
      let upstream = try await RuledUpstream { self.answer($0) }
      let stand = try await RecipeStand(
        """
        {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)","freshSeconds":1,
        "refreshSeconds":1,"recheckSeconds":1,"rate":{"calls":60000,"seconds":60},
        "pages":{"by":"next","at":"after","next":"after","max":10},
        "feeds":{"items":{"items":"items"}}}
        """)
      try await body(stand)
      await stand.stop()
      await upstream.stop()
    }
  }

  /// One that left a page's end for the list's does not come back there at each look at the page
  /// that follows.
  @Test func oneThatMovesAwayFromABorderStaysWhereItIs() async throws {
    let list = List(40)
    try await list.served { stand in
      #expect(try await ReadList(stand, limit: 40).ids.count == 40)
      list.numbers.withLock { $0.append($0.remove(at: 9)) }
      var seen: [Bool] = []
      for _ in 0..<8 {
        try await stand.wait(for: .milliseconds(1_100))
        let target = "/v1/s/items?limit=40&startAfter=id:i12"
        seen.append(try stand.client.get(target).slice().ids.contains("i9"))
      }
      #expect(seen.last == true && seen.drop { !$0 }.allSatisfy { $0 }, "\(seen)")
    }
  }

  /// One that goes from the middle is missed there, however often the list is begun anew.
  @Test func whatIsFarDownIsLookedAtInItsTurn() async throws {
    let list = List(400)
    try await list.served { stand in
      #expect(try await ReadList(stand, limit: 100).ids.count == 400)
      list.numbers.withLock { $0.removeAll { $0 == 200 } }
      var isThere = true
      for _ in 0..<40 where isThere {
        try await stand.wait(for: .milliseconds(400))
        isThere = try await ReadList(stand, limit: 100).ids.contains("i200")
      }
      #expect(!isThere)
    }
  }

  /// What stands on the first page is looked at again by who begins below the top, too.
  @Test(arguments: [0, 5]) func theFirstPageIsLookedAtByWhoBeginsFurtherDown(rank: Int) async throws
  {
    let list = List(40)
    try await list.served { stand in
      #expect(try await ReadList(stand, limit: 40).ids.count == 40)
      list.numbers.withLock { $0.removeAll { $0 == rank + 2 } }
      var isThere = true
      for _ in 0..<8 where isThere {
        try await stand.wait(for: .milliseconds(1_100))
        let slice = try stand.client.get("/v1/s/items?limit=4&startAfter=id:i\(rank)").slice()
        isThere = slice.ids.contains("i\(rank + 2)")
      }
      #expect(!isThere)
    }
  }
}
