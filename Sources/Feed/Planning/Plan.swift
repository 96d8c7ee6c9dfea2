/// Decides the next step towards a slice. Pure: a state goes in, a step comes out, and
/// ``FeedReader`` performs it and asks again.
package struct Plan: Sendable {
  /// What is proven of the feed.
  package var timeline: Timeline
  /// How the upstream is asked.
  package var paging: Paging
  /// How the feed is ordered, and so how a run is extended.
  package let order: FeedOrder
  /// What has been tried to extend runs, by their lower bounds.
  package var attempts: [Cut: ExtensionAttempts] = [:]
  /// Where runs may be gone on with by the upstream's word, by the cuts at which they end.
  package var continuations: [Cut: Continuation] = [:]
  /// The list that was asked for last of what lies past the wall.
  package var segment: Window.Segment?
  /// When the top was last asked for, whatever the answer proved: a copy out of a cache may prove
  /// nothing that is later than what is known.
  package var askedAt: Timestamp?
  /// The most elements a window asks for; lowered while the upstream's answers are too large.
  package var perPageMax: Int
  /// The most of which a window is known to come whole.
  package var perPageSure: Int
  /// The least size that failed lately, if any did; beyond all sizes otherwise.
  package var perPageFailed = Int.max
  /// The source's rules.
  package var policy: Policy
  /// The present instant.
  package var now: Timestamp

  /// A plan for a feed of a pattern, of which `timeline` is known.
  package init(timeline: Timeline, of pattern: FeedPattern, policy: Policy, now: Timestamp) {
    self.timeline = timeline
    order = pattern.order
    paging = pattern.paging
    perPageMax = paging.perPageMax
    perPageSure = paging.perPageMax
    self.policy = policy
    self.now = now
  }

  /// When a reader may try again of whom no window brought proof and nobody says when to.
  static let retryDuration = Duration.milliseconds(250)

  /// What a reader is told when no window brings proof: when the next may be asked for.
  package var unavailable: ReadError {
    let tried = timeline.runs.compactMap { attempts[$0.lower] }
    let rests = (tried.map(\.restsUntil) + [timeline.doubts.restsUntil(.barren, at: now)])
      .compactMap(\.self).filter { $0 > now }
    let retryAt = rests.max() ?? now + Plan.retryDuration
    let isUncountable = tried.contains { attempt in
      attempt.isUncountable && attempt.restsUntil.map { $0 > now } ?? false
    }
    return isUncountable ? .uncountable(retryAt: retryAt) : .unavailable(retryAt: retryAt)
  }

  /// The run that begins at the top; nil before the top was ever looked at.
  package var head: Timeline.Run? {
    timeline.lookedAt == nil ? nil : timeline.runs.first
  }

  /// How long ago the top was last looked at, or asked for in vain; nil where it never was.
  package var sinceLook: Duration? {
    timeline.lookedAt.map { now - max($0, askedAt ?? $0) }
  }

  /// The run in which a range that begins at `start` is read downwards: the one that holds the
  /// place right below `start`, or whose bottom second holds it.
  func run(below start: Cut) -> Timeline.Run? {
    if let head, start >= head.lower { return head }
    // A run may begin in the open second of the one above it, which ends there at the
    // wall: what stands in a run is read in that.
    return timeline.runs.first { $0.lower < start && start <= $0.upper }
      ?? timeline.runs.first { isAtBottom(start, of: $0) }
  }

  /// Whether a cut is the run's lower bound or lies in the open second right below it.
  func isAtBottom(_ cut: Cut, of run: Timeline.Run) -> Bool {
    guard !run.reachesEnd else { return false }
    guard order == .value else { return cut == run.lower }
    return cut <= run.lower && cut >= openCut(of: run)
  }

  /// The cut below the second that is open at the run's bottom; an element was seen above it.
  /// In a feed that is not ordered by value its place is not known beforehand.
  func openCut(of run: Timeline.Run) -> Cut {
    order != .value ? .bottom : .below(key: run.lower.keyBelow)
  }

  /// Whether no window can reach beyond the run's bottom: ``Paging/reachMax``.
  func isAtWall(_ run: Timeline.Run) -> Bool {
    let rank = rankBelow(run)
    if paging.addressing == .next {
      return rank >= paging.reachMax || (paging.joins ?? .none) < paging.accept
    }
    // Of one size, the page that ends at the wall may have been seen to its end.
    if paging.addressing == .pages { return window(below: run.lower, rank: rank) == nil }
    return isPastReach(run.lower, rank: rank) && segmentWindow(below: run.lower, rank: rank) == nil
      && joined(below: run.lower, rank: rank) == nil
  }

  /// The rank of what lies below a run. It is an estimate: where a window there missed it, and it
  /// lies beyond what the feed has by its total, it is looked for from the end on.
  private func rankBelow(_ run: Timeline.Run) -> Int {
    let rank = bottom(of: run).rankBelow
    guard paging.isRanked, attempts[run.lower]?.misses ?? 0 > 0 else { return rank }
    return min(rank, max(timeline.total?.value ?? .max, 1))
  }

  /// The last proof of a run: where it is extended.
  func bottom(of run: Timeline.Run) -> Proof {
    timeline.proofs[run.proofs.upperBound - 1]
  }

  /// How many proven elements a window that extends a run begins with, at the least.
  private var overlap: Int { order == .value ? 1 : OrderMatch.anchorCount }

  /// The window that shows what lies right below a cut, where rank `rank` is estimated to be; nil
  /// at the wall.
  ///
  /// It begins at or before the last element strictly newer than the open second, so that the
  /// whole second is read in one answer. Where no such window reaches beyond what was seen, the
  /// second is counted over several answers instead (``TieCount``). After misses it steps back, and
  /// when it steps back too far to reach beyond the cut, it shows where that stands now.
  func window(below cut: Cut, rank: Int) -> Window? {
    if paging.addressing == .key {
      return windowInside(below: cut, rank: rank)
        ?? Window(.mark(nil, rank: max(1, rank)), perPage: perPageMax)
    }
    if segmentsBegin(at: cut, rank: rank) { return segmentWindow(below: cut, rank: rank) }
    let attempt = attempts[cut] ?? ExtensionAttempts()
    let reach = attempt.misses > 0 ? reach : paging.reachMax
    let rank = paging.isRanked ? min(rank, reach, attempt.ceiling ?? reach) : rank
    let seen = attempt.tieCount?.need().beyond ?? rank
    let need = rank - overlap - WindowChoice.slack(afterMisses: attempt.misses)
    // A page that was seen to its end brings nothing more, unless it is looked for again.
    let isLookedFor = attempt.misses > 0 || paging.addressing != .pages
    let ended = isLookedFor ? 0 : (continuations.lowest(from: cut)?.end.window.endRank ?? 0) - 1
    let beyond = max(seen, rank, ended)
    // Having stepped back in vain, it begins further up, as far as the size allows.
    let steps = attempt.returns == 0 ? [] : (0...min(attempt.returns, 6)).reversed().map { 1 << $0 }
    let slacks = steps + [0]
    let next: (Int) -> Window? = { perPage in
      slacks.lazy.compactMap {
        paging.window(from: need - $0, beyond: beyond, perPageMax: perPage)
      }.first
        ?? attempt.tieCount.flatMap { window(counting: $0, perPageMax: perPage) }
    }
    let standing =
      attempt.misses == 0
      ? nil : paging.window(from: need, beyond: max(need, 0), perPageMax: perPageMax)
    if let window = next(perPageMax) ?? (attempt.returns == 0 ? standing : nil) { return window }
    // A smaller page reaches less deep, 10 elements 1,000 ranks, and has fewer places to begin at.
    // Then a larger one is tried after all, at first one that has not failed yet.
    let larger = (perPageMax...max(perPageMax, paging.perPageMax)).dropFirst()
    return larger.prefix { $0 < perPageFailed }.lazy.compactMap(next).first
      ?? standing ?? larger.lazy.compactMap(next).first
      ?? joined(below: cut, rank: rank)
  }

  /// Whether no window of the feed shows what lies right below a cut, which stands at a rank.
  private func isPastReach(_ cut: Cut, rank: Int, perPageMax: Int = .max) -> Bool {
    let counting = attempts[cut]?.tieCount?.need(slackMax: 0)
    let window: (Int, Int) -> Window? = { need, seen in
      paging.window(from: need, beyond: seen, perPageMax: perPageMax)
    }
    if window(rank - overlap, max(rank, counting?.beyond ?? 0)) != nil { return false }
    return counting.flatMap { window($0.rank, $0.beyond) } == nil
  }

  /// The window that shows more of the key which is open below a cut, where no answer showed all
  /// of it: its elements are counted page by page (``TieCount``). Nil where one may, or there is no
  /// way in.
  private func windowInside(below cut: Cut, rank: Int) -> Window? {
    guard paging.isPagedInside, order == .value, let attempt = attempts[cut],
      attempt.tieCount != nil || attempt.idle > 0
    else { return nil }
    let first = attempt.tieCount?.start ?? max(1, rank)
    var segment = Window.Segment(keyMax: cut.keyBelow, rank: first)
    (segment.isCounted, segment.isInside) = (true, true)
    guard let tieCount = attempt.tieCount else {
      return window(in: segment, from: first, beyond: first, perPageMax: perPageMax)
    }
    return window(counting: tieCount, perPageMax: perPageMax, in: segment)
  }

  /// How finely what lies past the wall is asked for by its key; nil where it is not.
  var segmentGrain: KeyGrain? {
    order == .value && paging.accept <= .upstream ? paging.past : nil
  }

  /// Whether what lies right below a cut is asked for in a segment: what was begun to be counted in
  /// one is counted there to its end.
  private func segmentsBegin(at cut: Cut, rank: Int) -> Bool {
    guard let grain = segmentGrain else { return false }
    let attempt = attempts[cut] ?? ExtensionAttempts()
    let isLast = segment?.keyMax == grain.last(of: cut.keyBelow)
    if isLast, attempt.tieCount != nil { return true }
    // Pages that come smaller than they were asked for, or not at all where they are larger, reach
    // less deep.
    let isTried = attempt.idle > 1 || attempt.rests > 0
    let borne = perPageFailed == .max ? perPageFailed : max(perPageMax, perPageFailed - 1)
    return isPastReach(cut, rank: rank, perPageMax: isTried ? perPageMax : borne)
  }

  /// The window of a segment that shows what lies right below a cut: of the one that was asked for
  /// last as long as that reaches, else of one that begins with the cut's own key, whose elements
  /// above the cut have yet to be counted. Nil where the wall of that one, too, is reached.
  private func segmentWindow(below cut: Cut, rank: Int) -> Window? {
    guard let grain = segmentGrain else { return nil }
    let attempt = attempts[cut] ?? ExtensionAttempts()
    let key = cut.keyBelow
    let isLast = segment?.keyMax == grain.last(of: key)
    // What one showed of the place in vain, another one shows from its top on.
    let isSpent = attempt.misses == 0 && attempt.idle > 1 && !isLast
    guard !isSpent, let segment, segment.keyMax >= key, rank > segment.rank else {
      return segmentTop(keyMax: grain.last(of: key), rank: rank)
    }
    let slack = WindowChoice.slack(afterMisses: attempt.misses)
    let beyond = max(rank, attempt.tieCount?.need().beyond ?? 0)
    let next: (Int) -> Window? = { perPageMax in
      window(
        in: segment, from: rank - overlap - slack, beyond: beyond, perPageMax: perPageMax)
        ?? attempt.tieCount.flatMap { window(counting: $0, perPageMax: perPageMax, in: segment) }
    }
    if let window = next(perPageMax) { return window }
    // Smaller pages reach less deep.
    return isLast
      ? next(paging.perPageMax) : segmentTop(keyMax: grain.last(of: key), rank: rank)
  }

  /// The first page of a segment of which nothing is known but about where it begins.
  func segmentTop(keyMax: Int64, rank: Int) -> Window {
    var window = paging.top(perPage: perPageMax)
    window.segment = Window.Segment(keyMax: keyMax, rank: rank)
    window.keyMax = keyMax
    return window
  }

  /// The window of a segment that begins at or before a rank of the feed; nil where none reaches
  /// beyond what was seen.
  package func window(
    in segment: Window.Segment, from need: Int, beyond seen: Int, perPageMax: Int
  ) -> Window? {
    let paging = segment.isInside ? paging.inside : paging
    let window = paging.window(
      from: need - segment.rank, beyond: max(0, seen - segment.rank), perPageMax: perPageMax)
    guard var window else { return nil }
    if window.firstRank == 0 { window.keyMax = segment.keyMax }
    window.segment = segment
    return window
  }

  /// The page after the one that brought the end of a run, or that one again where nothing is kept
  /// of it: it is joined by what the source's answers are worth. Nil where that is not served, or
  /// nothing lies below.
  private func joined(below cut: Cut, rank: Int) -> Window? {
    guard let joins = paging.joins, joins >= paging.accept, paging.addressing == .pages else {
      return nil
    }
    guard let last = continuations[cut]?.window else {
      return paging.window(from: rank - 1, beyond: max(rank - 1, 0) - 1)
    }
    return paging.window(from: last.endRank, beyond: last.endRank)
  }

  /// Asks for the page that follows on the lowest end that is known at a run's bottom or above; nil
  /// where a word is not taken, or none is kept, so that the way down begins at the top.
  func askFollowing(_ cut: Cut) -> Ask? {
    guard let joins = paging.joins, joins >= paging.accept, rank(of: cut) < paging.reachMax else {
      return nil
    }
    guard let end = continuations.keys.filter({ $0 >= cut && timeline.isBound($0) }).min(),
      let mark = continuations[end]?.mark
    else {
      return Ask(paging.top(perPage: perPageMax), for: .reader, lookedAt: timeline.lookedAt)
    }
    let provenAt = timeline.proofs.first { $0.upper >= end && $0.lower < end }?.provenAt
    return Ask(
      Window(.mark(mark, rank: max(1, rank(of: end))), perPage: perPageMax), for: .reader,
      below: end, provenAt: provenAt)
  }

  /// The rank of what lies below a cut, as far as it is known.
  package func rank(of cut: Cut) -> Int {
    if let above = timeline.proofs.last(where: { $0.lower >= cut }), above.lower == cut {
      return above.rankBelow
    }
    guard let holder = timeline.proofs.first(where: { $0.lower < cut }) else {
      return timeline.proofs.last?.rankBelow ?? 0
    }
    return max(0, holder.rankBelow - holder.count)
  }

  /// The window by which a second is counted on: with some slack for what was deleted above it, or
  /// with none where no window of the size bears that.
  private func window(
    counting tieCount: TieCount, perPageMax: Int, in segment: Window.Segment? = nil
  ) -> Window? {
    [perPageMax / 4, 0].lazy.compactMap { slackMax in
      let need = tieCount.need(slackMax: slackMax)
      if let segment {
        return window(
          in: segment, from: need.rank, beyond: need.beyond, perPageMax: perPageMax)
      }
      return paging.window(from: need.rank, beyond: need.beyond, perPageMax: perPageMax)
    }.first
  }

  /// The rank below which the upstream said it has nothing. A run by value that ends there is
  /// proven by the window that shows the end; one by sight needs elements in it.
  private var reach: Int {
    order == .value ? paging.reachMax : timeline.total?.value ?? paging.reachMax
  }

  /// Asks for what lies below a run; nil when that cannot be shown, or not now.
  package func askBelow(_ run: Timeline.Run) -> Ask? {
    guard !isAtRest(run.lower) else { return nil }
    if paging.addressing == .next { return askFollowing(run.lower) }
    let rank = rankBelow(run)
    var plan = self
    plan.perPageMax = min(perPageMax, timeline.doubts.perPageMax(below: rank) ?? perPageMax)
    return plan.window(below: run.lower, rank: rank)
      .map { Ask($0, for: .reader, below: run.lower) }
  }

  func isAtRest(_ cut: Cut) -> Bool {
    let until = attempts[cut]?.restsUntil ?? now
    return until > now || timeline.doubts.restsUntil(.barren, at: now) != nil
  }

  /// Asks for what lies right above a run, as far up as one window shows that reaches into the run.
  /// Nil where such windows do not meet the run: then it is met from above.
  func askAbove(_ run: Timeline.Run) -> Ask? {
    let misses = attempts[run.upper]?.missesAbove ?? 0
    guard order == .value, paging.isRanked, misses < ExtensionAttempts.missesAboveMax else {
      return nil
    }
    let first = timeline.proofs[run.proofs.lowerBound]
    let rank = first.rankBelow - first.count
    let window = paging.window(
      upFrom: rank + WindowChoice.depth(afterMisses: misses), perPageMax: perPageMax)
    return Ask(window, for: .reader, above: run.upper)
  }

  /// Looks at the top: a cold feed's first window is small when that suffices, since it comes
  /// sooner, and the pages below it may be larger; calls count, items do not, so every other one is
  /// as large as may be.
  package func askTop(for purpose: Purpose, limit: Int) -> Ask {
    let isCold = timeline.proofs.isEmpty && timeline.lookedAt == nil
    let isSmall = isCold && limit < policy.firstWindow && !paging.keepsSize
    let most = min(perPageSure, perPageMax)
    let perPage = isSmall ? min(policy.firstWindow, most) : most
    return Ask(paging.top(perPage: perPage), for: purpose, lookedAt: timeline.lookedAt)
  }

  /// The proofs a range of a run rests on, top first.
  func proofs(of run: Timeline.Run, from upper: Cut, to lower: Cut) -> [Proof] {
    let touching = timeline.proofs[run.proofs].filter { $0.upper > lower && $0.lower < upper }
    return touching.isEmpty ? Array(timeline.proofs[run.proofs].suffix(1)) : touching
  }
}
