import History
import Support
import Testing

/// Servers that share one store keep every promise together, also where their ways to it are lost.
@Suite struct SharedHistoryTests {
  @Test(arguments: [2, 3], Extent.seeds(4, of: 20))
  func severalServersKeepWhatOneDoes(servers: Int, seed: UInt64) throws {
    #expect(try History.play(seed: 100 + seed, servers: servers).violation == nil)
  }
}
