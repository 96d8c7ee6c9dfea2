/// What to do next for a request.
package enum Step: Hashable, Sendable {
  /// Answer with what is known.
  case serve(Outcome)
  /// Ask for a place, or wait for the flight in progress, and plan again.
  case fetch(Ask)
  /// Go on reading at this cut: the gap above it can never be filled.
  case pass(to: Cut)
  /// Answer with the page as the upstream shows it: nothing about its place can be proven.
  case show
  /// The position can no longer be found: nothing in the items shows where it was.
  case expired(isStart: Bool)
  /// Nothing can be shown, and nothing more may be asked.
  case fail

  /// How a slice is cut out of what is known.
  package struct Outcome: Hashable, Sendable {
    /// How many of the found elements it takes.
    package var count = 0
    /// Whether there is more to the end of the range.
    package var hasMore: Bool
    /// Whether there is something above.
    package var hasPrevious: Bool
    /// Why there is no more.
    package var endReason: EndReason?
    /// The gap it ends at.
    package var gap: Slice.Gap?
    /// How old what it rests on is.
    package var freshness: Freshness
    /// What the weakest of its joins rests on.
    package var proof = JoinProof.value
    /// The stretch that the found elements are all of; nil where nothing was read.
    package var covers: CutRange?
    /// What to look at behind the reply, one after the other: at most the top and a range.
    package var looks: [Ask] = []
  }
}
