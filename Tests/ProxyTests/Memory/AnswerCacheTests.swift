import Feed
import HTTP
import Testing

@testable import Proxy

@Suite struct AnswerCacheTests {
  /// A feed to which nothing is written.
  private final class Standing: FeedVersion {
    let isCurrent = true
  }

  private func answer(to target: String, bytes: Int, from reader: any SliceSource) -> FinishedAnswer
  {
    let now = Timestamp(seconds: 100)
    let proof = Proof(upper: .top, lower: .bottom, provenAt: now, count: 1, rankBelow: 1)
    return FinishedAnswer(
      Response(body: [UInt8](repeating: 0x61, count: bytes)), to: Array(target.utf8), as: .identity,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: reader.policy, at: now),
      from: .feed(reader, Standing()), by: reader.policy, at: now)
  }

  private func find(_ target: String, in cache: AnswerCache) -> FinishedAnswer? {
    Array(target.utf8).withUnsafeBytes { cache.answer(to: $0, as: .identity) }
  }

  @Test func staysWithinItsBytesAndKeepsWhatIsAskedFor() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let bytesMax = 200_000
      let cache = AnswerCache(bytesMax: bytesMax)
      let often = answer(to: "/often", bytes: 5_000, from: stand.reader)
      cache.store(often)
      for number in 0..<500 {
        let kept = answer(
          to: "/\(number)", bytes: Int.random(in: 0...20_000), from: stand.reader)
        cache.store(kept)
        #expect(cache.bytes <= bytesMax)
        #expect(find("/\(number)", in: cache) === kept)
        #expect(find("/often", in: cache) === often)
      }
      #expect(find("/0", in: cache) == nil)
      cache.store(answer(to: "/huge", bytes: bytesMax / 2, from: stand.reader))
      #expect(find("/huge", in: cache) == nil)
    }
  }

  @Test(arguments: [0, 1, 5_000, 32 << 10, (32 << 10) + 1, 500_000])
  func anAnswerTakesNoMoreThanItIsCountedFor(bytes: Int) async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let answer = answer(to: "/a", bytes: bytes, from: stand.reader)
      let size = answer.size
      #expect(answer.whole.byteCount >= bytes)
      #expect(answer.whole.byteCount + answer.unchanged.byteCount <= size)
      #expect(answer.size == size)
    }
  }

  /// However many processors a machine has: a container's memory does not grow with them.
  @Test(arguments: [(1, 64), (2, 32), (4, 16), (8, 8), (9, 8), (64, 8)])
  func loopsShareWhatIsKept(loops: Int, megabytes: Int) {
    #expect(AnswerCache.bytesMax(loops: loops, of: 64 << 20) == megabytes << 20)
  }

  /// Large answers that come once each do not drive out the one that all ask for.
  @Test func keepsALargeAnswerWhenItComesAgain() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let cache = AnswerCache(bytesMax: 4 << 20)
      let often = answer(to: "/often", bytes: 200_000, from: stand.reader)
      cache.store(often)
      #expect(find("/often", in: cache) == nil)
      cache.store(often)
      #expect(find("/often", in: cache) === often)
      for number in 0..<100 {
        cache.store(answer(to: "/\(number)", bytes: 200_000, from: stand.reader))
        #expect(find("/\(number)", in: cache) == nil)
      }
      #expect(find("/often", in: cache) === often)
      let next = answer(to: "/often", bytes: 210_000, from: stand.reader)
      cache.store(next)
      #expect(find("/often", in: cache) === next)
      // At the bound: just below it is kept at once.
      let least = answer(to: "/least", bytes: 0, from: stand.reader).size
      let small = answer(
        to: "/least", bytes: AnswerCache.atOnceBytesMax - least, from: stand.reader)
      cache.store(small)
      #expect(find("/least", in: cache) === small)
    }
  }

  @Test func replacesAndDropsAnAnswer() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let cache = AnswerCache(bytesMax: 100_000)
      cache.store(answer(to: "/a", bytes: 10, from: stand.reader))
      let second = answer(to: "/a", bytes: 20, from: stand.reader)
      cache.store(second)
      #expect(find("/a", in: cache) === second)
      #expect(cache.bytes == second.size)
      #expect(find("/b", in: cache) == nil)
      cache.drop(second)
      #expect(find("/a", in: cache) == nil)
      #expect(cache.bytes == 0)
    }
  }

  private func repeated(_ head: [UInt8], in cache: AnswerCache) -> FinishedAnswer? {
    head.withUnsafeBytes { cache.repeated($0)?.answer }
  }

  private func remember(_ head: [UInt8], for answer: FinishedAnswer, in cache: AnswerCache) {
    head.withUnsafeBytes { cache.remember($0, for: answer, isUnchanged: false, isHead: false) }
  }

  @Test func knowsAHeadAgainByEveryByteOfIt() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let cache = AnswerCache(bytesMax: 1 << 20)
      let answer = answer(to: "/a", bytes: 10, from: stand.reader)
      for count in [1, 7, 8, 9, 200] {
        let head = (0..<count).map { UInt8(truncatingIfNeeded: count + $0) }
        remember(head, for: answer, in: cache)
        #expect(repeated(head, in: cache) === answer)
        #expect(repeated(head + [0], in: cache) == nil)
        #expect(repeated(head.dropLast(), in: cache) == nil)
        for place in head.indices {
          var other = head
          other[place] ^= 1 << Int.random(in: 0..<8)
          #expect(repeated(other, in: cache) == nil)
        }
      }
    }
  }

  @Test(arguments: [(1024, true), (1025, false)])
  func remembersHeadsUpToALength(count: Int, isRemembered: Bool) async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let cache = AnswerCache(bytesMax: 1 << 20)
      let head = [UInt8](repeating: 1, count: count)
      remember(head, for: answer(to: "/a", bytes: 10, from: stand.reader), in: cache)
      #expect((repeated(head, in: cache) != nil) == isRemembered)
    }
  }

  /// What is remembered never keeps more alive than some small answers.
  @Test func remembersNoLargeAnswerAndNoneThatIsDropped() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let cache = AnswerCache(bytesMax: 200_000)
      var bytes = RepeatedHead.answerBytesMax
      while answer(to: "/a", bytes: bytes, from: stand.reader).size > RepeatedHead.answerBytesMax {
        bytes -= 1
      }
      for (bytes, isRemembered) in [(bytes, true), (bytes + 1, false)] {
        let head: [UInt8] = [isRemembered ? 1 : 2]
        remember(head, for: answer(to: "/a", bytes: bytes, from: stand.reader), in: cache)
        #expect((repeated(head, in: cache) != nil) == isRemembered)
      }
      weak var kept: FinishedAnswer?
      do {
        let answer = answer(to: "/c", bytes: 100, from: stand.reader)
        cache.store(answer)
        remember([3], for: answer, in: cache)
        kept = answer
      }
      #expect(kept != nil)
      // Twice as much as it holds: the young become the old, and those go.
      for number in 0..<40 {
        cache.store(answer(to: "/\(number)", bytes: 10_000, from: stand.reader))
      }
      #expect(kept == nil)
      #expect(repeated([3], in: cache) == nil)
    }
  }

  @Test func remembersAtMostSoMany() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let cache = AnswerCache(bytesMax: 1 << 20)
      let answer = answer(to: "/a", bytes: 10, from: stand.reader)
      let heads = (0..<1000).map { Array("GET /\($0)".utf8) }
      for head in heads { remember(head, for: answer, in: cache) }
      let count = heads.filter { repeated($0, in: cache) != nil }.count
      #expect((1...RepeatedHead.countMax).contains(count))
      #expect(heads.last.map { repeated($0, in: cache) === answer } == true)
    }
  }
}
