import Feed
import HTTP
import Testing

@testable import Proxy

@Suite struct AnswerCacheTests {
  private func answer(to target: String, bytes: Int, from reader: FeedReader) -> FinishedAnswer {
    let now = Timestamp(seconds: 100)
    let proof = Proof(upper: .top, lower: .bottom, provenAt: now, count: 1, rankBelow: 1)
    return FinishedAnswer(
      Response(body: [UInt8](repeating: 0x61, count: bytes)), to: Array(target.utf8), as: .identity,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: reader.policy, at: now),
      from: reader, at: FinishedAnswer.Moment(now: now, version: reader.version))
  }

  private func find(_ target: String, in cache: inout AnswerCache) -> FinishedAnswer? {
    Array(target.utf8).withUnsafeBytes { cache.answer(to: $0, as: .identity) }
  }

  @Test func staysWithinItsBytesAndKeepsWhatIsAskedFor() async throws {
    try await Stand.run(try Stand(smallWorld(1))) { stand in
      let bytesMax = 200_000
      var cache = AnswerCache(bytesMax: bytesMax)
      cache.keep(answer(to: "/often", bytes: 5_000, from: stand.reader))
      for number in 0..<500 {
        let bytes = Int.random(in: 0...20_000)
        cache.keep(answer(to: "/\(number)", bytes: bytes, from: stand.reader))
        #expect(cache.bytes <= bytesMax)
        #expect(find("/\(number)", in: &cache)?.body.count == bytes)
        #expect(find("/often", in: &cache)?.body.count == 5_000)
      }
      #expect(find("/0", in: &cache) == nil)
      cache.keep(answer(to: "/huge", bytes: bytesMax / 2, from: stand.reader))
      #expect(find("/huge", in: &cache) == nil)
    }
  }

  /// However many processors a machine has: a container's memory does not grow with them.
  @Test(arguments: [(1, 64), (2, 32), (4, 16), (8, 8), (9, 8), (64, 8)])
  func loopsShareWhatIsKept(loops: Int, megabytes: Int) {
    #expect(AnswerCache.bytesMax(loops: loops) == megabytes << 20)
  }

  @Test func replacesAndDropsAnAnswer() async throws {
    try await Stand.run(try Stand(smallWorld(1))) { stand in
      var cache = AnswerCache(bytesMax: 100_000)
      cache.keep(answer(to: "/a", bytes: 10, from: stand.reader))
      let second = answer(to: "/a", bytes: 20, from: stand.reader)
      cache.keep(second)
      #expect(find("/a", in: &cache) === second)
      #expect(cache.bytes == second.size)
      #expect(find("/b", in: &cache) == nil)
      cache.drop(second)
      #expect(find("/a", in: &cache) == nil)
      #expect(cache.bytes == 0)
    }
  }
}
