/// Decides what leaves a store that is too full. Pure: loads and feeds go in, steps come out;
/// ``StoreKeeper`` performs them through the readers.
///
/// The least recently read feeds go first, whole. Of the one read last the top stays: it is cut
/// from below, from the bottom of its lowest run. Either way a feed goes from below, a bounded
/// number of places at a time, and after each step what is left is a shorter timeline that says
/// correct: no item is missing in it, whenever the process ends.
package enum Eviction {
  /// What a store may hold.
  package struct Limits: Hashable, Sendable {
    /// The most bytes that rows may take; nil for as many as the disk has.
    package var bytesMax: Int64?
    /// The most feeds.
    package var feedsMax: Int
    /// How long it is remembered that an element has gone.
    package var remembers: Duration

    /// Limits from their parts.
    package init(bytesMax: Int64?, feedsMax: Int, remembers: Duration) {
      self.bytesMax = bytesMax
      self.feedsMax = feedsMax
      self.remembers = remembers
    }
  }

  /// What has to be reached; nil where nothing has.
  package struct Goal: Hashable, Sendable {
    /// The most bytes left.
    package var bytes: Int64?
    /// The most feeds left.
    package var feeds: Int?

    /// Whether a load is within it.
    package func isMet(by load: StoreLoad) -> Bool {
      load.bytes <= bytes ?? .max && load.feeds <= feeds ?? .max
    }
  }

  /// What has to be reached from a load; nil while it is within the marks.
  ///
  /// The marks lie apart so that eviction is seldom, and the high one below the limit so that the
  /// largest answers still fit meanwhile: of 4096 MB, from above 3584 MB down to 3072 MB; of
  /// 10,000 feeds, from above 10,000 down to 9,375.
  package static func goal(for load: StoreLoad, within limits: Limits) -> Goal? {
    var goal = Goal()
    if let bytesMax = limits.bytesMax, load.bytes > bytesMax - bytesMax / 8 {
      goal.bytes = bytesMax - bytesMax / 4
    }
    if load.feeds > limits.feedsMax { goal.feeds = limits.feedsMax - limits.feedsMax / 16 }
    return goal == Goal() ? nil : goal
  }

  /// A feed that leaves.
  package struct Victim: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its source's name.
    package var source: String
    /// Whether its top stays.
    package var keepsTop: Bool
    /// When it was last read; one that was read since stays for now.
    package var readAt: Timestamp

    /// A victim from its parts.
    package init(name: String, source: String, keepsTop: Bool, readAt: Timestamp) {
      self.name = name
      self.source = source
      self.keepsTop = keepsTop
      self.readAt = readAt
    }
  }

  /// The feeds in the order in which they go.
  package static func order(_ feeds: [StoredFeed]) -> [Victim] {
    let sorted = feeds.sorted { ($0.readAt, $0.name) < ($1.readAt, $1.name) }
    return sorted.enumerated().map { index, feed in
      Victim(
        name: feed.name, source: feed.source, keepsTop: index == sorted.count - 1,
        readAt: feed.readAt)
    }
  }

  /// How a feed is made smaller by one step.
  package enum Step: Hashable, Sendable {
    /// Everything of it goes.
    case drop
    /// What stands below the cut goes; this is what is proven of the rest.
    case cut(Cut, leaving: Timeline)
    /// More of its lowest places must be seen: those given all stand in one second.
    case needsMore
    /// Nothing may go.
    case nothing
  }

  /// The most places that go in one step: as many as one upstream answer brings, so that a merge
  /// waits for a step no longer than for another merge.
  package static let placesMax = 100
  /// The places that stay where the top is kept: a first slice.
  package static let keptMin = 100
  /// The most places looked at for one step; a second that holds more goes whole.
  static let lookedMax = 1 << 14

  /// How many of a feed's lowest places have to be known for a step, at first.
  package static func foot(keepsTop: Bool) -> Int {
    placesMax + (keepsTop ? keptMin : 1)
  }

  /// The next step for a feed of which the lowest places are known; `limit` is how many of them
  /// were asked for.
  ///
  /// The cut lies right above the highest element that goes, in a feed by value right above its
  /// whole second: so there is one that was seen below every run, as the rules of the end ask.
  package static func step(for foot: FeedTail, limit: Int, keepsTop: Bool) -> Step {
    if foot.order == .whole { return keepsTop ? .nothing : .drop }
    let isAll = foot.places.count < limit
    if isAll, !keepsTop { return .drop }
    let mayGo = foot.places.count - (keepsTop ? keptMin : 1)
    guard let last = lastToGo(of: foot, among: mayGo) else {
      return isAll || limit > lookedMax ? (keepsTop ? .nothing : .drop) : .needsMore
    }
    let highest = foot.places[last].position
    let cut = foot.order == .value ? Cut.above(key: highest.order) : .above(highest)
    let gone = foot.places[...last].filter { $0.state == .live }.map(\.position)
    return .cut(cut, leaving: foot.timeline.cut(below: cut, losing: gone))
  }

  /// The highest place below which, itself included, all may go together.
  private static func lastToGo(of foot: FeedTail, among count: Int) -> Int? {
    let places = foot.places
    let candidates = places.indices.prefix(max(0, min(count, places.count - 1)))
    func mayEnd(_ index: Int) -> Bool {
      places[index].state == .live
        && (foot.order != .value
          || places[index].position.order < places[index + 1].position.order)
    }
    // Where a large second ends beyond the usual number of places, it goes whole.
    return candidates.prefix(placesMax).last(where: mayEnd)
      ?? candidates.dropFirst(placesMax).first(where: mayEnd)
  }
}

extension Timeline {
  /// What is left of it above a cut; `gone` are the elements that stood below.
  package func cut(below cut: Cut, losing gone: [Position]) -> Timeline {
    var timeline = self
    timeline.proofs = proofs.compactMap { proof in
      guard proof.lower < cut else { return proof }
      guard proof.upper > cut else { return nil }
      let lost = gone.count { proof.lower.isBelow($0) }
      var proof = proof
      proof.lower = cut
      proof.count = max(0, proof.count - lost)
      proof.rankBelow = max(0, proof.rankBelow - lost)
      return proof
    }
    // Looked at, and yet nothing proven, is what no feed ever is.
    if timeline.proofs.isEmpty { timeline.lookedAt = nil }
    for index in timeline.lineages.indices {
      timeline.lineages[index].floor = max(timeline.lineages[index].floor, cut)
    }
    return timeline
  }
}
