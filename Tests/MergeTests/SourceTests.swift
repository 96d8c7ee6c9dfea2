import Feed
import Support
import Testing

@testable import Merge

/// What else a merged source is asked.
struct SourceTests {
  private func scene(optional: Set<Int> = []) throws -> Scene {
    let traits = Scene.Traits(siblings: false, optionals: optional)
    return try #require(Scene(seed: 5, traits, count: 3, names: ["a", "b", "c"]))
  }

  @Test func versionMovesWithEachPart() async throws {
    let scene = try scene()
    for part in [0, 0, 0, 1, 2, 1] {
      let version = scene.home.version
      _ = try await scene.parts[part].refresh(scene.parts[part].feed, wait: .seconds(5))
      #expect(scene.home.version != version)
      scene.clock.advance(.seconds(60))
    }
  }

  /// What a part proves since the state was taken that is read stands in none of its rows.
  @Test(arguments: [nil, 0, 1, 2] as [Int?])
  func nothingIsServedOfAPartThatMovedWhileOthersWereRead(moving: Int?) async throws {
    let scene = try scene()
    var request = scene.request(limit: 3)
    _ = try await scene.slice(request)
    request.asksNothing = true
    let reader = KnowledgeReader([], [:])
    #expect(try scene.home.stored(request, from: reader) != nil)
    reader.afterTaking = { if let moving { scene.parts[moving].evict(below: .bottom) } }
    #expect((try scene.home.stored(request, from: reader) == nil) == (moving != nil))
    // A reader that waits is given each part with its own rows.
    #expect(try await scene.home.slice(request).items.count == 3)
  }

