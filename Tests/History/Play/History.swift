import Feed
import Judge
package import SharedStore
import Synchronization

/// Plays one seed: an upstream that moves and fails, readers that walk, a process that is killed,
/// and a judge who compares what was served with what was there.
///
/// The same seed plays the same history, on every machine: time, faults, latencies and choices
/// all come from it, and everything runs on one thread. Read ``Script`` for what is varied and
/// ``Judge`` for what is held against it.
package enum History {
  /// How a history ended.
  package struct Verdict: Sendable {
    /// What was wrong first; nil when every promise was kept.
    package var violation: String?
    /// Upstream calls that were sent.
    package var calls: Int
    /// What happened, where that was asked for.
    package var trace: Trace
  }

  /// Jobs and wakings after which a history is said never to end: a usual one has thousands.
  private static let stepsMax = 300_000

  /// Plays a seed's history; `extent` is how much of it is kept, `only` are the kinds of oddities
  /// it has, and `servers` how many share one store, in `ledger` where that is given.
  package static func play(
    seed: UInt64, only: Set<Oddities.Kind>? = nil, in dialect: Dialect = .articles,
    servers: Int = 1,
    sharing ledger: (any SharedLedger)? = nil, keeping extent: Trace.Extent = .nothing
  ) throws -> Verdict {
    var script = Script(seed: seed, only: only, in: dialect)
    if servers > 1 { script = script.shared(by: servers) }
    let time = VirtualTime()
    let trace = Trace(time: time, extent)
    let world = World(script, time: time, trace: trace)
    trace.note { "\(script)" }
    let scene = try Scene(world, sharing: ledger)
    defer { scene.end() }
    // Over a real one not every run is the same, and how soon something is found is not judged.
    let isPrompt = script.isPrompt && ledger == nil
    // Those who share ask each other all the time.
    let isOver = time.run(stepsMax: servers > 1 ? 10 * stepsMax : stepsMax) {
      await perform(scene, isPrompt: isPrompt)
      return true
    }
    if isOver != true { scene.judge.blame("it does not end") }
    return Verdict(
      violation: scene.judge.violation, calls: world.state.withLock(\.calls.count), trace: trace)
  }

  private static func perform(_ scene: Scene, isPrompt: Bool) async {
    let (world, time) = (scene.world, scene.world.time)
    let visits = (0..<world.script.visitors).map { number in
      Task(executorPreference: time) { await Visitor(scene, number: number).live() }
    }
    let isOver = Mutex(false)
    let events = Task(executorPreference: time) {
      let gap = Int(world.script.eventGap.inMilliseconds)
      for _ in 0..<world.script.eventsMax {
        if isOver.withLock({ $0 }) || scene.judge.violation != nil { return }
        await time.sleep(.milliseconds(world.number(0...2 * gap)))
        world.happen()
        if world.number(0...99) < world.script.kills { scene.restart() }
      }
    }
    for visit in visits { await visit.value }
    isOver.withLock { $0 = true }
    await events.value
    world.calm()
    for feed in world.script.feeds where scene.judge.violation == nil {
      let isSettled = await settle(feed, scene)
      if isSettled, feed == scene.world.script.dialect.lists.items, isPrompt {
        await comeLate(scene)
      }
    }
  }

  /// Rounds in which what came into a proven range has to be found.
  private static let promptRoundsMax = 15

  /// What comes into what was proven is found by its traces, long before it would be by a recheck.
  private static func comeLate(_ scene: Scene) async {
    let (world, feed) = (scene.world, scene.world.script.dialect.lists.items)
    world.comeLate()
    var shown: [String] = []
    for _ in 0..<promptRoundsMax {
      await world.time.sleep(.seconds(world.script.policy.freshSeconds + 5))
      shown = await walk(feed, scene, pause: .seconds(1)).sorted()
      if shown == expected(feed, world) { return }
    }
    let lacking = Set(expected(feed, world)).subtracting(shown)
    scene.judge.blame("\(feed.name): \(lacking.count) that came late are not found")
  }

  /// The most rounds of walks until an upstream that stands still is shown exactly as it is.
  private static let roundsMax = 200
  /// Rounds that may bring nothing.
  private static let idleRoundsMax = 25

  /// Once nothing moves any more, what is served becomes what is there.
  /// Returns whether that was found to be so.
  private static func settle(_ feed: FeedID, _ scene: Scene) async -> Bool {
    let (world, policy) = (scene.world, scene.world.script.policy)
    let expected = expected(feed, world)
    guard world.script.bears(rereading: expected.count) else { return false }
    if feed.pattern.paging.past != nil, WorldTruth(world).isWalled(feed.name) { return false }
    guard world.tellsEnough(of: feed) else { return false }
    // Of a feed that the store cannot hold, a place may be given up before its end is reached: one
    // without a value is not found again, a large second is not counted to its end.
    if world.script.limits.bytesMax != nil,
      feed.pattern.order == .observed || world.script.shufflesTies
    {
      return false
    }
    var shown: [String] = []
    var idle = 0
    for round in 0..<roundsMax where idle < idleRoundsMax {
      // Now and then there is a whole hour's budget again.
      let rest = round % 4 < 3 ? policy.recheckSeconds : max(policy.staleSeconds, 3_700)
      await world.time.sleep(.seconds(rest + policy.freshSeconds + policy.refreshSeconds + 1))
      let before = shown
      shown = await walk(feed, scene)
      if feed.pattern.order == .value { shown.sort() }
      idle = shown == before ? idle + 1 : 0
      if shown == expected { return true }
      // What a search does not show any more stays until it is asked for by itself.
      if feed.pattern.paging.past != nil, Set(shown).isSuperset(of: expected) { return false }
    }
    let (there, told) = (Set(expected), Set(shown))
    scene.judge.blame(
      "\(feed.name) does not settle: \(expected.count) are there and \(shown.count) shown, "
        + "lacking \(there.subtracting(told).sorted().prefix(5)), "
        + "too many \(told.subtracting(there).sorted().prefix(5))")
    return false
  }

  /// What the upstream has of a feed now; of one ordered by value in no order.
  private static func expected(_ feed: FeedID, _ world: World) -> [String] {
    let state = world.state.withLock { $0 }
    let truth = (state.lists[feed]?.entries ?? []).compactMap { entry -> String? in
      guard let article = state.articles[entry.id], !article.isBad else { return nil }
      return String(
        decoding: World.bytes(entry.id, version: article.versions.count), as: UTF8.self)
    }
    return feed.pattern.order == .value ? truth.sorted() : truth
  }

  private static func walk(
    _ feed: FeedID, _ scene: Scene, pause: Duration = .seconds(70)
  ) async -> [String] {
    var request = SliceRequest(feed: feed, limit: 100, wait: .seconds(30))
    request.refreshes = true
    var stretch = Stretch(of: feed.name, beginsAtTop: true)
    var shown: [String] = []
    while let slice = await scene.slice(request, for: "settling") {
      stretch.slices.append(ShownSlice(slice))
      shown += slice.items.map { String(decoding: $0.bytes, as: UTF8.self) }
      guard slice.hasMore, let last = slice.items.last else { break }
      request.start = slice.bound(.below(last.position), of: feed)
      request.told = slice.told
      request.refreshes = false
      await scene.world.time.sleep(pause)
    }
    scene.judge.note(stretch)
    return shown
  }
}
