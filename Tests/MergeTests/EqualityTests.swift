import Feed
import Support
import Testing

@testable import Merge

/// What a merged feed must not depend on: being merged, and how its parts are named.
struct EqualityTests {
  /// What two answers have to have in common.
  private struct Answer: Equatable {
    var items: [String] = []
    var flags: [Bool] = []
    var reason: EndReason?
    var freshness: Freshness?
    var proof: JoinProof?
    var isFailed = false

    init(_ slice: Slice) {
      items = slice.items.map { "\($0.id.text) \(String(decoding: $0.bytes, as: UTF8.self))" }
      flags = [slice.hasMore, slice.hasPrevious]
      (reason, freshness, proof) = (slice.endReason, slice.freshness, slice.proof)
    }

    init(_ error: ReadError) { isFailed = true }
  }

  private func answer(_ read: () async throws(ReadError) -> Slice) async -> Answer {
    do throws(ReadError) { return Answer(try await read()) } catch { return Answer(error) }
  }

  /// A request by chance, for the part and for the merged feed.
  private func requests(_ scene: Scene) -> (own: SliceRequest, merged: SliceRequest) {
    let part = scene.parts[0]
    let scale = PartScale(of: part.feed)
    var own = SliceRequest(feed: part.feed, limit: scene.random.pick(1, 2, 3, 7), wait: .zero)
    var merged = scene.request(limit: own.limit, wait: 0)
    func cut() -> Cut {
      let list = scene.upstream.list(of: 0)
      guard !list.isEmpty else { return .below(key: 5) }
      let position = list[scene.random.next(below: list.count)].position
      return scene.random.pick(.above(position), .below(position), .below(key: position.order))
    }
    func bounds(_ cut: Cut) -> (SliceRequest.Bound, SliceRequest.Bound) {
      (.walked(cut, Trail()), .walked(scale.cut(cut), Trail()))
    }
    if scene.random.chance(60) {
      let bounds = bounds(cut())
      (own.start, merged.start) = bounds
    }
    if scene.random.chance(50) {
      let bounds = bounds(cut())
      (own.end, merged.end) = bounds
      own.takesLast = scene.random.chance(60)
      merged.takesLast = own.takesLast
    }
    return (own, merged)
  }

  @Test(arguments: Extent.seeds(12, of: 3_000))
  func oneOfOnePartIsThePart(seed: UInt64) async throws {
    let scene = try #require(Scene(seed: seed, Scene.Traits(moves: true), count: 1))
    for _ in 0..<40 {
      let (own, merged) = requests(scene)
      let ours = await answer { () async throws(ReadError) in try await scene.slice(merged) }
      let parts = await answer { () async throws(ReadError) in try await scene.parts[0].slice(own) }
      #expect(ours == parts, "\(merged)")
      // So that more is known the next time.
      var asking = requests(scene).merged
      asking.wait = .seconds(5)
      _ = await answer { () async throws(ReadError) in try await scene.slice(asking) }
      scene.pass(drifting: true)
    }
  }

  @Test(arguments: Extent.seeds(4, of: 1_000))
  func namesAndOrderOfPartsChangeNothing(seed: UInt64) async throws {
    let traits = Scene.Traits(moves: true)
    let scene = try #require(Scene(seed: seed, traits, count: 3, names: ["a", "b", "c"]))
    let other = try #require(Scene(seed: seed, traits, count: 3, names: ["z", "n", "b"]))
    for _ in 0..<20 {
      // Each has cursors of its own: what these remember is by name.
      var requests = [scene, other].map { $0.request(limit: $0.random.pick(1, 3, 9)) }
      for _ in 0..<6 {
        let one = try await scene.slice(requests[0])
        let two = try await other.slice(requests[1])
        // An item edited meanwhile has the content of before or after, by which part is read first.
        #expect(one.items.map(\.position) == two.items.map(\.position), "seed \(seed)")
        #expect(one.hasMore == two.hasMore && one.endReason == two.endReason, "seed \(seed)")
        #expect(one.freshness == two.freshness, "seed \(seed)")
        guard one.hasMore, let last = one.items.last, two.items.last?.position == last.position
        else { break }
        requests[0].start = .walked(.below(last.position), one.trail)
        requests[1].start = .walked(.below(last.position), two.trail)
      }
      let stored = try await scene.stored()
      #expect(try await other.stored().items == stored.items, "seed \(seed)")
      scene.pass(drifting: true)
      other.pass(drifting: true)
    }
  }

  @Test(arguments: Extent.seeds(20, of: 1_000))
  func upwardsShowsWhatDownwardsDoes(seed: UInt64) async throws {
    let scene = try #require(Scene(seed: seed, Scene.Traits()))
    var down: [Element] = []
    var request = scene.request(limit: 7)
    while true {
      let slice = try await scene.slice(request)
      down += slice.items
      guard slice.hasMore, let last = slice.items.last else { break }
      request.start = .walked(.below(last.position), slice.trail)
    }
    var up: [Element] = []
    request = scene.request(limit: scene.random.pick(1, 3, 10))
    (request.end, request.takesLast) = (.cut(.bottom), true)
    while true {
      let slice = try await scene.slice(request)
      up = slice.items + up
      #expect(!slice.items.isEmpty || !slice.hasPrevious)
      guard slice.hasPrevious, let first = slice.items.first else { break }
      request.end = .walked(.above(first.position), Trail())
    }
    #expect(up == down)
  }

  @Test func somePartsAreChosenAndTheCursorsStayGood() async throws {
    let scene = try #require(Scene(seed: 5, count: 3, names: ["a", "b", "c"]))
    let feed = scene.feed(of: ["c", "a"])
    #expect(scene.home.served(feed).name == "home/items?parts=a%2Cc")
    let rule = try #require(scene.home.pattern.rules["parts"])
    #expect(rule.takes(Array("c,a".utf8)))
    #expect(!["a,x", "a,a", "", "a,"].contains { rule.takes(Array($0.utf8)) })
    var request = scene.request(limit: 3)
    request.feed = feed
    let slice = try await scene.slice(request)
    #expect(Set(slice.origins.map(\.part)).isSubset(of: ["a", "c"]))
    let last = try #require(slice.items.last)
    let text = Cursor.text(at: last.position, in: feed, lineage: 0, trail: slice.trail)
    #expect(try Cursor.reading(text, in: scene.home.feed).position == last.position)
  }
}
