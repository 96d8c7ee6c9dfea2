/// What is proven of one feed: proofs that touch form runs, and between runs lie gaps.
package struct Timeline: Hashable, Sendable {
  /// Disjoint, top first. Two that touch (`lower` of one is `upper` of the next) are of one run.
  package var proofs: [Proof] = [] {
    didSet { runs = Timeline.runs(of: proofs) }
  }
  /// The runs, top first: kept, since every slice looks for its own.
  package private(set) var runs: [Run] = []
  /// When the feed's top was last looked at; nil until then.
  package var lookedAt: Timestamp?
  /// What the upstream last said of its size.
  package var total: Total?
  /// The number of the last change taken; 0 when none was.
  package var sequence: Int64 = 0
  /// The epoch of the store that counts these numbers; empty before a reader took it up.
  package var epoch = ""
  /// The names under which its positions were given out, the present one last; none in a feed by
  /// value.
  package var lineages: [Lineage] = []

  /// The last moves of its elements, the latest last; none in a feed that comes whole.
  package var moves: [Move] = []

  /// What its answers claim and is not believed yet, and what is remembered of them for that.
  package var doubts = Doubts()

  /// What its proofs lack; not stored.
  package var omissions = Omissions()

  /// A timeline of which nothing is known.
  package init() {}

  /// Elements proven adjacent: a chain of proofs without a gap.
  package struct Run: Hashable, Sendable {
    /// Its proofs' places in ``Timeline/proofs``.
    package var proofs: Range<Int>
    /// Its upper bound.
    package var upper: Cut
    /// Its lower bound.
    package var lower: Cut

    /// From its upper to its lower bound.
    var range: CutRange { CutRange(upper: upper, lower: lower) }

    /// Whether the feed's end lies in it.
    package var reachesEnd: Bool { lower == .bottom }
  }

  /// Whether what lies right below a cut was proven after an instant, or at all where that is
  /// nil; also when there is nothing left to prove, since no range ends or begins there.
  package func isProven(below cut: Cut, after provenAt: Timestamp?) -> Bool {
    guard let proof = proof(below: cut) else { return !isBound(cut) }
    return provenAt.map { proof.provenAt > $0 } ?? true
  }

  /// Whether what lies right above a cut is proven, or no range begins there any more.
  package func isProven(above cut: Cut) -> Bool {
    proofs.contains { $0.lower <= cut && $0.upper > cut } || !isBound(cut)
  }

  /// Whether all of a range is proven, by one answer or several.
  func proves(_ range: CutRange) -> Bool { runs.contains { $0.range.covers(range) } }

  /// Whether a proof speaks of what lies right below a cut.
  package func holdsProof(below cut: Cut) -> Bool { proof(below: cut) != nil }

  /// The proof that speaks of what lies right below a cut; nil where none does.
  package func proof(below cut: Cut) -> Proof? {
    proofs.first { $0.upper >= cut && $0.lower < cut }
  }

  /// The rank of what lies below a cut, as far as it is known.
  package func rank(of cut: Cut) -> Int {
    if let above = proofs.last(where: { $0.lower >= cut }), above.lower == cut {
      return above.rankBelow
    }
    guard let holder = proofs.first(where: { $0.lower < cut }) else {
      return proofs.last?.rankBelow ?? 0
    }
    return max(0, holder.rankBelow - holder.count)
  }

  /// Whether a proof begins or ends at a cut.
  package func isBound(_ cut: Cut) -> Bool {
    proofs.contains { $0.upper == cut || $0.lower == cut }
  }

  /// The first run that lies whole below a cut; nil where none does.
  package func nextRun(below cut: Cut) -> Run? { runs.first { $0.upper < cut } }

  private static func runs(of proofs: [Proof]) -> [Run] {
    var runs: [Run] = []
    for (index, proof) in proofs.enumerated() {
      if let last = runs.indices.last, runs[last].lower == proof.upper {
        runs[last].proofs = runs[last].proofs.lowerBound..<index + 1
        runs[last].lower = proof.lower
      } else {
        runs.append(Run(proofs: index..<index + 1, upper: proof.upper, lower: proof.lower))
      }
    }
    return runs
  }
}

extension Timeline {
  /// The latest instant that an answer is of; nil where none was stored.
  package var latest: Timestamp? {
    (proofs.map(\.provenAt) + [lookedAt, total?.asOf].compactMap(\.self)).max()
  }

  /// Whether a number of this feed was given out that is not taken here yet, where it is of this
  /// history.
  package func isBehind(_ number: SequenceNumber) -> Bool {
    number.epoch == SequenceNumber.told(epoch) && number.number > sequence
  }

  /// Takes what is proven of a range, and of the elements it holds, for unknown. Returns whether
  /// all of it was proven, by one answer or several.
  @discardableResult
  package mutating func open(_ gap: CutRange, holding held: Int = 0) -> Bool {
    let isWhole = proves(gap)
    proofs = proofs.flatMap { Timeline.without(gap, holding: held, $0) }
    return isWhole
  }

  /// Takes a range that lies between two proofs for proven as the lower one is.
  package mutating func close(_ gap: CutRange) {
    guard let index = proofs.firstIndex(where: { $0.upper == gap.lower }), index > 0,
      proofs[index - 1].lower == gap.upper
    else { return }
    proofs[index].upper = gap.upper
  }

  /// What is left of a proof above and below a range.
  private static func without(_ range: CutRange, holding held: Int, _ proof: Proof) -> [Proof] {
    guard range.upper > proof.lower, range.lower < proof.upper else { return [proof] }
    var proof = proof
    proof.count = max(0, proof.count - held)
    var above = proof
    var below = proof
    above.lower = range.upper
    below.upper = range.lower
    // How many stand on which side is not known: about as many as the cut leaves.
    let isSplit = above.upper > above.lower && below.upper > below.lower
    if isSplit {
      above.count = proof.count / 2
      below.count = proof.count - above.count
      above.rankBelow = proof.rankBelow - below.count
    }
    return [above, below].filter { $0.upper > $0.lower }
  }
}
