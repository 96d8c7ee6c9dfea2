/// Why a feed has gaps, stored with it: what is merely learnt in one is no change, also after a
/// restart and at another server.
extension Doubts {
  /// Takes in why the gaps of a feed are that is proven in so many runs: what came above the top
  /// that no look showed whole, and what was proven once.
  package mutating func keep(_ untold: Untold?, opened: [CutRange], runs: Int) {
    let names = [Claim.gaps, .untold, .opened].map(\.name)
    entries.removeAll { names.contains($0.name) }
    // Of a single run the end may be open that was proven once.
    guard runs > 1 || !opened.isEmpty else { return }
    let ranges = Territory.few(opened, at: Claim.opened.entriesMax)
    let entry = { (claim: Claim, subject: Subject) in
      Entry(name: claim.name, subject: subject, since: Timestamp(seconds: 0))
    }
    // With how many of the other two it says all: a claim that is too long is not stored.
    var gaps = entry(.gaps, .feed)
    (gaps.value, gaps.answers, gaps.asks) = (runs, ranges.count, untold == nil ? 0 : 1)
    entries.append(gaps)
    if let former = untold?.former {
      entries.append(entry(.untold, .range(CutRange(upper: former, lower: .bottom))))
    }
    entries += ranges.map { entry(.opened, .range($0)) }
  }

  /// What was said of the gaps of a feed that is proven in so many runs; nil where nothing was, or
  /// not all that was said is there.
  fileprivate func gaps(of runs: Int) -> (former: Cut?, opened: [CutRange])? {
    let untold = entries.filter { $0.name == Claim.untold.name }.compactMap(\.range)
    let opened = entries.filter { $0.name == Claim.opened.name }.compactMap(\.range)
    guard let gaps = self[.gaps], gaps.value == runs, gaps.answers == opened.count,
      gaps.asks == untold.count
    else { return nil }
    return (untold.first?.upper, opened)
  }
}

extension Untold {
  /// What is untold of a feed as it was stored. Where the reason of a gap below its top is not
  /// known, it may be untold.
  package init?(stored timeline: Timeline) {
    let runs = timeline.runs
    guard timeline.lookedAt != nil, runs.count > 1 else { return nil }
    let known = timeline.doubts.gaps(of: runs.count)
    guard let former = known.map(\.former) ?? runs[1].upper else { return nil }
    self.former = former
    sequence = timeline.sequence
  }
}

extension Territory {
  /// What was proven once of a feed as it was stored. Where the reason of its gaps is not known,
  /// they may have been.
  package static func opened(stored timeline: Timeline) -> [CutRange] {
    let runs = timeline.runs
    if let known = timeline.doubts.gaps(of: runs.count) { return known.opened }
    return zip(runs, runs.dropFirst()).map { run, next in
      CutRange(upper: run.lower, lower: next.upper)
    }
  }
}
