import Feed
import Foundation
import Simulator
import Support
import Testing

@testable import TsugiClient

/// A list that is read as a phone reads it, over sockets, from the real server over an upstream
/// that moves and fails.
@Suite(.serialized) @MainActor struct PagedListOverSocketsTests {
  @Test(arguments: Extent.seeds(2, of: 4))
  func keepsWhatItPromises(seed: UInt64) async throws {
    let begin = Int64(Date().timeIntervalSince1970) - 1_000_000
    let second = HandSecond(begin)
    let world = World(
      WorldOptions(
        seed: seed, itemCount: 400, tieProbability: 0.1, bodyBytes: 60, topSeconds: begin - 60))
    let drift = Drift([.insert: 0.3, .delete: 0.3, .late: 0.2, .touch: 0.3])
    var policy = Policy()
    (policy.refreshSeconds, policy.freshSeconds, policy.prefetchItems) = (0, 1, 0)
    let options = PagedOptions(
      maxItems: seed % 3 == 1 ? 200 : nil, gapPolicy: seed % 3 == 2 ? .reset : .mark)
    let stand = try await ClientStand(
      world, options: Qiita.Options(drift: drift, budget: 1_000_000), policy: policy,
      clock: { second.now })
    try await ClientStand.run(stand) { stand in
      let reader = ListReader(stand, second: second, seed: seed, options: options)
      try await reader.read(steps: 150)
      let met = try await reader.readToTheEnd()
      #expect(reader.faults.isEmpty, "\(reader.faults)\n\(reader.report)")
      #expect(reader.mostAtOnce == 1)
      let missing = stand.qiita.withQiita { qiita in
        let late = Set(qiita.world.events.filter { $0.kind == .late }.map(\.id))
        return qiita.world.ids.filter { !late.contains($0) && !met.contains($0) }
      }
      #expect(missing.isEmpty, "\(missing.count) never met\n\(reader.report)")
    }
  }
}
