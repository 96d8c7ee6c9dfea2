package import Feed
package import Support

/// A list as an upstream has it, top first, that remembers which element was there when.
package struct ScriptedList: Sendable {
  /// An element of the list.
  package struct Entry: Hashable, Sendable {
    /// What names it.
    package var id: Identity
    /// `created_at`; 0 throughout in a list whose order is its own.
    package var second: Int64
  }
  /// When an element was last in the list, all the time at the same place.
  package struct Presence: Hashable, Sendable {
    /// `created_at`.
    package var second: Int64
    /// Since when it is there.
    package var since: Timestamp
    /// When it left; nil while it is there.
    package var until: Timestamp?
  }
  /// The elements, top first.
  package private(set) var entries: [Entry] = []
  /// Every element there ever was, as it was there last.
  package private(set) var history: [Identity: Presence] = [:]

  /// An empty list.
  package init() {}

  /// Puts an element above all others of its second or older.
  package mutating func insert(_ id: Identity, second: Int64, at now: Timestamp) {
    let index = entries.firstIndex { $0.second <= second } ?? entries.count
    insert(id, second: second, index: index, at: now)
  }

  /// Puts an element at a place of a list whose order is its own.
  package mutating func insert(_ id: Identity, second: Int64, index: Int, at now: Timestamp) {
    entries.insert(Entry(id: id, second: second), at: index)
    history[id] = Presence(second: second, since: now)
  }

  /// Takes an element out.
  package mutating func remove(_ id: Identity, at now: Timestamp) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    entries.remove(at: index)
    history[id]?.until = now
  }

  /// Says that an element is one for readers only since now: before it could not be used.
  package mutating func mend(_ id: Identity, at now: Timestamp) {
    if history[id]?.until == nil { history[id]?.since = now }
  }

  /// What a window shows; those of one second in an order of their own, if a generator is given.
  package func shown(
    in window: Window, shufflingTiesBy random: inout SeededGenerator, ifWanted shuffles: Bool
  ) -> [Entry] {
    guard window.firstRank < entries.count else { return [] }
    let range = window.firstRank..<min(window.endRank, entries.count)
    guard shuffles else { return Array(entries[range]) }
    var lower = range.lowerBound
    while lower > 0, entries[lower - 1].second == entries[lower].second { lower -= 1 }
    var upper = range.upperBound
    while upper < entries.count, entries[upper].second == entries[upper - 1].second { upper += 1 }
    var ties = entries[lower..<upper]
    var start = ties.startIndex
    while start < ties.endIndex {
      let end = ties[start...].firstIndex { $0.second != ties[start].second } ?? ties.endIndex
      ties[start..<end].shuffle(using: &random)
      start = end
    }
    return Array(ties[range])
  }
}
