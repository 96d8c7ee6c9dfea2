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
    return StoreContract.Subject(
      store,
      reopen: {
        store.close()
        store = try sandbox.open()
        return store
      })
  }

  private static func bufferedFile() throws -> StoreContract.Subject {
    let sandbox = try Sandbox()
    let faulty = FaultyStore(over: try sandbox.open())
    var isFailing = false
    return StoreContract.Subject(
      try BufferedStore(over: faulty),
      disturb: { random in
        // The directory goes with the sandbox.
        withExtendedLifetime(sandbox) {
          if random.chance(15) { isFailing.toggle() }
          faulty.fail(with: isFailing ? .full : nil)
        }
      }, settle: { faulty.fail(with: nil) })
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func aFileKeepsIt(seed: UInt64) throws {
    try StoreContract(make: Self.file).play(seed: seed)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func aBufferOverAFileThatFailsKeepsIt(seed: UInt64) throws {
    try StoreContract(make: Self.bufferedFile).play(seed: seed, steps: 80)
  }
}
