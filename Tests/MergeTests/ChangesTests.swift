import Feed
import Support
import Testing

@testable import Merge

/// Clients that follow a merged feed by its changes.
struct ChangesTests {
  /// What a client has, by realm and identity.
  private struct Follower {
    var items: [String: (position: Position, bytes: [UInt8])] = [:]
    var since: SequenceNumber

    func below(_ watermark: Int64) -> [String: [UInt8]] {
      items.filter { $0.value.position.order < watermark }.mapValues(\.bytes)
    }
  }

  private func name(_ id: Identity, _ part: String?, _ scene: Scene) -> String {
    let index = scene.merged.firstIndex { $0.name == part } ?? 0
    return "\(scene.upstream.parts[index].realm)/\(id.text)"
  }

  private func loaded(_ scene: Scene) async throws -> Follower {
    var (items, since): ([String: (position: Position, bytes: [UInt8])], SequenceNumber?) = (
      [:], nil
    )
    var request = scene.request(limit: 100)
    while true {
      let slice = try await scene.slice(request)
      since = since ?? slice.number
      for (item, origin) in zip(slice.items, slice.origins) {
        items[name(item.id, origin.part, scene)] = (item.position, item.bytes)
      }
      guard slice.hasMore, let last = slice.items.last else { break }
      request.start = .walked(.below(last.position), slice.trail)
    }
    return Follower(items: items, since: try #require(since))
  }

  /// What an optional part has that was away takes no numbers: a client that lacks it walks again.
  @Test func beginsAgainWhereAPartIsThereThatWasAway() async throws {
    let scene = try #require(
      Scene(seed: 5, Scene.Traits(siblings: false, optionals: [1]), count: 3))
    scene.parts[1].fail { $0.isDown = true }
    let first = try await scene.slice(scene.request(limit: 3))
    #expect(first.missing.map(\.part) == ["p1"])
    for _ in 0..<2 {
      let reading = try await scene.home.changes(
        of: scene.home.feed, after: first.number, limit: 10, learned: false)
      guard case .changes(let changes) = reading else {
        Issue.record("\(reading)")
        return
      }
      #expect(changes.changes.isEmpty && changes.next == first.number)
    }
    scene.parts[1].fail { $0.isDown = false }
    scene.clock.advance(.seconds(60))
    let second = try await scene.slice(scene.request(limit: 3))
    #expect(second.missing.isEmpty)
    let reading = try await scene.home.changes(
      of: scene.home.feed, after: first.number, limit: 10, learned: false)
    guard case .expired = reading else {
      Issue.record("\(reading)")
      return
    }
    let next = try await scene.home.changes(
      of: scene.home.feed, after: second.number, limit: 10, learned: false)
    guard case .changes = next else {
      Issue.record("\(next)")
      return
    }
  }

  /// Applies all that is given; false where it has to begin again.
  private func follow(_ follower: inout Follower, _ scene: Scene) async throws -> Bool {
    let limit = scene.random.pick(1, 2, 5, 50)
    for _ in 0..<5_000 {
      let reading = try await scene.home.changes(
        of: scene.home.feed, after: follower.since, limit: limit, learned: false)
      guard case .changes(let changes) = reading else { return false }
      for change in changes.changes {
        let key = name(change.id, change.origin?.part, scene)
        switch change.event {
        case .upsert(let position, let bytes):
          follower.items[key] = (position, bytes)
          #expect(position.order < changes.next.parts?.watermark ?? 0)
        case .remove, .delete: follower.items[key] = nil
        }
        // Each is a place to go on from.
        if scene.random.chance(5), let reached = change.reached {
          follower.since = SequenceNumber(epoch: follower.since.epoch, number: 0, reached)
          return try await follow(&follower, scene)
        }
      }
      let text = changes.next.text
      #expect(text.utf8.count <= 245 && SequenceNumber(text) == changes.next)
      follower.since = changes.next
      if !changes.hasMore { return true }
    }
    Issue.record("no end")
    return true
  }

