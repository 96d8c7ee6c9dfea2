import Feed
import Testing

@testable import Merge

/// Holds a walk along `next` against what was true meanwhile. It knows the truth alone: which items
/// stood where, in which parts, from when on.
struct WalkJudge {
  /// A slice, and when it was given.
  struct Shown {
    var slice: Slice
    var at: Timestamp
  }

  let scene: Scene
  /// The parts that were asked for.
  let parts: [Int]
  let slices: [Shown]
  /// What the walk began below; nil for the top.
  var begin: Position?
  let limit: Int
  /// Whether parts have forgotten where items stood: what moves may come twice then.
  var hasForgotten = false

  /// What a walk broke of the promise, in words.
  func faults() -> [String] {
    repeated + disordered + missing + outdated + countless
  }

  private var all: [(element: Element, origin: ItemOrigin)] {
    slices.flatMap { Array(zip($0.slice.items, $0.slice.origins)) }
      .map { (element: $0.0, origin: $0.1) }
  }

  private func realm(_ origin: ItemOrigin) -> Int {
    let part = scene.merged.firstIndex { $0.name == origin.part } ?? 0
    return scene.upstream.parts[part].realm
  }

  private var repeated: [String] {
    var seen: Set<String> = []
    return all.compactMap { element, origin in
      if hasForgotten, hasMoved(element.id, realm(origin)) { return nil }
      let name = "\(realm(origin))/\(element.id.text)"
      return seen.insert(name).inserted ? nil : "\(name) twice"
    }
  }

  private func hasMoved(_ id: Identity, _ realm: Int) -> Bool {
    scene.upstream.items.contains { $0.id == id && $0.realm == realm && $0.keys.count > 1 }
  }

  private var disordered: [String] {
    zip(all, all.dropFirst()).compactMap { upper, lower in
      upper.element.position > lower.element.position
        ? nil : "\(lower.element.id.text) below \(upper.element.id.text)"
    }
  }

  /// Items that stood in the same place from before a slice's oldest answer on, in its range, in a
  /// part that is not missing there.
  private var missing: [String] {
    let shown = Set(all.map { "\(realm($0.origin))/\($0.element.id.text)" })
    return scene.upstream.items.flatMap { item -> [String] in
      guard item.keys.count == 1, let stand = item.keys.first, let key = stand.key,
        !shown.contains("\(item.realm)/\(item.id.text)")
      else { return [] }
      return parts.compactMap { part in
        guard let place = place(of: item, at: key, in: part),
          let slice = slices.first(where: { lacks(place, since: stand.at, in: part, $0) })
        else { return nil }
        let isMember = item.members.allSatisfy { $0.at > slice.at || $0.parts.contains(part) }
        guard isMember else { return nil }
        return "\(item.realm)/\(item.id.text) at \(key) of \(scene.merged[part].name) missing"
      }
    }
  }

  private func place(of item: ScriptedUpstream.Item, at key: Int64, in part: Int) -> Position? {
    let (realm, unit) = scene.upstream.parts[part]
    guard realm == item.realm else { return nil }
    let order = unit == .seconds ? Timestamp(milliseconds: key).seconds : key
    return PartScale(of: scene.parts[part].feed)
      .position(Position(order: order, tie: item.id.bytes))
  }

  /// Whether a slice, in which a place is not, says that it is all there was since then.
  private func lacks(
    _ place: Position, since instant: Timestamp, in part: Int, _ shown: Shown
  ) -> Bool {
    guard let covers = shown.slice.covers, covers.holds(place) else { return false }
    return instant < shown.slice.freshness.provenAt && !isLeftOut(part, at: place.order)
  }

  /// Items that did not stand in their place at any time since their slice's oldest answer.
  private var outdated: [String] {
    slices.flatMap { shown in
      zip(shown.slice.items, shown.slice.origins).compactMap { element, origin in
        stood(element, origin, since: shown.slice.freshness.provenAt, until: shown.at)
          ? nil : "\(element.id.text) of \(origin.part) outdated"
      }
    }
  }

  private func stood(
    _ element: Element, _ origin: ItemOrigin, since start: Timestamp, until end: Timestamp
  ) -> Bool {
    let part = scene.merged.firstIndex { $0.name == origin.part } ?? 0
    let realm = scene.upstream.parts[part].realm
    let item = scene.upstream.items.first { $0.id == element.id && $0.realm == realm }
    guard let item else { return false }
    let left = item.members.first { !$0.parts.contains(part) }?.at
    guard left.map({ $0 >= start }) ?? true else { return false }
    return item.keys.indices.contains { index in
      let (at, key) = item.keys[index]
      let next = index + 1 < item.keys.count ? item.keys[index + 1].at : end
      return at <= end && next >= start
        && key.flatMap { place(of: item, at: $0, in: part) } == element.position
    }
  }

  private func isLeftOut(_ part: Int, at key: Int64) -> Bool {
    slices.contains { shown in
      shown.slice.missing.contains { missing in
        missing.part == scene.merged[part].name
          && missing.from.map { key <= $0.milliseconds } ?? true
          && missing.to.map { key >= $0.milliseconds } ?? true
      }
    }
  }

  /// Slices that are not as full as they say.
  private var countless: [String] {
    slices.enumerated().flatMap { index, shown -> [String] in
      let slice = shown.slice
      var faults: [String] = []
      if slice.hasMore, slice.items.isEmpty { faults.append("nothing, and more") }
      if slice.hasMore != (slice.endReason == nil) { faults.append("an end without a reason") }
      if slice.items.count > limit { faults.append("too many") }
      if slice.origins.count != slice.items.count { faults.append("items without origins") }
      return faults.map { "slice \(index): \($0)" }
    }
  }
}
