import Feed
import Support

@testable import Merge

/// A merged feed over scripted parts, as one seed makes it.
final class Scene {
  let clock = HandClock(at: Timestamp(seconds: 1_000_000))
  let upstream: ScriptedUpstream
  let parts: [ScriptedPart]
  let merged: [MergedPart]
  let home: MergedSource
  let seed: UInt64
  var random: SeededGenerator
  let moves: Bool

  /// What a seed may do in a scene.
  struct Traits {
    var moves = false
    var walls = false
    var optional = false
    var siblings = true
    var prefetches = true
    /// How many elements each answer has; by chance where nil.
    var pageSize: Int?
    /// Parts that are optional in any case.
    var optionals: Set<Int> = []
  }

  init?(
    seed: UInt64, _ traits: Traits = Traits(), count: Int? = nil, names: [String]? = nil
  ) {
    self.seed = seed
    moves = traits.moves
    var random = SeededGenerator(seed: seed)
    let count = count ?? random.number(1...4)
    var kinds: [(realm: Int, unit: KeyUnit)] = []
    for part in 0..<count {
      let isSibling = traits.siblings && part > 0 && random.chance(40)
      kinds.append(
        isSibling ? kinds[part - 1] : (part, random.chance(60) ? .seconds : .milliseconds))
    }
    upstream = ScriptedUpstream(seed: seed &+ 7, parts: kinds, clock: clock)
    let names = names ?? (0..<count).map { "p\($0)" }
    var policy = Policy()
    policy.prefetchItems = traits.prefetches ? random.pick(0, 0, 10) : 0
    var parts: [ScriptedPart] = []
    for part in 0..<count {
      parts.append(
        ScriptedPart(
          part, of: upstream, named: "list\(part)",
          pageSize: traits.pageSize ?? random.pick(3, 5, 10, 40),
          wall: traits.walls && random.chance(30) ? random.number(8...40) : nil, policy: policy))
    }
    self.parts = parts
    var merged: [MergedPart] = []
    for (index, part) in parts.enumerated() {
      merged.append(
        MergedPart(
          name: names[index], feed: part.feed, source: part,
          isOptional: traits.optionals.contains(index)
            || traits.optional && random.chance(40)))
    }
    self.merged = merged
    guard let home = MergedSource(name: "home", of: merged, time: clock) else { return nil }
    self.home = home
    let realms = Set(kinds.map(\.realm)).sorted()
    for _ in 0..<random.number(5...80) {
      upstream.add(random.number(3...3_000), realm: realms[random.next(below: realms.count)])
    }
    self.random = random
  }

  /// Time passes, and something happens or not.
  func pass(drifting: Bool) {
    clock.advance(.milliseconds(random.pick(0, 700, 5_000, 40_000, 200_000)))
    guard drifting else { return }
    let realms = Set(upstream.parts.map(\.realm)).sorted()
    for _ in 0..<random.number(0...3) {
      switch random.next(below: 6) {
      case 0, 1, 2:
        upstream.add(random.number(0...3), realm: realms[random.next(below: realms.count)])
      case 3:
        upstream.add(random.number(3...3_000), realm: realms[random.next(below: realms.count)])
      default: upstream.drift(moves: moves)
      }
    }
  }

  func request(limit: Int, wait: Int = 5_000) -> SliceRequest {
    SliceRequest(feed: home.feed, limit: limit, wait: .milliseconds(wait))
  }

  /// The merged feed of some of its parts, by their names in any order.
  func feed(of names: [String]) -> FeedID {
    home.feed.with([("parts", Array(names.joined(separator: ",").utf8))])
  }

  /// Has one part look at its top, and the others not.
  func lookAtOne() async throws(ReadError) {
    let part = parts[random.next(below: parts.count)]
    _ = try await part.refresh(part.feed, wait: .seconds(5))
  }

  /// What is stored from the top on, without asking.
  func stored() async throws(ReadError) -> Slice {
    var all = request(limit: 5_000, wait: 0)
    all.asksNothing = true
    return try await home.slice(all)
  }

  /// The slice of a request, from the loop where it can answer; no scripted part uses the reader.
  func slice(_ request: SliceRequest) async throws(ReadError) -> Slice {
    if let slice = try home.stored(request, from: KnowledgeReader([], [:])) { return slice }
    return try await home.slice(request)
  }
}
