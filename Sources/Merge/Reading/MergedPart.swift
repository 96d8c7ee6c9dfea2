import Bytes
package import Feed

/// One of the feeds that a merged feed is made of.
package struct MergedPart: Sendable {
  /// Its name in the merged feed.
  package var name: String
  /// The feed: one by value, whose keys are instants.
  package var feed: FeedID
  /// What reads it.
  package var source: any SliceSource
  /// Whether the merged feed is shown without it where it fails.
  package var isOptional: Bool
  /// By how much its last look may be older than the newest of the others, if it is optional.
  package var lag: Duration

  /// A part of a source.
  package init(
    name: String, feed: FeedID, source: any SliceSource, isOptional: Bool = false,
    lag: Duration? = nil
  ) {
    (self.name, self.feed, self.source) = (name, feed, source)
    self.isOptional = isOptional
    self.lag = lag ?? .seconds(2 * source.policy.freshSeconds)
  }

  /// Whether its order is as its pattern says.
  var isServed: Bool { source.isServed(feed) }

  /// How long it is waited for of a time: one that is optional a second at most.
  func wait(of left: Duration) -> Duration { isOptional ? min(left, .seconds(1)) : left }
}

/// The parts that a request is for, by name, and what each is among them.
final class MergedParts: Sendable {
  /// The parts, sorted by name.
  let parts: [MergedPart]
  /// What each is.
  let roles: [PartRole]
  /// Each name that is configured, and those of these parts that are of its realm.
  let ofRealm: [String: [Int]]
  /// Stands for the names of these.
  let fingerprint: UInt32
  /// Stands for the names of all that are configured.
  let allFingerprint: UInt16

  /// Those of these parts that are named; nil where none is, or one is not there.
  init?(_ all: [MergedPart], choosing names: Set<String>? = nil) {
    let sorted = all.sorted { $0.name < $1.name }
    let places = sorted.indices.filter { names?.contains(sorted[$0].name) ?? true }
    guard !places.isEmpty, places.count == names?.count ?? places.count else { return nil }
    var parts = places.map { sorted[$0] }
    // Without the only one there would be an end where there is none.
    if parts.count == 1 { parts[0].isOptional = false }
    let realms = parts.map(\.feed.realm)
    let allRealms = sorted.map(\.feed.realm)
    roles = parts.indices.map { index in
      let (part, realm) = (parts[index], realms[index])
      let isShared = allRealms.count { $0 == realm } > 1
      return PartRole(
        name: part.name, isOptional: part.isOptional, lag: part.lag,
        scale: PartScale(of: part.feed), realm: realms.firstIndex(of: realm) ?? 0,
        place: places[index],
        siblings: parts.indices.filter { $0 != index && realms[$0] == realm },
        shared: isShared ? allRealms.firstIndex(of: realm).map { sorted[$0].name } : nil)
    }
    let known = zip(sorted, allRealms).map { part, realm in
      (part.name, parts.indices.filter { realms[$0] == realm })
    }
    ofRealm = Dictionary(known) { $1 }
    func fingerprint(of parts: [MergedPart]) -> Int64 {
      Fingerprint.value(of: parts.map(\.name).joined(separator: ","))
    }
    self.fingerprint = UInt32(truncatingIfNeeded: fingerprint(of: parts))
    allFingerprint = UInt16(truncatingIfNeeded: fingerprint(of: sorted))
    self.parts = parts
  }

  /// What a client's cursor remembers, if it is of these parts.
  func remembered(by bound: SliceRequest.Bound?) -> PartTrails? {
    bound?.trail?.parts.flatMap { $0.parts == allFingerprint ? $0 : nil }
  }
}
