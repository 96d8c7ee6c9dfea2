import Support
import Testing

@testable import Bytes

@Suite struct TwoGenerationsTests {
  @Test func keepsWhatIsUsedAndStaysWithinItsBytes() {
    var cache = TwoGenerations<Int, String>(bytesMax: 100)
    cache.keep("often", 0, bytes: 5)
    for key in 1...200 {
      cache.keep("\(key)", key, bytes: key % 20)
      #expect(cache.use(key) == "\(key)" && cache.use(0) == "often")
      #expect(cache.bytes <= 100)
    }
    #expect(cache.use(1) == nil)
  }

  @Test(arguments: [(50, true), (51, false)])
  func keepsNoValueThatIsLargerThanHalf(bytes: Int, isKept: Bool) {
    var cache = TwoGenerations<Int, String>(bytesMax: 100)
    cache.keep("former", 1, bytes: 1)
    cache.keep("latter", 1, bytes: bytes)
    #expect(cache.use(1) == (isKept ? "latter" : nil))
    #expect(cache.bytes == (isKept ? bytes : 0))
  }

  /// Whatever is kept, used and dropped: its bytes are those of the values that it has.
  @Test func countsTheBytesOfItsValues() {
    var random = SeededGenerator(seed: 1)
    var cache = TwoGenerations<Int, Int>(bytesMax: 200)
    for _ in 0..<5_000 {
      let key = random.next(below: 30)
      switch random.next(below: 3) {
      case 0: _ = cache.use(key)
      case 1: cache.drop(key)
      default:
        let bytes = random.next(below: 60)
        cache.keep(bytes, key, bytes: bytes)
      }
      let keys = cache.keys
      #expect(Set(keys).count == keys.count)
      let values = [cache.young.values, cache.old.values].joined().map(\.value)
      #expect(cache.bytes == values.reduce(0, +))
    }
  }
}
