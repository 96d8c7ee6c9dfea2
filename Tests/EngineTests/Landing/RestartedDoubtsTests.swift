import Engine
import Feed
import History
import Support
import Synchronization
import Testing

/// L7: what is doubted outlives a restart.
@Suite struct RestartedDoubtsTests {
  enum Doubt: CaseIterable { case empty, hollow, disorder, end, unusable }

  /// Up to six requests in the middle of a doubt: what is told, and how many calls that costs.
  private func play(_ doubt: Doubt, restarts: Bool) throws -> (told: [String], calls: Int) {
    let rig = try Rig(policy: .unbounded)
    var request = rig.request(limit: doubt == .end ? 40 : 100)
    if doubt != .hollow {
      rig.fill(60)
      if doubt == .end { rig.feed.state.withLock { $0.totalSurplus = 20 } }
      _ = try rig.slice(request).get()
    }
    let first = rig.feed.entries.first?.id
    rig.feed.state.withLock { state in
      switch doubt {
      case .empty: state.list = ScriptedList()
      case .hollow: state.totalSurplus = 5
      case .disorder: state.strayPercent = 100
      case .end: break
      case .unusable: if let first { state.unusable[first] = .max }
      }
    }
    request = rig.request(limit: 100)
    request.refreshes = doubt != .end
    var (reader, told) = (rig.reader, [String]())
    for _ in 0..<6 {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(100)) }
      if restarts {
        reader = try rig.restarted()
      }
      told.append(rig.time.run { [reader, request] in await Self.outcome(reader, request) } ?? "")
      // It is another feed from then on.
      guard reader.isServed(request.feed) else { break }
    }
    return (told, rig.feed.calls.count)
  }

  private static func outcome(_ reader: FeedReader, _ request: SliceRequest) async -> String {
    do throws(ReadError) {
      let slice = try await reader.slice(request)
      return "\(slice.items.count) \(slice.endReason.map(String.init(describing:)) ?? "more")"
    } catch {
      return "failed"
    }
  }

  @Test(arguments: Doubt.allCases) func aRestartCostsNoFurtherCall(doubt: Doubt) throws {
    let (restarted, unbroken) = (
      try play(doubt, restarts: true), try play(doubt, restarts: false)
    )
    #expect(restarted.told == unbroken.told)
    #expect(restarted.calls <= unbroken.calls)
  }
}
