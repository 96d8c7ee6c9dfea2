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
  /// How many elements a window asks for.
  package var size: PageSize
  /// The source's rules.
  package var policy: Policy
  /// The present instant.
  package var now: Timestamp

  /// A plan for a feed of a pattern, of which `timeline` is known.
  package init(timeline: Timeline, of pattern: FeedPattern, policy: Policy, now: Timestamp) {
    self.timeline = timeline
    order = pattern.order
    paging = timeline.doubts.kept(pattern.paging)
    size = PageSize(full: paging.perPageMax)
    self.policy = policy
    self.now = now
  }

  /// When a reader may try again for whom no window brought proof, where nothing else says when.
  static let retryDuration = Duration.milliseconds(250)

  /// What a reader gets when no window brings proof: when the next may be asked for.
  package var unproven: ReadError {
    let tried = timeline.runs.compactMap { attempts[$0.lower] }
    let rests = (tried.map(\.restsUntil) + [timeline.doubts.restsUntil(.barren, at: now)])
      .compactMap(\.self).filter { $0 > now }
    let retryAt = rests.max() ?? now + Plan.retryDuration
    let isUncountable = tried.contains { attempt in
      attempt.isUncountable && attempt.restsUntil.map { $0 > now } ?? false
    }
    return .unproven(retryAt: retryAt, isUncountable: isUncountable)
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

  /// The last proof of a run: where it is extended.
  func bottom(of run: Timeline.Run) -> Proof {
    timeline.proofs[run.proofs.upperBound - 1]
  }

  /// Asks for what lies below a run; nil where no page shows that, or not now.
  package func askBelow(_ run: Timeline.Run) -> Ask? { ask(for: .below(run.lower), .reader) }

  /// Looks at the top, of which so many elements suffice.
  package func askTop(for purpose: Purpose, limit: Int) -> Ask {
    Ask(.top(limit), for: purpose, seenAt: timeline.lookedAt)
  }

  /// Asks for a place, or for where the way there begins; nil where no page shows it, or not now.
  package func ask(for place: Place, _ purpose: Purpose) -> Ask? {
    var target: Cut?
    if case .below(let cut) = place { target = cut }
    if let target, isAtRest(target) { return nil }
    guard let way = pager.way(to: place, for: purpose), pager.aim(at: way) != nil else {
      return nil
    }
    // Reading ahead is done by whatever is known, however old.
    let seenAt = purpose == .prefetch ? nil : seenAt(way)
    return Ask(way, for: purpose, seenAt: seenAt, towards: way == place ? nil : target)
  }

  /// Plans a look at what lies below a cut, to be made after the reply. The lock-free path has no
  /// retry state or page tokens, so it names the place alone, and the actor plans the look again.
  package func look(below cut: Cut, for purpose: Purpose) -> Ask? {
    let place = Place.below(cut)
    return ask(for: place, purpose).map { _ in Ask(place, for: purpose, seenAt: seenAt(place)) }
  }

  /// Looks at the end of a list that has an order of its own as at the top of others, where its
  /// total says that it goes on there, or an answer has shown that news come there.
  package var lookAtEnd: Ask? {
    guard order == .observed, timeline.proofs.count > 1, let end = timeline.proofs.last,
      end.lower == .bottom
    else { return nil }
    let isLonger = timeline.total.map { total in
      total.asOf > end.provenAt && total.value > end.rankBelow
        && total.value - end.rankBelow != timeline.doubts[.hidden]?.value
    }
    let isDue = now - end.provenAt >= .seconds(policy.freshSeconds)
    guard isLonger == true || isDue && timeline.doubts.makes(.rising) else { return nil }
    return look(below: end.upper, for: .head)
  }

  /// A look as it is asked for by what is known now; nil where nothing is to be asked for any more,
  /// or the way there would begin at the top, unless that is to be seen again as well.
  package func renewed(_ look: Ask) -> Ask? {
    guard case .below(var cut) = look.place else { return look }
    if look.purpose == .recheck {
      // Answers to other places may have proven a part of it, and what is left is as old.
      let rest = timeline.proofs.first { $0.provenAt == look.seenAt && $0.lower < cut }
      guard let rest else { return nil }
      cut = rest.upper
    } else if timeline.isProven(below: cut, after: look.seenAt) {
      return nil
    }
    guard let ask = ask(for: .below(cut), look.purpose) else { return nil }
    if look.purpose == .recheck, case .top = ask.place { return ask }
    guard ask.below != nil, pager.way(to: ask.place, for: .reader) == ask.place else { return nil }
    return ask
  }

  /// When a place was last seen; nil where it never was.
  func seenAt(_ place: Place) -> Timestamp? {
    switch place {
    case .top: timeline.lookedAt
    case .below(let cut): timeline.proof(below: cut)?.provenAt
    case .above, .sought, .rank, .again: nil
    }
  }

  func isAtRest(_ cut: Cut) -> Bool {
    let until = attempts[cut]?.restsUntil ?? now
    return until > now || timeline.doubts.restsUntil(.barren, at: now) != nil
  }

  /// The proofs a range of a run rests on, top first.
  func proofs(of run: Timeline.Run, from upper: Cut, to lower: Cut) -> [Proof] {
    let touching = timeline.proofs[run.proofs].filter { $0.upper > lower && $0.lower < upper }
    return touching.isEmpty ? Array(timeline.proofs[run.proofs].suffix(1)) : touching
  }
}
