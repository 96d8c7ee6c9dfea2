import Foundation
import JSONBytes
import Support
import Synchronization
import Testing
import Wire

@testable import Proxy

/// Elements that an upstream shows and that nobody can use, or that only some could.
@Suite(.serialized) struct OmittedElementTests {
  /// How an upstream pages.
  static let addressings = [
    #""by":"page","size":"size""#, #""by":"offset","size":"size""#, #""by":"page""#,
    #""by":"item","at":"after""#, #""by":"next","at":"after","next":"next""#,
  ]

  /// Thirty elements, by tens, of which those at `bad` cannot be used.
  private static func list(_ bad: Set<Int>, _ call: RuledUpstream.Call) -> String {
    let size = min(10, call.number("size", or: 10))
    let start =
      call.parameters["after"].flatMap { Int($0.dropFirst()) }.map { $0 + 1 }
      ?? call.parameters["offset"].flatMap { Int($0) } ?? (call.number("page", or: 1) - 1) * size
    let ranks = min(start, 30)..<min(start + size, 30)
    let elements = ranks.map { rank in
      let name = bad.contains(rank) ? #""no":"x\#(rank)""# : #""id":"x\#(rank)""#
      return #"{\#(name),"at":\#(1_700_000_000 - 7 * rank)}"#
    }
    let next = ranks.upperBound < 30 ? #","next":"x\#(ranks.upperBound - 1)""# : ""
    return #"{"items":[\#(elements.joined(separator: ","))],"total":30\#(next)}"#
  }

  private func stand(
    _ pages: String, _ order: String, _ rule: @escaping @Sendable (RuledUpstream.Call) -> String
  ) async throws -> (RecipeStand, RuledUpstream) {
    let upstream = try await RuledUpstream(rule)
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)","rate":{"calls":1000},
      "newFeedShare":1,"refreshSeconds":0,
      "pages":{\(pages),"max":10,"total":"total","accept":"none"},
      "feeds":{"items":{"items":"items","order":"\(order)","time":"seconds"}}}
      """)
    return (stand, upstream)
  }

  /// What a walk is given, and how many elements its slices lack, each with the rank of its first.
  private func walk(_ stand: RecipeStand, limit: Int) throws -> (ids: [String], omitted: [Int]) {
    var (ids, omitted): ([String], [Int]) = ([], [])
    var next: String? = "/v1/s/items?limit=\(limit)"
    while let target = next, omitted.count < 60 {
      let slice = try stand.client.get(target).slice()
      ids += slice.ids
      omitted.append(slice.envelope.omitted ?? 0)
      next = slice.envelope.next
    }
    return (ids, omitted)
  }

  private func check(_ bad: [Int], limit: Int, _ pages: String, _ order: String) async throws {
    let (stand, upstream) = try await stand(pages, order) { Self.list(Set(bad), $0) }
    let (ids, omitted) = try walk(stand, limit: limit)
    #expect(ids == (0..<30).filter { !bad.contains($0) }.map { "x\($0)" }, "\(bad)")
    #expect(omitted.reduce(0, +) == bad.count, "\(bad): \(omitted)")
    await stand.stop()
    await upstream.stop()
  }

  /// Whatever the paging and the limit, at the top, in the middle, side by side and at the end.
  @Test(arguments: addressings, ["-at", "observed"])
  func aWalkTellsHowManyItLacks(pages: String, order: String) async throws {
    for (bad, limit) in [([4], 10), ([0], 4), ([13, 14, 20], 7), ([29], 30)] {
      try await check(bad, limit: limit, pages, order)
    }
  }

  /// Right above a page's last element, and in its place.
  @Test(arguments: Extent.pairs(addressings.dropFirst(), ["-at", "observed"]).sample(4))
  func aWalkTellsWhatItLacksBetweenPages(pages: String, order: String) async throws {
    for (bad, limit) in [([0, 8], 4), ([9], 10)] {
      try await check(bad, limit: limit, pages, order)
    }
  }

  @Test func aListThatComesWholeTellsIt() async throws {
    let (stand, upstream) = try await stand(#""by":"page""#, "whole") { _ in
      #"{"items":[{"id":1},{"id":null},{"id":2},{}],"total":4}"#
    }
    let first = try stand.client.get("/v1/s/items?limit=1").slice()
    #expect(first.ids == ["1"] && first.envelope.omitted == nil)
    let all = try stand.client.get("/v1/s/items").slice()
    #expect(all.ids == ["1", "2"] && all.envelope.omitted == 2)
    await stand.stop()
    await upstream.stop()
  }

  /// It ends when an answer shows the element whole.
  @Test func anElementThatBecomesWholeIsLackingNoMore() async throws {
    let isWhole = Atomic(false)
    let (stand, upstream) = try await stand(#""by":"page","size":"size""#, "observed") { call in
      Self.list(isWhole.load(ordering: .relaxed) ? [] : [3], call)
    }
    #expect(try stand.client.get("/v1/s/items?limit=10").slice().envelope.omitted == 1)
    isWhole.store(true, ordering: .relaxed)
    let again = try stand.client.get("/v1/s/items?limit=10&refresh=true").slice()
    #expect(again.ids.count == 10 && again.envelope.omitted == nil)
    await stand.stop()
    await upstream.stop()
  }

  /// Identities beyond 64 bits, and twice the same key.
  @Test func whatABrowserTakesIsServedByteForByte() async throws {
    let elements = [
      #"{"id":9223372036854775808,"at":1700000009}"#,
      #"{"id":\#(String(repeating: "7", count: 128)),"at":1700000008}"#,
      #"{"id":1,"at":1700000007,"id":18446744073709551616}"#,
      #"{"id":"last","at":1700000006}"#,
    ]
    let (stand, upstream) = try await stand(#""by":"page""#, "-at") { _ in
      #"{"items":[\#(elements.joined(separator: ","))],"total":4}"#
    }
    let slice = try stand.client.get("/v1/s/items").slice()
    #expect(slice.items.map { String(decoding: $0, as: UTF8.self) } == elements)
    #expect(slice.envelope.omitted == nil && slice.envelope.endReason == "end")
    let below = try stand.client.get("/v1/s/items?startAfter=id:18446744073709551616").slice()
    #expect(below.ids == ["last"])
    await stand.stop()
    await upstream.stop()
  }

  @Test(arguments: [("keep", #"cut \ud83d"#), ("replace", #"cut \ufffd"#)])
  func halfAnEmojiIsServedAsConfigured(surrogates: String, text: String) async throws {
    let upstream = try await RuledUpstream { _ in #"[{"id":"a","t":"cut \ud83d"},{"id":"b"}]"# }
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
      "feeds":{"items":{"order":"whole","surrogates":"\(surrogates)"}}}
      """)
    let body = String(decoding: try stand.client.get("/v1/s/items").body, as: UTF8.self)
    #expect(body.hasPrefix(#"{"items":[{"id":"a","t":"\#(text)"},{"id":"b"}],"#))
    await stand.stop()
    await upstream.stop()
  }

  @Test func aKeyBeyondTheRangeIsToldAsLacking() async throws {
    let (stand, upstream) = try await stand(#""by":"page""#, "-at") { _ in
      #"{"items":[{"id":1,"at":9223372036854775808},{"id":2,"at":1700000000}],"total":2}"#
    }
    let slice = try stand.client.get("/v1/s/items").slice()
    #expect(slice.ids == ["2"] && slice.envelope.omitted == 1)
    await stand.stop()
    await upstream.stop()
  }
}
