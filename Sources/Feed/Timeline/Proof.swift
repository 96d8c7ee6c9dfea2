/// A range of a feed and the upstream answer it rests on: at `provenAt` the elements stored
/// between `upper` and `lower` were all there were.
package struct Proof: Hashable, Sendable {
  /// The range's upper bound.
  package var upper: Cut
  /// The range's lower bound; ``Cut/bottom`` when the feed was seen to end here.
  package var lower: Cut
  /// When the request whose answer proved it was sent.
  package var provenAt: Timestamp
  /// How many elements the upstream had in it.
  package var count: Int
  /// The rank of the first element below it, as last estimated: exact when proven, then moved
  /// by what later answers showed. Only aims windows by it; nothing is proven by a rank.
  package var rankBelow: Int
  /// What it is believed by that nothing stands between its first element and the one above; nil
  /// where that is proven, or nothing is said of it.
  package var belief: JoinProof?

  /// A proof from its parts.
  package init(
    upper: Cut, lower: Cut, provenAt: Timestamp, count: Int, rankBelow: Int,
    belief: JoinProof? = nil
  ) {
    self.belief = belief
    self.upper = upper
    self.lower = lower
    self.provenAt = provenAt
    self.count = count
    self.rankBelow = rankBelow
  }
}

extension Proof {
  /// From its upper to its lower bound.
  package var range: CutRange { CutRange(upper: upper, lower: lower) }

  /// Whether its answer left it open that more follows on the end of the feed that it shows. Where
  /// pages are not joined by nothing, only such a proof is believed by nothing.
  package func isDoubted(in paging: Paging, _ order: FeedOrder) -> Bool {
    let joins = order == .whole ? nil : paging.joins
    return belief == JoinProof.none && [nil, .upstream].contains(joins)
  }
}

/// How many elements the upstream says the feed has.
package struct Total: Hashable, Sendable {
  /// Elements, not capped by what can be reached.
  package var value: Int
  /// When it was asked.
  package var asOf: Timestamp

  /// A total from its parts.
  package init(value: Int, asOf: Timestamp) {
    self.value = value
    self.asOf = asOf
  }
}

extension Collection<Proof> {
  /// How many elements they have in all.
  package var elementCount: Int { reduce(0) { $0 + $1.count } }
}
