import BufferedStore
import Feed
import History
import Support
import Testing

/// The store in memory that most tests use keeps ``StoreContract``, also under a buffer.
@Suite struct StoreContractTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func memoryKeepsIt(seed: UInt64) throws {
    try StoreContract { .init(MemoryStore()) }.play(seed: seed)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func aBufferOverMemoryThatFailsKeepsIt(seed: UInt64) throws {
    let contract = StoreContract {
      let faulty = FaultyStore(over: MemoryStore())
      var isFailing = false
      return .init(
        try BufferedStore(over: faulty),
        disturb: { random in
          if random.chance(15) { isFailing.toggle() }
          faulty.fail(with: isFailing ? .full : nil)
        }, settle: { faulty.fail(with: nil) })
    }
    try contract.play(seed: seed, steps: 80)
  }
}
