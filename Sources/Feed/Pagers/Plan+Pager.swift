extension Plan {
  /// How this feed is asked for: one line for each way of paging.
  var pager: any Pager {
    switch paging.addressing {
    case .page, .offset, .pages:
      guard let grain = paging.past, order == .value, paging.accept <= .upstream else {
        return RankedPager(plan: self)
      }
      return SegmentedPager(plan: self, grain: grain)
    case .key where order == .value: return KeyedPager(plan: self)
    case .key, .anchor: return AnchoredPager(plan: self)
    case .next: return FollowingPager(plan: self)
    }
  }

  /// The page that shows a place, and the one function that names it: when the call departs. Nil
  /// where no page does; the top where its place cannot be named.
  package func request(for place: Place, by handles: any Handles) -> Window? {
    let pager = pager
    guard let aim = pager.aim(at: place) else { return nil }
    let cut: Cut?
    switch place {
    case .top: return aim
    case .below(let place), .above(let place), .again(_, let place): cut = place
    case .sought(let seek): cut = seek.target
    case .rank: cut = timeline.proofs.last { $0.rankBelow >= aim.firstRank }?.lower
    }
    if let page = cut.flatMap({ pager.name(aim, below: $0, by: handles) }) { return page }
    return aim.isUnnamed ? Window(.mark(nil, rank: 0), perPage: aim.perPage) : aim
  }

  /// How many proven elements a page that extends a run begins with, at the least.
  var overlap: Int { order == .value ? 1 : OrderMatch.anchorCount }

  /// Where pages are aimed at that show what lies below a cut. The rank is an estimate: where a
  /// page at the end of a run missed it, and it lies beyond what the feed has by its total, it is
  /// looked for from the end on.
  func target(below cut: Cut) -> Target {
    let attempt = attempts[cut] ?? ExtensionAttempts()
    let isBottom = timeline.runs.contains { $0.lower == cut }
    if !isBottom, let proof = timeline.proofs.first(where: { $0.upper == cut }) {
      let rank = proof.rankBelow - proof.count
      return Target(cut: cut, rank: rank, perPageMax: size.perPageMax, attempt: attempt)
    }
    var rank = timeline.rank(of: cut)
    if paging.isRanked, attempt.misses > 0 {
      rank = min(rank, max(timeline.total?.value ?? .max, 1))
    }
    let contested = size.hides ? nil : timeline.doubts.perPageMax(below: rank)
    let most = min(size.perPageMax, contested ?? .max)
    return Target(cut: cut, rank: rank, perPageMax: most, attempt: attempt)
  }
}
