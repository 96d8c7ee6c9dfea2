import Engine
import Feed
import Merge
import Support

/// What a seed makes of a history of one merged feed over two or three upstreams, each of which
/// moves and fails by itself.
struct MergedScript: Hashable, Sendable, CustomStringConvertible {
  /// A part of the merged feed.
  struct Part: Hashable, Sendable {
    /// Its name.
    var name: String
    /// Which upstream it is of, counted from 0.
    var world: Int
    /// Its list.
    var feed: FeedID
    /// Whether the merged feed is shown without it where it fails.
    var isOptional: Bool
  }

  /// The upstreams' scripts. By the first one's the process lives: its store, its readers, how
  /// often it is killed.
  var worlds: [Script]
  /// The parts of the merged feed, by name.
  var parts: [Part]

  /// How many lists may be stored beside those of the parts.
  private static let feedsBesides = 3
  /// How long an answer of a part is waited for that may be left out.
  private static let optionalWaitMilliseconds = 1_000

  /// The script of a seed.
  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed ^ 0x6d65_7267_6564)
    let dialects = Dialect.all.shuffled(using: &random).prefix(random.number(2...3))
    (worlds, parts) = ([], [])
    for (index, dialect) in dialects.enumerated() {
      var kinds = Oddities(seed: seed &+ UInt64(index), only: nil).kinds
      // Where `Date` is of no use a part ends at its newest item, and the feed with it.
      kinds.subtract([.dates, .groups])
      // Where no rank tells how many follow, nothing contradicts an answer that ends too early.
      if !dialect.paging.isRanked { kinds.remove(.stubs) }
      var script = Script(seed: seed &* 3 &+ UInt64(index), only: kinds, in: dialect)
      let lists = [dialect.lists.items] + (random.chance(40) ? [dialect.lists.found] : [])
      script.feeds = lists
      for list in lists {
        parts.append(
          Part(
            name: "\(list == lists[0] ? "all" : "found")-\(dialect)", world: index, feed: list,
            isOptional: random.chance(25)))
      }
      worlds.append(script)
    }
    // A process that begins with a copy has nothing to tell by that it is one.
    if worlds[0].kills > 0 { for index in worlds.indices { worlds[index].odd.tellsAge = true } }
    // One part at least has to be there.
    if parts.allSatisfy(\.isOptional) { parts[0].isOptional = false }
    parts.sort { $0.name < $1.name }
    worlds[0].limits.feedsMax = max(
      worlds[0].limits.feedsMax, parts.count + MergedScript.feedsBesides)
  }

  var description: String {
    let parts = parts.map { "\($0.name)\($0.isOptional ? "?" : "")" }.joined(separator: " ")
    return "parts \(parts)\n" + worlds.map { "\($0)" }.joined(separator: "\n")
  }

  /// How many seconds the upstreams' clocks are ahead, of the one that is the least so: down to its
  /// present a merged feed reaches.
  var clockAhead: Int64 { worlds.map(\.clockAhead).min() ?? 0 }

  /// The feeds that readers ask for: the merged one, and some of its parts together.
  func feeds(of source: MergedSource) -> [FeedID] {
    let pattern = source.pattern
    let all = FeedID(
      source: source.source, pattern: pattern, parts: pattern.words.map { Array($0.utf8) })
    let some = parts.indices.filter { ($0 + worlds.count) % 2 == 0 }.map { parts[$0].name }
    return [all, all.with([("parts", Array(some.joined(separator: ",").utf8))])]
  }

  /// The merged feed's source, over the readers of the upstreams.
  func source(over readers: [FeedReader], time: any TimeSource) -> MergedSource? {
    MergedSource(
      name: MergedTruth.source,
      of: parts.map { part in
        MergedPart(
          name: part.name, feed: part.feed, source: readers[part.world],
          isOptional: part.isOptional)
      }, time: time)
  }

  /// The upstream of a part.
  func world(of part: String) -> Int { parts.first { $0.name == part }?.world ?? 0 }

  /// How many seconds what is dated ahead of another upstream's present waits for it.
  var clocksApart: Int64 { (worlds.map(\.clockAhead).max() ?? 0) - clockAhead }

  /// Whether a feed of upstreams that stand still is read until it is shown as they are: the store
  /// holds all of it, and what may be left out answers before it is.
  func settles(_ feed: FeedID) -> Bool {
    worlds[0].limits.bytesMax == nil
      && parts(of: feed.name).allSatisfy { part in
        let mostMilliseconds = 2 * worlds[part.world].latencyMilliseconds
        return !part.isOptional || mostMilliseconds < MergedScript.optionalWaitMilliseconds
      }
  }

  /// The parts of the merged feed of a name: all, or those that a reader has chosen.
  func parts(of list: String) -> [Part] {
    guard let chosen = list.split(separator: "parts=").dropFirst().first else { return parts }
    let names = chosen.replacing("%2C", with: ",").split(separator: ",").map(String.init)
    return parts.filter { names.contains($0.name) }
  }
}
