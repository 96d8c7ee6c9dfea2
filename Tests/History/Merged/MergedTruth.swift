import Feed
import Judge

import struct Judge.Place

/// What the judge may know of a merged feed: the truths of its upstreams, side by side.
///
/// An element is named by its upstream and its identity, `1/a7`, since two upstreams have the same
/// identities. Seconds are those of the merged feed, less what the clock is ahead that is the least
/// so: a merged feed reaches to the instant to which all of its parts do.
struct MergedTruth: Truth {
  /// The name of the merged source.
  static let source = "home"

  private let script: MergedScript
  private let truths: [WorldTruth]

  init(_ script: MergedScript, _ worlds: [World]) {
    self.script = script
    truths = worlds.map(WorldTruth.init)
  }

  /// What the judge calls an element.
  static func name(_ id: String, of world: Int) -> String { "\(world)/\(id)" }

  private func split(_ name: String) -> (truth: WorldTruth, id: String)? {
    let parts = name.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let world = Int(parts[0]), truths.indices.contains(world) else {
      return nil
    }
    return (truths[world], String(parts[1]))
  }

  var now: Int64 { truths[0].now }
  var violation: String? { truths.lazy.compactMap(\.violation).first }

  var terms: Terms {
    let terms = truths.map(\.terms)
    return Terms(
      servers: terms[0].servers, answersAtOnce: terms.allSatisfy(\.answersAtOnce),
      proofSlack: terms.map(\.proofSlack).max() ?? 0, givesUp: terms.contains { $0.givesUp })
  }

  func isByKey(_ list: String) -> Bool { true }

  func realm(of list: String) -> String { list }

  func entries(of list: String) -> [Entry] {
    var found: [String: Entry] = [:]
    for part in script.parts(of: list) {
      for entry in truths[part.world].entries(of: part.feed.name) {
        let name = MergedTruth.name(entry.id, of: part.world)
        let instant = part.feed.pattern.unit == .seconds ? entry.second * 1_000 : entry.place.order
        var merged =
          found[name]
          ?? Entry(
            id: name, second: entry.second - script.clockAhead,
            // What follows the identity names the upstream: a cut beside it is beside this too.
            place: Place(order: instant, tie: entry.id.utf8 + [0, 255]),
            isUsable: entry.isUsable, usableSince: entry.usableSince)
        merged.parts.append(part.name)
        found[name] = merged
      }
    }
    // How two upstreams' elements of one identity and instant follow each other is not known here.
    let places = Dictionary(grouping: found.values, by: \.place)
    return places.values.filter { $0.count == 1 }.map { $0[0] }
  }

  /// It is there while any of the parts shows it, and was for as long as the first of these.
  func presence(of name: String, in list: String) -> Presence? {
    guard let (truth, id) = split(name) else { return nil }
    let presences = script.parts(of: list).compactMap { part in
      truth.presence(of: id, in: part.feed.name)
    }
    let present = presences.filter { $0.until == nil }
    guard present.isEmpty else {
      return Presence(since: present.map(\.since).min() ?? 0, until: nil)
    }
    return presences.max { $0.until ?? 0 < $1.until ?? 0 }
  }

  func versionCount(of name: String) -> Int? {
    split(name).flatMap { $0.truth.versionCount(of: $0.id) }
  }

  func wanderers(of list: String) -> Set<String> { named { $0.wanderers(of: list) } }

  func rekeyed() -> Set<String> { named { $0.rekeyed() } }

  private func named(_ ids: (WorldTruth) -> Set<String>) -> Set<String> {
    Set(
      truths.enumerated().flatMap { world, truth in
        ids(truth).map { MergedTruth.name($0, of: world) }
      })
  }

  func lastSettledSecond(at provenAt: Int64) -> Int64 {
    (truths.map { $0.lastSettledSecond(at: provenAt) }.min() ?? 0) - script.clockAhead
  }

  func mayBeLimited(_ list: String) -> Bool {
    script.parts(of: list).contains { truths[$0.world].mayBeLimited($0.feed.name) }
  }
}

extension ShownSlice {
  /// What a client sees of a slice of a merged feed.
  init(_ slice: Slice, of script: MergedScript) {
    self.init(slice)
    elements = zip(slice.items, slice.origins).map { item, origin in
      ShownElement(
        id: MergedTruth.name(item.id.text, of: script.world(of: origin.part)),
        version: World.version(of: item.bytes),
        at: Place(order: item.position.order, tie: item.position.tie))
    }
    // Its numbers are of all parts; how they grow is held by the changes.
    sequence = 0
    missing = slice.missing.map { stretch in
      Missing(stretch.part, from: stretch.from?.milliseconds, to: stretch.to?.milliseconds)
    }
  }
}
