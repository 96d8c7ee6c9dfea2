/// A request with its bounds resolved, and what has been done for it so far.
package struct Demand: Hashable, Sendable {
  /// The range's upper bound; ``Cut/top`` when none was asked.
  package var start: Cut = .top
  /// Whether it began at the top, and a gap there was passed.
  private var isTopPassed = false
  /// The range's lower bound; ``Cut/bottom`` when none was asked.
  package var end: Cut = .bottom
  /// The lineage under which `start` was given out; nil where it has a place of its own.
  package var startLineage: UInt64?
  /// The lineage under which `end` was given out.
  package var endLineage: UInt64?
  /// What the cursor it begins at remembers; nil where it begins a walk, or reads upwards.
  package var trail: Trail?
  /// 1 to 100.
  package var limit: Int
  /// Whether the end of the range is kept.
  package var takesLast = false
  /// Whether the top is looked at before answering.
  package var refreshes = false
  /// When the request came.
  package var arrivedAt: Timestamp
  /// Whether the upstream may be asked, or waited for, on its behalf.
  package var mayAsk = true
  /// Flights it waited for.
  package var calls = 0
  /// Of these, answers with next to nothing on them.
  package var poorCalls = 0
  /// The search for a place no run holds.
  package var seek: Seek?
  /// The rank at which the page begins; nil where positions say it.
  package var rank: Int?
  /// Whether `start` is where the page begins.
  package var isLocated = false
  /// Windows around the page's place that were asked for.
  package var jumps = 0
  /// Whether fewer than `limit` items, where more may come, are no answer.
  package var fillsUp = false
  /// Whether it is answered by what is known, however little that is.
  package var asksNothing = false

  /// Flights one request waits for at most: what it found by then is stored, and the next one goes
  /// on.
  package static let callsMax = 64
  /// Of these, answers with next to nothing on them.
  package static let poorCallsMax = 8
  /// Fewer elements than this are next to nothing.
  static let richCountMin = 10

  /// Whether it begins at the top, or right below a gap there.
  var isFromTop: Bool { start == .top || isTopPassed }

  /// Goes on below a gap.
  package mutating func pass(to cut: Cut) { (isTopPassed, start) = (isFromTop, cut) }

  /// What the walk remembers below its start, now that these moves are known.
  package func trail(knowing moves: [Move]) -> Trail {
    trail?.passing(start, moves) ?? Trail(beginningAt: start, moves)
  }

  /// Learns from a flight that it waited for, to an ask that a plan made. A search learns from the
  /// answer to its own page.
  package mutating func note(_ evidence: Evidence?, to ask: Ask, by plan: Plan) {
    calls += 1
    // Empty pages are followed to where the list goes on, so that the gap is known that they are.
    let isBelowHole = ask.below.flatMap { plan.continuations[$0]?.hole.pages } ?? 0 > 0
    if ask.below != nil, !isBelowHole, evidence?.elements.count ?? 0 < Demand.richCountMin {
      poorCalls += 1
    }
    mayAsk = calls < Demand.callsMax && poorCalls < Demand.poorCallsMax
    switch ask.place {
    case .rank: jumps += 1
    case .sought(let sought):
      seek = sought
      guard let aim = plan.pager.aim(at: ask.place) else { return }
      guard let evidence else {
        seek?.asked += 1
        return
      }
      // Where a place is named by something else than its rank, it was named on the way. An answer
      // that is smaller than it was asked for is the page of its number and size.
      if aim.isUnnamed || evidence.window.isAtMost(aim) { seek?.note(evidence) }
    case .top, .below, .above, .again: break
    }
  }

  /// A demand for the first `limit` items.
  package init(limit: Int, arrivedAt: Timestamp) {
    self.limit = limit
    self.arrivedAt = arrivedAt
  }
}

/// The stored range that can answer a demand.
package struct Scope: Hashable, Sendable {
  /// The run.
  package var run: Timeline.Run
  /// Where reading begins.
  package var upper: Cut
  /// Where reading ends.
  package var lower: Cut
}

/// The stored elements of a ``Scope``.
package struct Found: Hashable, Sendable {
  /// How many elements, counted up to one more than the demand's limit.
  package var count: Int
  /// The far side of those the slice takes when it is full: below its last element, or above
  /// its first one where the end of the range is kept.
  package var bound: Cut?
  /// Whether any element stands above the range's upper bound.
  package var hasAbove: Bool
  /// Whether any element stands below the range's lower bound.
  package var hasBelow: Bool

  /// What was found, from its parts.
  package init(count: Int, bound: Cut?, hasAbove: Bool, hasBelow: Bool) {
    self.count = count
    self.bound = bound
    self.hasAbove = hasAbove
    self.hasBelow = hasBelow
  }
}