  @Test(arguments: Extent.seeds(8, of: 2_000))
  func whoAppliesThemHasTheFeed(seed: UInt64) async throws {
    let scene = try #require(Scene(seed: seed, Scene.Traits(moves: seed % 2 == 0)))
    // Not all parts are known equally far up where it begins.
    _ = try await scene.slice(scene.request(limit: 1))
    scene.pass(drifting: true)
    try await scene.lookAtOne()
    var follower = try await loaded(scene)
    for round in 0..<25 {
      scene.pass(drifting: true)
      if scene.random.chance(50) { try await scene.lookAtOne() }
      var look = scene.request(limit: 1)
      look.refreshes = scene.random.chance(70)
      _ = try await scene.slice(look)
      guard try await follow(&follower, scene) else {
        follower = try await loaded(scene)
        continue
      }
      let slice = try await scene.stored()
      guard !slice.hasMore, let watermark = follower.since.parts?.watermark else { continue }
      #expect(watermark == slice.numbers?.watermark, "round \(round)")
      let below = zip(slice.items, slice.origins).filter { $0.0.position.order < watermark }
      var stored = Dictionary(
        below.map { (name($0.0.id, $0.1.part, scene), $0.0.bytes) }, uniquingKeysWith: { $1 })
      // A part takes a number for an edit when it is shown it itself, whichever brought it.
      for (part, merged) in zip(scene.parts, scene.merged) {
        for id in part.unseenEdits {
          let key = name(id, merged.name, scene)
          if stored[key] != nil { stored[key] = follower.items[key]?.bytes }
        }
      }
      #expect(stored.count == below.count && follower.below(watermark) == stored, "round \(round)")
      guard follower.below(watermark) == stored else { return }
    }
  }

  @Test func givesWhatMovedAboveTheWatermarkOnceThatHasPassedIt() async throws {
    let traits = Scene.Traits(siblings: false, prefetches: false, pageSize: 100)
    let scene = try #require(Scene(seed: 5, traits, count: 2, names: ["a", "b"]))
    let slice = try await scene.slice(scene.request(limit: 100))
    let moved = try #require(zip(slice.items, slice.origins).first { $1.part == "a" }).0
    scene.clock.advance(.seconds(100))
    scene.upstream.move(moved.id, realm: 0, to: 10)
    let place = scene.clock.now.milliseconds - 10_000

    // The other part was last looked at before there was anything that far up.
    _ = try await scene.parts[0].refresh(scene.parts[0].feed, wait: .seconds(5))
    let removed = try await changes(scene, after: slice.number)
    #expect(removed.changes.map(\.id) == [moved.id])
    #expect(removed.changes.first?.event == .remove(bytes: nil))
    #expect(removed.next.parts?.watermark == slice.number.parts?.watermark)

    _ = try await scene.parts[1].refresh(scene.parts[1].feed, wait: .seconds(5))
    let passed = try await changes(scene, after: removed.next)
    guard let change = passed.changes.first, case .upsert(let position, _) = change.event else {
      Issue.record("no upsert")
      return
    }
    #expect(passed.changes.count == 1 && change.id == moved.id && position.order == place)
    #expect(place < passed.next.parts?.watermark ?? 0)
  }

  private func changes(_ scene: Scene, after number: SequenceNumber) async throws -> Changes {
    let reading = try await scene.home.changes(
      of: scene.home.feed, after: number, limit: 50, learned: false)
    guard case .changes(let changes) = reading else { throw ReadError.notFound }
    return changes
  }

  @Test func tokensOfOtherPartsBeginAgain() async throws {
    let scene = try #require(Scene(seed: 5, count: 3, names: ["a", "b", "c"]))
    let slice = try await scene.slice(scene.request(limit: 3))
    let some = scene.feed(of: ["a", "b"])
    let reading = try await scene.home.changes(
      of: some, after: slice.number, limit: 5, learned: false)
    guard case .expired(let present) = reading else {
      Issue.record("not expired")
      return
    }
    #expect(present.parts?.numbers.count == 2)
    let plain = SequenceNumber(epoch: "scripted", number: 3)
    let other = try await scene.home.changes(
      of: scene.home.feed, after: plain, limit: 5, learned: false)
    #expect(other == .expired(slice.number))
  }

  @Test func listensToEachPart() async throws {
    let scene = try #require(Scene(seed: 5, count: 3, names: ["a", "b", "c"]))
    let heard = Heard()
    let listening = await scene.home.listen(to: scene.home.feed) { heard.note() }
    for part in scene.parts { part.report() }
    #expect(heard.count == 3 && scene.parts.allSatisfy { $0.listenerCount == 1 })
    await scene.home.unlisten(listening)
    #expect(scene.parts.allSatisfy { $0.listenerCount == 0 })
  }
}