  @Test func failsWithoutARequiredPartFoundInAnotherOrder() async throws {
    let scene = try scene()
    scene.parts[1].fail { $0.isUnordered = true }
    let retryAt = scene.clock.now + .seconds(scene.home.policy.freshSeconds)
    await #expect(throws: ReadError.part("b", .badResponse(retryAt: retryAt))) {
      _ = try await scene.slice(scene.request(limit: 3))
    }
  }

  @Test func leavesOutAnOptionalPartFoundInAnotherOrder() async throws {
    let scene = try scene(optional: [1])
    scene.parts[1].fail { $0.isUnordered = true }
    let slice = try await scene.slice(scene.request(limit: 3))
    #expect(slice.missing.map(\.part) == ["b"] && slice.missing.first?.reason == .unordered)
    #expect(!slice.items.isEmpty && !slice.origins.contains { $0.part == "b" })
  }

  /// Each part is asked for no less than the client has got of it, whichever server answers.
  @Test(arguments: [false, true])
  func aCursorTellsTheNumberOfEachPart(isUpwards: Bool) async throws {
    let scene = try scene()
    for part in scene.parts { part.fail { $0.isShared = true } }
    let slice = try await scene.slice(scene.request(limit: 3))
    let (first, last) = (try #require(slice.items.first), try #require(slice.items.last))
    #expect(slice.trail.parts?.numbers.keys.sorted() == [0, 1, 2])
    let text = Cursor.text(
      at: (isUpwards ? first : last).position, in: scene.home.feed, lineage: 0,
      trail: isUpwards ? slice.trail.beginning : slice.trail)
    let read = try Cursor.reading(text, in: scene.home.feed)
    #expect(read.trail.parts?.numbers == slice.trail.parts?.numbers)
    var request = scene.request(limit: 3)
    if isUpwards {
      (request.end, request.takesLast) = (read.bound(isAbove: true), true)
    } else {
      request.start = read.bound(isAbove: false)
    }
    scene.parts[1].fail { $0.isBehind = true }
    let retryAt = scene.clock.now + .seconds(1)
    await #expect(throws: ReadError.part("b", .unavailable(retryAt: retryAt))) {
      _ = try await scene.slice(request)
    }
    _ = try await scene.slice(scene.request(limit: 3))
  }

  /// Without it the feed would end where it does not.
  @Test func neverLeavesOutTheOnlyPart() async throws {
    let scene = try scene(optional: [0, 1, 2])
    for part in scene.parts { part.fail { $0.isDown = true } }
    let retryAt = scene.clock.now + .seconds(30)
    var request = scene.request(limit: 3)
    request.feed = scene.feed(of: ["b"])
    await #expect(throws: ReadError.part("b", .unavailable(retryAt: retryAt))) {
      _ = try await scene.slice(request)
    }
    scene.parts[1].fail { $0.isDown = false }
    #expect(try await scene.slice(request).hasMore)
    scene.parts[1].fail { $0.isDown = true }
    request.limit = 100
    let known = try await scene.slice(request)
    #expect(known.hasMore && known.endReason == nil && known.missing.isEmpty)
    #expect(try await scene.home.status(of: request.feed).parts.map(\.isOptional) == [false])
  }

  @Test func isOneOpeningHoweverManyPartsItOpens() async throws {
    let scene = try scene()
    let heard = Heard()
    let permit: OpeningPermit = {
      heard.note()
      return nil
    }
    _ = try await scene.home.slice(scene.request(limit: 3), permit: permit)
    #expect(heard.count == 1)
  }

  @Test func refreshesAllPartsAndNeedsTheRequiredOnes() async throws {
    let scene = try scene(optional: [2])
    #expect(try await scene.home.refresh(scene.home.feed, wait: .seconds(5)) == 3)
    scene.clock.advance(.seconds(100))
    scene.parts[2].fail { $0.isDown = true }
    scene.upstream.add(50, realm: 0)
    #expect(try await scene.home.refresh(scene.home.feed, wait: .seconds(5)) == 2)
  }

  @Test func ageIsThatOfTheOldestPartAlsoWhereItHasNothingInTheSlice() async throws {
    let scene = try scene()
    let first = try await scene.slice(scene.request(limit: 1))
    scene.clock.advance(.seconds(10))
    scene.upstream.add(8, realm: 0)
    _ = try await scene.parts[0].refresh(scene.parts[0].feed, wait: .seconds(5))
    let slice = try await scene.home.slice(scene.request(limit: 1))
    #expect(slice.freshness.checkedAt == first.freshness.checkedAt)
  }

  @Test func statusSaysHowEachPartStands() async throws {
    let scene = try scene(optional: [2])
    _ = try await scene.slice(scene.request(limit: 3))
    let status = try await scene.home.status(of: scene.home.feed)
    #expect(status.parts.map(\.name) == ["a", "b", "c"])
    #expect(status.parts.map(\.isOptional) == [false, false, true])
    #expect(status.watermark == status.parts.compactMap(\.settledTo).min())
  }

  @Test func fillsWhatBeginsAtACut() async throws {
    let scene = try scene()
    _ = try await scene.slice(scene.request(limit: 100))
    scene.clock.advance(.seconds(1_000))
    for ago in 10..<60 { scene.upstream.add(10 * ago, realm: 0) }
    _ = try await scene.parts[0].refresh(scene.parts[0].feed, wait: .seconds(5))
    let gaps = try await scene.home.status(of: scene.home.feed).gaps
    let gap = try #require(gaps.first?.gap)
    let filling = try await scene.home.fill(gap.upper, of: scene.home.feed, wait: .seconds(5))
    #expect(try #require(filling).calls > 0)
    #expect(try await scene.home.status(of: scene.home.feed).gaps.isEmpty)
    #expect(try await scene.home.fill(gap.upper, of: scene.home.feed, wait: .zero) == nil)
  }

  @Test func beginsAtAnItemThatAPartNames() async throws {
    let scene = try scene()
    let all = try await scene.slice(scene.request(limit: 6))
    let name = Identity("\(all.origins[4].part)/\(all.items[4].id.text)")
    var request = scene.request(limit: 1)
    request.start = .element(name, isAbove: true)
    #expect(try await scene.slice(request).items.first == all.items[4])
    request.start = .element(name, isAbove: false)
    #expect(try await scene.slice(request).items.first == all.items[5])
    for unknown in ["a/none", "d/k1", "k1"] {
      request.start = .element(Identity(unknown), isAbove: true)
      await #expect(throws: ReadError.unknownElement(isStart: true)) {
        _ = try await scene.slice(request)
      }
    }
  }

  @Test func asksAgainWhatHasExpired() async throws {
    let scene = try scene()
    _ = try await scene.slice(scene.request(limit: 3))
    scene.clock.advance(.seconds(scene.home.policy.staleSeconds + 1))
    let stored = try await scene.slice(scene.request(limit: 3, wait: 0))
    #expect(stored.freshness.state == .expired)
    let slice = try await scene.slice(scene.request(limit: 3))
    #expect(slice.freshness.state == .fresh && slice.freshness.checkedAt == scene.clock.now)
  }

  @Test func isNotFreshWhereARequiredPartFailed() async throws {
    let scene = try scene()
    _ = try await scene.slice(scene.request(limit: 3))
    scene.parts[0].fail { $0.isDown = true }
    var request = scene.request(limit: 3)
    request.refreshes = true
    scene.clock.advance(.seconds(10))
    #expect(try await scene.slice(request).freshness.state != .fresh)
  }

  @Test func leavesNothingOutWhereACursorLostItsTrails() async throws {
    let scene = try scene()
    let all = try await scene.slice(scene.request(limit: 100))
    let moved = try #require(zip(all.items, all.origins).first { $1.part == "a" }).0
    scene.clock.advance(.seconds(scene.home.policy.staleSeconds + 1))
    scene.upstream.move(moved.id, realm: 0, to: 100_000)
    // All is read again, and the walk that begins then has not been given it.
    _ = try await scene.slice(scene.request(limit: 100))
    var request = scene.request(limit: 2)
    let first = try await scene.slice(request)
    #expect(!first.items.contains { $0.id == moved.id } && first.trail.parts?.trails[0] != nil)
    var (dropped, foreign) = (first.trail, first.trail)
    dropped.parts?.trails = [:]
    dropped.parts?.dropped = PartTrails.bit(0)
    foreign.parts = PartTrails(parts: 1)
    let last = try #require(first.items.last)
    request.limit = 100
    for trail in [first.trail, dropped, foreign] {
      request.start = .walked(.below(last.position), trail)
      let rest = try await scene.slice(request)
      #expect(rest.items.last?.id == moved.id)
    }
  }
}
