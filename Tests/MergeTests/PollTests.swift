import Feed
import Support
import Testing

@testable import Merge

/// Clients that ask upwards, from what they have to the top.
struct PollTests {
  /// Asks upwards until nothing is above; the place from which to ask the next time.
  private func poll(
    _ scene: Scene, above position: Position, _ slices: inout [WalkJudge.Shown]
  ) async throws -> Position {
    var request = scene.request(limit: scene.random.pick(1, 2, 7, 20))
    request.takesLast = true
    request.refreshes = scene.random.chance(50)
    var first = position
    for _ in 0..<1_000 {
      request.end = .walked(.above(first), Trail())
      let slice = try await scene.slice(request)
      slices.insert(WalkJudge.Shown(slice: slice, at: scene.clock.now), at: 0)
      first = slice.items.first?.position ?? first
      guard slice.hasPrevious else { return first }
      #expect(!slice.items.isEmpty, "seed \(scene.seed)")
    }
    Issue.record("seed \(scene.seed): no top")
    return first
  }

  /// Items that were upstream in time for each look, and that a client lacks which asks above its
  /// first one.
  private func lost(_ scene: Scene, above first: Position, to top: Cut, _ given: Set<String>)
    -> [String]
  {
    scene.upstream.items.compactMap { item in
      guard item.keys.count == 1, item.members.count == 1, let stand = item.keys.first,
        let key = stand.key, stand.at.seconds - Timestamp(milliseconds: key).seconds < 2
      else { return nil }
      let place = Position(order: key, tie: [])
      guard key > first.order, top.isBelow(place) == false else { return nil }
      let name = "\(item.realm)/\(item.id.text)"
      return given.contains(name) ? nil : "\(name) at \(key)"
    }
  }

  @Test(arguments: Extent.seeds(20, of: 3_000))
  func missesNothingThatComesInTime(seed: UInt64) async throws {
    let scene = try #require(Scene(seed: seed, Scene.Traits()))
    let top = try await scene.slice(scene.request(limit: 1))
    var slices = [WalkJudge.Shown(slice: top, at: scene.clock.now)]
    let begin = try #require(top.items.first?.position ?? top.covers?.upper.position)
    var first = begin
    for _ in 0..<15 {
      scene.pass(drifting: true)
      if scene.random.chance(50) { try await scene.lookAtOne() }
      first = try await poll(scene, above: first, &slices)
    }
    let given = Set(
      slices.flatMap { Array(zip($0.slice.items, $0.slice.origins)) }.map { element, origin in
        let part = scene.merged.firstIndex { $0.name == origin.part } ?? 0
        return "\(scene.upstream.parts[part].realm)/\(element.id.text)"
      })
    let covered = try #require(slices.first?.slice.covers?.upper)
    let lost = lost(scene, above: begin, to: covered, given)
    #expect(lost.isEmpty, "seed \(seed): \(lost.prefix(3)) in \(slices.count) slices")
    let all = Array(scene.parts.indices)
    let faults = WalkJudge(scene: scene, parts: all, slices: slices, limit: 100).faults()
    #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
  }
}
