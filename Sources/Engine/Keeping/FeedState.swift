import Feed

/// The reader's state of one feed in memory: timeline, attempts, sizes, doubts.
struct FeedState {
  var timeline = Timeline()
  /// The fingerprint of the recipe that it is read by.
  let recipe: Int64?
  /// How its upstream pages, as far as its answers have not shown otherwise.
  private(set) var paging: Paging
  /// Whether its total is as exact as is said.
  var exactTotal = ExactTotal()
  /// What has been tried to extend its runs, by their lower bounds.
  var attempts: [Cut: ExtensionAttempts] = [:]
  /// Where runs may be gone on with by the upstream's word, by the cuts at which they end.
  var continuations: [Cut: Continuation] = [:]
  /// What named places that the upstream said not to exist, the last ones.
  private(set) var refusedMarks: [String] = []
  /// The list that was asked for last of what lies past its wall.
  var segment: Window.Segment?
  /// The last search for a place, not yet ended, and when its last answer came: the next request
  /// for the same place goes on with it.
  var search: (seek: Seek, at: Timestamp)?
  /// The answers in a row that showed nothing where there had been elements.
  var emptyLooks: EmptyLooks?
  /// When its top was last asked for, whatever the answer proved.
  var askedAt: Timestamp?
  /// Ranges that were proven once and are so no longer.
  var opened: [CutRange] = []
  /// Where more came than a look at the top showed.
  var untold: Untold?
  /// An end that was claimed against what is known.
  var doubtedEnd = DoubtedEnd()
  /// The total that the last look at the top told.
  var topTotal: Int?
  /// Elements that came into what was proven, and are not found yet.
  var late: LateArrivals?
  /// Gaps that were opened for them alone.
  var lateGaps: [CutRange] = []
  /// Whether its total is a sign of such.
  var totalTrust = TotalTrust()
  /// Whether it comes in the order of its elements' times.
  var disorder = Disorder()
  /// Where elements stand that cannot be used.
  var unusable = UnusablePlaces()
  /// Answers in a row that brought nothing new.
  var barrenness = Barrenness()
  /// How many elements its windows ask for.
  var pageSize: PageSize
  /// What the upstream calls the state that was last stored; nil where it does not tell.
  var revision: UInt64?
  /// When the last item that left it was asked for by itself.
  var confirmedAt: Timestamp?
  /// What was wrong with elements of its answers so far.
  var faults: Set<ElementFault> = []
  /// The answers it was given last.
  var recentAnswers = RecentAnswers()
  /// What has shown that its upstream is not as it is said to be.
  var signs: Set<RecipeSign> = []
  /// Whether the store has a row for it.
  var isStored = false
  /// When it was last read.
  let mark = ReadMark()
  /// The time since when its changes are held in memory.
  var holdingPeriod: Int?
  /// The last reading that was told to whoever writes them down.
  var readAtTaken: Timestamp?

  /// Nothing is known yet of a feed of this pattern.
  init(_ pattern: FeedPattern) {
    recipe = pattern.recipe
    paging = pattern.paging
    pageSize = PageSize(full: paging.perPageMax)
  }
}

extension FeedState {
  /// How many refused marks are remembered.
  static let refusedMarksMax = 16

  /// Notes that the upstream does not know what named a place. Returns whether that is new.
  mutating func noteRefused(_ mark: String) -> Bool {
    guard !refusedMarks.contains(mark) else { return false }
    refusedMarks = refusedMarks.suffix(FeedState.refusedMarksMax - 1) + [mark]
    return true
  }

  /// Takes nothing for joined any more that was so by a total. What may not be served so is a gap.
  mutating func refuteTotal() {
    paging = paging.joined(by: .none)
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

/// Counts consecutive empty answers for a feed that had elements.
struct EmptyLooks {
  /// When the first of them was sent.
  var since: Timestamp
  /// How many there were.
  var count: Int
}
