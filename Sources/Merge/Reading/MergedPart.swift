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

/// The parts that a request is for, by name, and how their places lie among each other.
struct MergedParts: Sendable {
  /// The parts, sorted by name.
  let parts: [MergedPart]
  /// The place of each among all parts that are configured.
  let places: [Int]
  /// How their places lie among the merged ones.
  let scales: [PartScale]
  /// Which realm each is of, counted from 0.
  let realms: [Int]
  /// For each, the others of its realm.
  let siblings: [[Int]]
  /// For each, the first part by name of its realm, of all that are configured; nil where it has
  /// the realm alone.
  let shared: [String?]
  /// Each name that is configured, and those of these parts that are of its realm.
  let ofRealm: [String: [Int]]
  /// Stands for the names of these.
  let fingerprint: UInt32
  /// Stands for the names of all that are configured.
  let allFingerprint: UInt16

  /// Those of these parts that are named; nil where none is, or one is not there.
  init?(_ all: [MergedPart], choosing names: Set<String>? = nil) {
    let sorted = all.sorted { $0.name < $1.name }
    let chosen = sorted.indices.filter { names?.contains(sorted[$0].name) ?? true }
    guard !chosen.isEmpty, chosen.count == names?.count ?? chosen.count else { return nil }
    parts = chosen.map { sorted[$0] }
    places = chosen
    scales = parts.map { PartScale(of: $0.feed) }
    let names = parts.map(\.feed.realm)
    realms = names.map { names.firstIndex(of: $0) ?? 0 }
    siblings = names.indices.map { own in
      names.indices.filter { $0 != own && names[$0] == names[own] }
    }
    let all = sorted.map(\.feed.realm)
    shared = names.map { name in
      all.count { $0 == name } > 1 ? all.firstIndex(of: name).map { sorted[$0].name } : nil
    }
    var ofRealm: [String: [Int]] = [:]
    for part in sorted {
      ofRealm[part.name] = names.indices.filter { names[$0] == part.feed.realm }
    }
    self.ofRealm = ofRealm
    fingerprint = UInt32(truncatingIfNeeded: MergedParts.fingerprint(of: parts))
    allFingerprint = UInt16(truncatingIfNeeded: MergedParts.fingerprint(of: sorted))
  }

  private static func fingerprint(of parts: [MergedPart]) -> Int64 {
    Fingerprint.value(of: parts.map(\.name).joined(separator: ","))
  }
}
