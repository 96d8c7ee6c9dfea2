import Feed
import Support
import Testing

@testable import Merge

/// Walks of merged feeds over scripted parts, thousands of them, each held against the truth.
struct WalkTests {
  /// What happens while a client walks.
  private struct Weather {
    var drifting = true
    /// Whether parts fail and come back, and are evicted.
    var failing = false
    /// Whether clients choose some of the parts.
    var choosing = false
  }

  /// Walks from the top along `next` and says what is wrong.
  private func walk(_ scene: Scene, in weather: Weather) async -> [String] {
    var request = scene.request(limit: scene.random.pick(1, 2, 3, 7, 20))
    var chosen = Array(scene.parts.indices)
    if weather.choosing {
      chosen = chosen.filter { _ in scene.random.chance(60) }
      if chosen.isEmpty { chosen = [0] }
      request.feed = scene.feed(of: chosen.map { scene.merged[$0].name })
    }
    request.refreshes = scene.random.chance(30)
    var (slices, faults, hasForgotten): ([WalkJudge.Shown], [String], Bool) = ([], [], false)
    var skipped: Set<String> = []
    for _ in 0..<2_000 {
      if weather.failing { hasForgotten = breakSomething(scene) || hasForgotten }
      do throws(ReadError) {
        let slice = try await scene.slice(request)
        slices.append(WalkJudge.Shown(slice: slice, at: scene.clock.now))
        faults += passed(slice, scene, without: skipped).map { "gap of \($0) passed" }
        guard slice.hasMore, let last = slice.items.last else { break }
        request.refreshes = false
        request.start = bound(below: last.position, slice.trail, request.feed)
        if weather.failing, scene.random.chance(50), let skip = slice.skip {
          request.start = .walked(Cut(position: skip.position), skip.trail)
          skipped.formUnion(slice.gap?.parts ?? [])
        }
      } catch {
        if !weather.failing { faults.append("\(error)") }
        for part in scene.parts where scene.random.chance(50) { part.fail { $0.isDown = false } }
      }
      scene.pass(drifting: weather.drifting)
    }
    if slices.last?.slice.hasMore != false { faults.append("no end") }
    var judge = WalkJudge(scene: scene, parts: chosen, slices: slices, limit: request.limit)
    judge.hasForgotten = hasForgotten
    return faults + judge.faults()
  }

  /// Parts whose gap a slice has passed that was not skipped, though it can be filled.
  private func passed(_ slice: Slice, _ scene: Scene, without skipped: Set<String>) -> [String] {
    slice.missing.filter { $0.reason == .gap && !skipped.contains($0.part) }.map(\.part)
      .filter { name in
        let part = scene.merged.firstIndex { $0.name == name } ?? 0
        return !scene.merged[part].isOptional && scene.parts[part].wall == nil
      }
  }

  /// Lets a part fail or come back, or forget; true where it forgot.
  private func breakSomething(_ scene: Scene) -> Bool {
    if scene.random.chance(20) {
      let part = scene.parts[scene.random.next(below: scene.parts.count)]
      let isDown = scene.random.chance(50)
      part.fail { $0.isDown = isDown }
    }
    guard scene.random.chance(3) else { return false }
    scene.parts[scene.random.next(below: scene.parts.count)].evict()
    return true
  }

  /// A cursor, as a client sends it back.
  private func bound(
    below position: Position, _ trail: Trail, _ feed: FeedID
  ) -> SliceRequest.Bound? {
    let text = Cursor.text(at: position, in: feed, lineage: 0, trail: trail)
    return try? Cursor.reading(text, in: feed).bound(isAbove: false)
  }

  private func play(_ seeds: Range<UInt64>, _ traits: Scene.Traits, in weather: Weather) async {
    for seed in seeds {
      guard let scene = Scene(seed: seed, traits) else {
        Issue.record("seed \(seed): no scene")
        continue
      }
      for number in 0..<3 {
        var faults = await walk(scene, in: weather)
        if weather.failing, number == 2 { faults += await settled(scene) }
        if !faults.isEmpty {
          Issue.record("seed \(seed), walk \(number): \(faults.prefix(4).joined(separator: "; "))")
          break
        }
        for _ in 0..<scene.random.number(0...4) { scene.pass(drifting: weather.drifting) }
      }
    }
  }

  /// What is still wrong once all parts are up and their tops have been looked at.
  private func settled(_ scene: Scene) async -> [String] {
    for part in scene.parts { part.fail { $0.isDown = false } }
    scene.clock.advance(.seconds(60))
    var look = scene.request(limit: 1)
    look.refreshes = true
    _ = try? await scene.slice(look)
    let faults = await walk(scene, in: Weather(drifting: false))
    return faults.map { "\($0), with all parts up" }
  }

  @Test func losesAndRepeatsNothingWhereNothingMoves() async {
    await play(Extent.seeds(12, of: 1_500), Scene.Traits(), in: Weather(drifting: false))
  }

  @Test func losesAndRepeatsNothingWhileItemsComeAndGo() async {
    await play(Extent.seeds(12, of: 1_500), Scene.Traits(), in: Weather())
  }

  @Test func losesAndRepeatsNothingWhileItemsMove() async {
    await play(Extent.seeds(12, of: 3_500), Scene.Traits(moves: true), in: Weather())
  }

  @Test func losesAndRepeatsNothingOfTheChosenParts() async {
    await play(
      Extent.seeds(15, of: 1_500), Scene.Traits(moves: true), in: Weather(choosing: true))
  }

  @Test func endsAtWalls() async {
    await play(
      Extent.seeds(12, of: 1_500), Scene.Traits(moves: true, walls: true, optional: true),
      in: Weather())
  }

  @Test func saysWhatIsMissingWhilePartsFail() async {
    await play(
      Extent.seeds(8, of: 3_500), Scene.Traits(moves: true, walls: true, optional: true),
      in: Weather(failing: true))
  }
}
