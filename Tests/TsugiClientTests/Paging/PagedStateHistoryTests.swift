import Foundation
import Support
import Testing

/// Histories drawn from seeds, ten in a block.
///
/// `TSUGI_HISTORIES=2000 swift test --filter PagedStateHistoryTests` runs more of them; a failing
/// one is told with all that happened by `TSUGI_HISTORY=<its number>`.
struct PagedStateHistoryTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  @Test(arguments: 0..<(number("TSUGI_HISTORIES") ?? (Extent.isAll ? 1_000 : 80)) / 10)
  func keepsWhatItPromises(block: UInt64) {
    let only = Self.number("TSUGI_HISTORY")
    let seeds = only.map { $0..<$0 + (block == 0 ? 1 : 0) } ?? block * 10..<block * 10 + 10
    for seed in seeds {
      var history = ListHistory(seed: seed, tellsStory: only != nil)
      history.run(steps: 150)
      guard let fault = history.faults.first else { continue }
      Issue.record("seed \(seed): \(fault)\n\(only == nil ? "" : history.report)")
      return
    }
  }
}
