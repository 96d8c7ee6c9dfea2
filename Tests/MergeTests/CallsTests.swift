import Feed
import Support
import Testing

@testable import Merge

/// What walks of merged feeds cost upstream.
struct CallsTests {
  /// The calls of each part for a walk of the merged feed, and for walks of each part alone down to
  /// the same place.
  private func calls(seed: UInt64) async throws -> (merged: Int, alone: Int) {
    let traits = Scene.Traits(siblings: false, prefetches: false)
    let scene = try #require(Scene(seed: seed, traits, count: 3))
    let other = try #require(Scene(seed: seed, traits, count: 3))
    var request = scene.request(limit: 20)
    var last: Position?
    for _ in 0..<scene.random.number(1...4) {
      let slice = try await scene.slice(request)
      guard let end = slice.items.last?.position else { break }
      (request.start, last) = (.walked(.below(end), slice.trail), end)
      guard slice.hasMore else { break }
    }
    for part in other.parts {
      var own = SliceRequest(feed: part.feed, limit: 20, wait: .seconds(5))
      own.end = last.map { .cut(PartScale(of: part.feed).partCut(.below($0))) }
      while true {
        let slice = try await part.slice(own)
        guard slice.hasMore, let end = slice.items.last?.position else { break }
        own.start = .walked(.below(end), slice.trail)
      }
    }
    return (
      scene.parts.reduce(0) { $0 + $1.calls }, other.parts.reduce(0) { $0 + $1.calls }
    )
  }

  @Test func takeAtMostATenthMoreThanThePartsAlone() async throws {
    var (merged, alone) = (0, 0)
    for seed in Extent.seeds(30, of: 1_000) {
      let calls = try await calls(seed: seed)
      merged += calls.merged
      alone += calls.alone
    }
    #expect(10 * merged <= 11 * alone, "\(merged) calls, alone \(alone)")
  }
}
