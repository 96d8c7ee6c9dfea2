import Testing

@testable import Proxy

@Suite struct MemorySharesTests {
  /// While they are rendered, items are there three times: as they were read, cut, and as a reply.
  @Test(arguments: [64, 128, 256, 512, 1_024, 16_384])
  func takeLessThanHalfTogether(megabytes: Int) {
    let bytes = megabytes << 20
    let shares = MemoryShares(ofBytes: bytes)
    let sum =
      shares.heldBytes + shares.answerBytes + 3 * shares.backlogBytes + shares.eventBytes
    #expect(2 * sum <= bytes)
    #expect(shares.heldBytes > 0 && shares.backlogBytes > 0)
  }

  @Test func areBoundedWithoutALimit() {
    #expect(MemoryShares() == MemoryShares(ofBytes: 1 << 40))
    #expect(MemoryShares().heldBytes == 48 << 20)
  }

  @Test func theHeapIsTrimmedOnceAfterMuchWasFreed() async throws {
    let (trims, trimmed) = AsyncStream.makeStream(of: Void.self)
    let trimmer = MemoryTrimmer { trimmed.yield() }
    trimmer.note(freed: MemoryTrimmer.bytesMin - 1)
    trimmer.note(freed: 1)
    trimmer.note(freed: 10 * MemoryTrimmer.bytesMin)
    var iterator = trims.makeAsyncIterator()
    await iterator.next()
    // And again after as much.
    trimmer.note(freed: MemoryTrimmer.bytesMin)
    await iterator.next()
    trimmed.finish()
    #expect(await iterator.next() == nil, "it went through the heap once more")
  }
}
