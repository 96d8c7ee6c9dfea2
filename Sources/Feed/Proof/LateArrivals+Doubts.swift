/// Late arrivals as they are stored, so that a restart goes on with a search that has begun, and so
/// does another server.
extension Doubts {
  /// The claims that elements came late, each of a range and with how many of them stand in it, top
  /// first.
  var late: [Entry] {
    entries.filter { $0.name == Claim.late.name }
      .sorted { ($0.range?.upper ?? .bottom) > ($1.range?.upper ?? .bottom) }
  }

  /// Where the first of the ranges begins in which elements came late; nil where none did.
  package var lateBelow: Cut? { late.first?.range?.upper }

  /// Whether these are the late arrivals that it claims.
  package func claims(_ arrivals: LateArrivals?) -> Bool { late == Doubts.entries(of: arrivals) }

  /// Takes in where late arrivals are by now; nil where there are none.
  package mutating func keep(_ arrivals: LateArrivals?) {
    guard !claims(arrivals) else { return }
    entries.removeAll { $0.name == Claim.late.name }
    entries += Doubts.entries(of: arrivals)
  }

  private static func entries(of arrivals: LateArrivals?) -> [Entry] {
    guard let arrivals else { return [] }
    var stretches = arrivals.stretches
    let rest = stretches.dropFirst(Claim.late.entriesMax)
    stretches.removeLast(rest.count)
    if let last = rest.last, !stretches.isEmpty {
      stretches[stretches.count - 1].end = last.end
      stretches[stretches.count - 1].count += rest.reduce(0) { $0 + $1.count }
    }
    return stretches.map { stretch in
      let range = CutRange(upper: stretch.cut, lower: stretch.end)
      var entry = Entry(name: Claim.late.name, subject: .range(range), since: arrivals.since)
      (entry.value, entry.asks) = (stretch.count, arrivals.windows)
      entry.answers = arrivals.isConfirmed ? Claim.late.answers : 1
      return entry
    }
  }
}

extension LateArrivals {
  /// Those that are claimed, to be looked for further; nil where none are, or nothing is known in
  /// which they could be. `known` are the known elements below the first of their ranges, of which
  /// the first has `firstRank`; `total` is the total that this goes by.
  package init?(claimedBy doubts: Doubts, known: [Position], firstRank: Int, total: Int?) {
    let claims = doubts.late
    guard let first = claims.first, !known.isEmpty else { return nil }
    self.init(
      count: 0, below: .top, since: first.since, known: known, firstRank: firstRank, total: total,
      windows: first.asks, reachesEnd: claims.last?.range?.lower == .bottom)
    resume(claims)
  }
}
