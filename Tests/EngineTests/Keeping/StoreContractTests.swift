import BufferedStore
import Feed
import History
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
      let disk = FaultyStore(over: MemoryStore())
      return .init(try BufferedStore(over: disk), disk: disk)
    }
    try contract.play(seed: seed, steps: 80)
  }
}
