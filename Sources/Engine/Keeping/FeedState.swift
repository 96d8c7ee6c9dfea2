import Feed

/// The reader's state of one feed in memory: timeline, attempts, sizes, doubts.
struct FeedState {
  var timeline = Timeline()
  /// The fingerprint of the recipe that it is read by.
  let recipe: Int64?
  /// How its upstream pages, as its recipe says.
  let paging: Paging
  /// What has been tried to extend its runs, by their lower bounds.
  var attempts: [Cut: ExtensionAttempts] = [:]
  /// Where runs may be gone on with by the upstream's word, by the cuts at which they end.
  var continuations: [Cut: Continuation] = [:]
  /// The list that was asked for last of what lies past its wall.
  var segment: Window.Segment?
  /// The last search for a place, not yet ended, and when its last answer came: the next request
  /// for the same place goes on with it.
  var search: (seek: Seek, at: Timestamp)?
  /// When its top was last asked for, whatever the answer proved.
  var askedAt: Timestamp?
  /// Ranges that were proven once and are so no longer.
  var opened: [CutRange] = []
  /// Where more came than a look at the top showed.
  var untold: Untold?
  /// What came into what was proven.
  var late = Late()
  /// How many elements its windows ask for.
  var pageSize: PageSize {
    // So that a restart, or another server, need not find it out again.
    didSet {
      doubts.keep(pageSize.served, as: .served)
      doubts.keep(pageSize.borne, as: .borne)
      doubts.keep(pageSize.least > 1 ? pageSize.least : nil, as: .least)
    }
  }
  /// What the upstream calls the state that was last stored; nil where it does not tell.
  var revision: UInt64?
  /// How the store and its readers know it.
  var record = Record()

  /// Nothing is known yet of a feed of this pattern.
  init(_ pattern: FeedPattern) {
    recipe = pattern.recipe
    paging = pattern.paging
    pageSize = PageSize(full: paging.perPageMax)
  }
}

extension FeedState {
  /// Elements that came into what was proven.
  struct Late {
    /// Those that are not found yet.
    var arrivals: LateArrivals?
    /// Gaps that were opened for them alone.
    var gaps: [CutRange] = []
    /// What the last look showed and did not prove.
    var open: Set<Identity> = []
  }

  /// A feed's row in the store, and when it was read.
  struct Record {
    /// Whether the store has a row for it.
    var isStored = false
    /// The time since when its changes are held in memory.
    var holdingPeriod: Int?
    /// When it was last read.
    let mark = ReadMark()
    /// The last reading that was passed on to be written.
    var readAtTaken: Timestamp?
  }

  /// What its answers claim: stored with its timeline.
  var doubts: Doubts {
    get { timeline.doubts }
    _modify { yield &timeline.doubts }
  }

  /// Goes on with the size of pages that is stored.
  mutating func adoptPageSize() {
    pageSize.adopt(
      served: doubts.value(of: .served), borne: doubts.value(of: .borne),
      least: doubts.value(of: .least))
  }

  /// The plan for the feed as it stands; `pattern` is the feed's own.
  func plan(of pattern: FeedPattern, by policy: Policy, at now: Timestamp) -> Plan {
    var plan = Plan(timeline: timeline, of: pattern, policy: policy, now: now)
    plan.paging = paging(at: now)
    plan.attempts = attempts
    plan.continuations = continuations
    plan.segment = segment
    plan.size = pageSize
    plan.askedAt = askedAt
    return plan
  }

  /// How its upstream pages, as far as its answers have not shown otherwise: in sizes that it keeps
  /// to, and nothing is joined by a total that is refuted.
  func paging(at now: Timestamp) -> Paging {
    let paging = doubts.kept(paging)
    guard paging.joins == .count, doubts.restsUntil(.inexact, at: now) != nil else { return paging }
    return paging.joined(by: .none)
  }

  /// Takes nothing for joined any more that was so by a total. What may not be served so is a gap.
  mutating func refuteTotal() {
    continuations = [:]
    let isServed = paging.accept <= .none
    timeline.proofs = timeline.proofs.compactMap { proof in
      guard proof.belief == .count else { return proof }
      var proof = proof
      proof.belief = JoinProof.none
      return isServed ? proof : nil
    }
  }
}
