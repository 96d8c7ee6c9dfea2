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
    // Over a real one not every run is the same, and how soon something is found is not judged.
    return play(
      try Scene([world], sharing: ledger), isPrompt: script.isPrompt && ledger == nil,
      // Those who share ask each other all the time.
      stepsMax: servers > 1 ? 10 * stepsMax : stepsMax)
  }

  /// Plays a seed's history of a merged feed over several upstreams; `servers` share one store.
  package static func playMerged(
    seed: UInt64, servers: Int = 1, keeping extent: Trace.Extent = .nothing
  ) throws -> Verdict {
    var script = MergedScript(seed: seed)
    if servers > 1 { script.worlds = script.worlds.map { $0.shared(by: servers) } }
    let time = VirtualTime()
    let trace = Trace(time: time, extent)
    let worlds = script.worlds.map { World($0, time: time, trace: trace) }
    trace.note { "\(script)" }
    return play(
      try Scene(worlds, merged: script), isPrompt: false,
      stepsMax: (servers > 1 ? 10 : 1) * worlds.count * stepsMax)
  }

  private static func play(_ scene: Scene, isPrompt: Bool, stepsMax: Int) -> Verdict {
    defer { scene.end() }
    let isOver = scene.world.time.run(stepsMax: stepsMax) {
      await perform(scene, isPrompt: isPrompt)
      return true
    }
    if isOver != true { scene.judge.blame("it does not end") }
    return Verdict(
      violation: scene.judge.violation,
      calls: scene.worlds.reduce(0) { $0 + $1.state.withLock(\.calls.count) },
      trace: scene.world.trace)
  }

  private static func perform(_ scene: Scene, isPrompt: Bool) async {
    let (world, time) = (scene.world, scene.world.time)
    let visits = (0..<world.script.visitors).map { number in
      Task(executorPreference: time) { await Visitor(scene, number: number).live() }
    }
    let events = scene.worlds.enumerated().map { number, world in
      Task(executorPreference: time) {
        let gap = Int(world.script.eventGap.inMilliseconds)
        for _ in 0..<world.script.eventsMax {
          if scene.isOver || scene.judge.violation != nil { return }
          await time.sleep(.milliseconds(world.number(0...2 * gap)))
          world.happen()
          if number == 0, world.number(0...99) < world.script.kills { scene.restart() }
        }
      }
    }
    for visit in visits { await visit.value }
    scene.visitsAreOver()
    for event in events { await event.value }
    for world in scene.worlds { world.calm() }
    if let merged = scene.merged { await time.sleep(.seconds(merged.clocksApart)) }
    for feed in scene.feeds where scene.judge.violation == nil {
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
      if shown == scene.expected(of: feed) { return }
    }
    let lacking = Set(scene.expected(of: feed)).subtracting(shown)
    scene.judge.blame("\(feed.name): \(lacking.count) that came late are not found")
  }

  /// The most rounds of walks until an upstream that stands still is shown exactly as it is.
  private static let roundsMax = 200
  /// Rounds that may bring nothing.
  private static let idleRoundsMax = 25

  /// Once nothing moves any more, what is served becomes what is there.
  /// Returns whether that was found to be so.
  private static func settle(_ feed: FeedID, _ scene: Scene) async -> Bool {
    let lists = scene.lists(of: feed)
    let policies = lists.map(\.world.script.policy)
    let expected = scene.expected(of: feed)
    guard lists.allSatisfy({ settles($0.feed, $0.world) }), scene.merged?.settles(feed) ?? true
    else { return false }
    let rests = (
      recheck: policies.map(\.recheckSeconds).max() ?? 0,
      stale: policies.map(\.staleSeconds).max() ?? 0,
      look: policies.map { $0.freshSeconds + $0.refreshSeconds + 1 }.max() ?? 0
    )
    var shown: [String] = []
    var idle = 0
    for round in 0..<roundsMax where idle < idleRoundsMax {
      // Now and then there is a whole hour's budget again.
      let rest = round % 4 < 3 ? rests.recheck : max(rests.stale, 3_700)
      await scene.world.time.sleep(.seconds(rest + rests.look))
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

  /// Whether a list of an upstream that stands still is read until it is shown as it is.
  private static func settles(_ feed: FeedID, _ world: World) -> Bool {
    guard world.script.bears(rereading: world.list(feed).entries.count) else { return false }
    if feed.pattern.paging.past != nil, WorldTruth(world).isWalled(feed.name) { return false }
    guard world.tellsEnough(of: feed) else { return false }
    // Of a feed that the store cannot hold, a place may be given up before its end is reached: one
    // without a value is not found again, a large second is not counted to its end.
    return world.script.limits.bytesMax == nil
      || feed.pattern.order != .observed && !world.script.shufflesTies
  }

  private static func walk(
    _ feed: FeedID, _ scene: Scene, pause: Duration = .seconds(70)
  ) async -> [String] {
    var request = SliceRequest(feed: feed, limit: 100, wait: .seconds(30))
    request.refreshes = true
    var stretch = Stretch(of: feed.name, beginsAtTop: true)
    var shown: [String] = []
    while let slice = await scene.slice(request, for: "settling") {
      stretch.slices.append(scene.shown(slice))
      shown += scene.contents(of: slice)
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
