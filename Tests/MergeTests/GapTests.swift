import Feed
import Support
import Testing

@testable import Merge

/// Gaps of single parts: slices end there, and clients pass one after the other.
struct GapTests {
  /// Two parts, each with a gap below its newest five items, that cannot be asked any more.
  private func scene() async throws -> Scene {
    let traits = Scene.Traits(siblings: false, pageSize: 5)
    let scene = try #require(Scene(seed: 5, traits, count: 2, names: ["a", "b"]))
    _ = try await scene.slice(scene.request(limit: 100))
    scene.clock.advance(.seconds(5_000))
    for number in 10..<40 {
      scene.upstream.add(10 * number, realm: 0)
      scene.upstream.add(12 * number, realm: 1)
    }
    _ = try await scene.home.refresh(scene.home.feed, wait: .seconds(5))
    for part in scene.parts { part.fail { $0.isDown = true } }
    return scene
  }

  @Test func areOfOnePartEach() async throws {
    let scene = try await scene()
    var request = scene.request(limit: 100)
    let first = try await scene.slice(request)
    #expect(first.gap?.parts == ["a"] && first.hasMore && first.missing.isEmpty)

    let skip = try #require(first.skip)
    request.start = .walked(.below(skip.position), skip.trail)
    let second = try await scene.slice(request)
    #expect(second.gap?.parts == ["b"] && second.hasMore)
    #expect(!second.items.isEmpty && second.origins.allSatisfy { $0.part == "b" })
    #expect(second.missing.map(\.part) == ["a"] && second.missing.first?.reason == .gap)
  }

  @Test func arePassedTogetherOnceEachWasSkipped() async throws {
    let scene = try await scene()
    var request = scene.request(limit: 100)
    for _ in 0..<2 {
      let skip = try #require(try await scene.slice(request).skip)
      request.start = .walked(Cut(position: skip.position), skip.trail)
    }
    let last = try await scene.slice(request)
    #expect(last.endReason == .end && last.gap == nil)
    #expect(last.missing.map(\.part) == ["a", "b"] && Set(last.origins.map(\.part)).count == 2)
  }

  @Test func areFilledWhereTheCursorIsUsedInstead() async throws {
    let scene = try await scene()
    let first = try await scene.slice(scene.request(limit: 100))
    for part in scene.parts { part.fail { $0.isDown = false } }
    var request = scene.request(limit: 100)
    request.start = first.items.last.map { .walked(.below($0.position), first.trail) }
    let second = try await scene.slice(request)
    #expect(second.gap == nil && second.missing.isEmpty)
    #expect(Set(second.origins.map(\.part)) == ["a", "b"])
  }
}
