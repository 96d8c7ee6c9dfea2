import BufferedStore
import Feed
import History
import Support
import Testing

@testable import SQLiteStore

/// A store in a file keeps ``StoreContract``, also under a buffer while its disk fails.
@Suite struct StoreContractTests {
  /// A store in a file that is closed and opened again.
  private static func file() throws -> StoreContract.Subject {
    let sandbox = try Sandbox()
    var store = try sandbox.open()
    var subject = StoreContract.Subject(store)
    subject.reopen = {
      store.close()
      store = try sandbox.open()
      return store
    }
    return subject
  }

  private static func bufferedFile() throws -> StoreContract.Subject {
    let sandbox = try Sandbox()
    let disk = FaultyStore(over: try sandbox.open())
    var subject = StoreContract.Subject(try BufferedStore(over: disk), disk: disk)
    // Its directory goes with it.
    subject.owner = sandbox
    return subject
  }

  @Test(arguments: (1...30 as ClosedRange<UInt64>).sample(15))
  func aFileKeepsIt(seed: UInt64) throws {
    try StoreContract(make: Self.file).play(seed: seed)
  }

  @Test(arguments: (1...40 as ClosedRange<UInt64>).sample(8))
  func aBufferOverAFileThatFailsKeepsIt(seed: UInt64) throws {
    try StoreContract(make: Self.bufferedFile).play(seed: seed, steps: 80)
  }
}
