import Engine
import History
import Support
import Synchronization
import Testing

@testable import BufferedStore
@testable import Feed

/// Walks over a store that fails, works again, crashes, is damaged or gives feeds up meanwhile.
@Suite struct BufferedWalkTests {
  private static func policy(_ random: inout SeededGenerator) -> Policy {
    var policy = Policy()
    policy.freshSeconds = 3
    policy.recheckSeconds = Int64.random(in: 5...60, using: &random)
    policy.openingPermille = 1_000_000
    return policy
  }

  /// What happens to the store between two slices.
  private enum Weather {
    case turns, recovers, restarts, evicts, damages
  }

  /// A walk over which the store fails and works again at random.
  private func walk(
    _ first: SliceRequest, _ stand: FaultyRig, _ random: inout SeededGenerator,
    policy: Policy, weather: [Weather]
  ) throws -> Walk {
    var stand = stand
    var isFailing = false
    return try Walk(from: first) { request in
      switch random.chance(50) ? weather.randomElement(using: &random) : nil {
      case nil: break
      case .turns:
        isFailing.toggle()
        stand.faults.fail(with: isFailing ? .full : nil)
      case .recovers: stand.recover()
      case .restarts: stand = try stand.restarted(policy: policy)
      case .damages: stand.faults.fail(with: .corrupt(message: ""))
      case .evicts: stand.rig.evictStep(first.feed, keepsTop: random.chance(50))
      }
      let loop = try stand.steady.makeReader()
      return try stand.rig.reader.stored(request, from: loop).map { .success($0) }
        ?? stand.rig.slice(request)
    } between: { _ in
      stand.rig.time.run { [time = stand.rig.time] in await time.sleep(.milliseconds(400)) }
    }
  }

  @Test(arguments: [0..<40 as Range<UInt64>, 40..<80])
  func aWalkByValueKeepsThePromise(seeds: Range<UInt64>) throws {
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let policy = Self.policy(&random)
      let rig = try Rig(seed: seed, policy: policy)
      rig.fill(Int.random(in: 0...420, using: &random), ties: random.chance(50) ? 40 : 0)
      let most = [0, 1, 2].randomElement(using: &random) ?? 0
      rig.feed.state.withLock { state in
        state.beforeCall = { feed in
          for _ in 0..<most { feed.drift() }
        }
      }
      // Sometimes so little can be held that it is let go of in the middle.
      let stand = try FaultyRig(
        rig, policy: policy, bytesMax: random.chance(30) ? 60_000 : BufferedStore.bytesMax)
      var request = rig.request(limit: Int.random(in: 5...100, using: &random))
      request.wait = .seconds(30)
      let walk = try walk(
        request, stand, &random, policy: policy, weather: [.turns, .recovers, .restarts, .evicts])
      let violation = walk.violation(of: rig.feed.history, endedAt: rig.time.now)
      #expect(violation == nil, "seed \(seed)")
    }
  }

  @Test(arguments: [0..<40 as Range<UInt64>, 40..<80])
  func aWalkByValueGoesOnInANewFile(seeds: Range<UInt64>) throws {
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let policy = Self.policy(&random)
      let rig = try Rig(seed: seed, policy: policy)
      rig.fill(Int.random(in: 0...420, using: &random), ties: random.chance(50) ? 40 : 0)
      rig.feed.state.withLock { $0.beforeCall = { $0.drift() } }
      let stand = try FaultyRig(rig, policy: policy)
      var request = rig.request(limit: Int.random(in: 5...100, using: &random))
      request.wait = .seconds(30)
      let walk = try walk(
        request, stand, &random, policy: policy, weather: [.damages, .evicts, .turns, .recovers])
      let violation = walk.violation(of: rig.feed.history, endedAt: rig.time.now)
      #expect(violation == nil, "seed \(seed)")
    }
  }

  @Test func anObservedWalkEndsWithItsFile() throws {
    var expired = 0
    for seed in 0..<60 as Range<UInt64> {
      let (walk, violation) = try observed(seed, weather: [.damages, .turns, .recovers])
      if walk.failure == .positionExpired(isStart: true) {
        expired += 1
        #expect(Set(walk.ids).count == walk.ids.count, "seed \(seed)")
      } else {
        #expect(violation == nil, "seed \(seed)")
      }
    }
    #expect((6...54).contains(expired), "\(expired)")
  }

  private func observed(
    _ seed: UInt64, weather: [Weather]
  ) throws -> (walk: Walk, violation: String?) {
    var random = SeededGenerator(seed: seed)
    let policy = Self.policy(&random)
    let rig = try ObservedFeedTests.rig(
      Int.random(in: 0...420, using: &random), seed: seed, policy: policy)
    let most = [0, 1, 2].randomElement(using: &random) ?? 0
    rig.feed.state.withLock { state in
      state.beforeCall = { feed in
        for _ in 0..<most { feed.driftUndated() }
      }
    }
    let stand = try FaultyRig(rig, policy: policy)
    let request = ObservedFeedTests.request(limit: Int.random(in: 10...100, using: &random))
    let walk = try walk(request, stand, &random, policy: policy, weather: weather)
    return (walk, walk.violation(of: rig.feed.history, endedAt: rig.time.now))
  }

  @Test(arguments: [0..<40 as Range<UInt64>, 40..<80])
  func anObservedWalkGoesOnThroughFailureAndRecovery(seeds: Range<UInt64>) throws {
    for seed in seeds {
      let (_, violation) = try observed(seed, weather: [.turns, .recovers])
      #expect(violation == nil, "seed \(seed)")
    }
  }

  @Test func anObservedWalkOverACrashGoesOnOrHasExpired() throws {
    var expired = 0
    for seed in 0..<60 as Range<UInt64> {
      let (walk, violation) = try observed(seed, weather: [.turns, .recovers, .restarts])
      if walk.failure == .positionExpired(isStart: true) {
        expired += 1
        #expect(Set(walk.ids).count == walk.ids.count, "seed \(seed)")
      } else {
        #expect(violation == nil, "seed \(seed)")
      }
    }
    #expect((6...54).contains(expired), "\(expired)")
  }
}
