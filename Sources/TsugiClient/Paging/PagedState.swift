/// What a list holds and does next, as a value: events go in, actions come out, and ``PagedList``
/// performs them. No clock, no network, no task.
///
/// Loading is level-triggered: after every event the state looks whether a load is needed, by where
/// the reader is and not by what just happened. So nothing is lost when a load fails, is outdated,
/// or brings too little. Every load is checked against the list when it arrives: one that no longer
/// fits is dropped. `PagedState+Loads` has what arrives, `PagedState+Needs` what is needed.
struct PagedState<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// Something that happens to a list.
  enum Event {
    /// The list is shown.
    case start
    /// The reader pulls.
    case refresh
    /// More is wanted, whatever is visible.
    case loadMore
    /// What lies above is wanted.
    case loadPrevious
    /// A gap is to be filled.
    case fill(Int)
    /// The reader wants what failed to be tried again.
    case retry
    /// The list becomes one of another feed, or begins at another place.
    case begin(at: FeedPosition?, limit: Int, as: PagedState? = nil)
    /// These rows are on the screen, and no others.
    case visible(Range<Int>)
    /// The rows of these ids are on the screen, and no others.
    case visibleIDs([Item.ID])
    /// A row came onto the screen.
    case appeared(Item.ID)
    /// A row left it.
    case disappeared(Item.ID)
    /// The row below the last item came onto the screen, or left it.
    case footer(isVisible: Bool)
    /// A load brought a slice.
    case arrived(Int, FeedSlice<Item>)
    /// A load failed, or was cancelled by somebody else; `draw` is random, from 0 to 1.
    case failed(Int, TsugiError?, draw: Double)
    /// A rest is over.
    case woke(Int)
    /// The feed changed; the next changes are those since a number, and follow where it `goesOn`.
    case changed([FeedChange<Item>], next: SequenceNumber?, goesOn: Bool = false)
    /// A load of changes, the top having been looked at, brought some.
    case caughtUp(Int, FeedChangePage<Item>)
    /// What changed cannot be known at the moment.
    case catchUpFailed
    /// A read of the file brought these items, of those asked for.
    case unshelved(Int, [Item.ID: Item])
    /// Another list of the same items learned of these.
    case learned([Item])
    /// Items are gone everywhere, as another list learned.
    case deleted(Set<Item.ID>)
    /// What changed since the list was loaded is not known any more.
    case changesExpired
  }

  /// Something to be done for it.
  enum Action: Hashable, Sendable {
    /// Ask for a slice and tell what came of it.
    case load(Int, SliceRequest)
    /// Have the top looked at, ask for the changes since a number, and tell what came of it.
    case changes(Int, since: SequenceNumber)
    /// Catch up with the changes.
    case catchUp
    /// Read items from the file and tell what is there.
    case read(Int, [Item.ID])
    /// Nothing waits for this load any more.
    case cancel(Int)
    /// Tell when so much time has passed.
    case rest(Int, Duration)
  }

  /// What a load at the top is for, and what it brought so far.
  struct TopLoad: Sendable {
    /// What is asked for now.
    enum Stage: Sendable {
      /// What changed since the list was kept.
      case changes
      /// What the file has above the items in memory.
      case shelf
      /// The first items; they become the list.
      case all
      /// From the top down to the end of what it covers, or to the list's beginning.
      case top
      /// From there on to the list's beginning: is there a gap?
      case reach
      /// From there on to the end of what it covers: there is none.
      case cover
    }

    var stage = Stage.all
    /// The end of the last segment it is to replace; nil where it replaces none. A place and no
    /// number: what goes while it is in progress joins segments.
    var coveredEnd: FeedCursor?
    /// Where these end, or the list begins where there are none.
    var end: SliceRequest.End?
    /// Where the list begins.
    var beginning: SliceRequest.End?
    /// Whether the server is to look upstream.
    var refreshes = false
    /// Whether it was begun because the list must begin again.
    var isReset = false
    /// Whether it asks for the items at the place the list is to begin at.
    var isAtPlace = false
    /// How many answers in a row brought nothing, and said that more follows.
    var fruitless = 0
    var slices: [FeedSlice<Item>] = []
  }

  /// The most slices of one refresh; the server is at fault where it cannot be done with these.
  static var refreshSlicesMax: Int { 100 }
  /// The most gaps; the smallest part between two goes when there are more.
  static var gapsMax: Int { 8 }
  /// The most loads in a row that may bring no item, or no change.
  static var fruitlessMax: Int { 5 }
  /// The last change of an item, remembered so that an answer older than that does not undo it.
  struct Told: Sendable {
    var seq: SequenceNumber
    /// The item as it was then; nil where it left.
    var item: Item?
  }

  /// The most items of which that is remembered.
  static var toldMax: Int { 1_000 }

  /// How many loads by a place must get through in a row for a lost place to be forgotten.
  static var placesFoundMin: Int { 10 }

  /// How the list behaves.
  let options: PagedOptions
  /// How many items a slice is asked to hold.
  private(set) var limit: Int
  let backoff: Backoff
  /// Where the list is to begin; nil for the top.
  var begin: FeedPosition?
  /// What became of that place; nil where it began at the top.
  var place: FeedPlace?
  /// The item that was at the top of the screen when the list was kept, until a row appears.
  var resumesAt: Item.ID?
  /// Whether it is in a store: what it lets go of in memory stays there.
  var isKept = false
  /// Whether the first look at the top asks for changes.
  var opensByChanges = false
  /// What only the store has.
  var shelf = Shelf()
  /// The items whose places are looked up.
  var lookup = Lookup()
  /// The last change that a slice has to be as new as: it moved an item, or brought one to where
  /// nothing is loaded.
  var placesTold: SequenceNumber?
  /// Whether what was written before it is asked for a second time: once is enough where changes
  /// come faster than answers.
  var hasAskedAgain = false
  /// Whether a load at the top, or what belongs to it, is in progress.
  var isRefreshing: Bool {
    topLoad != nil
      || lookup.putsAbove && lookup.isReady && !lookup.isOver && !needsReset && !isFrozen
  }
  /// Where to begin again, where that is not the top.
  var resetPlace: FeedPosition?
  /// Whether it is a picture that asks for nothing.
  var isFrozen = false

  /// The items.
  var content = PagedItems<Item>() { didSet { contentVersion += 1 } }
  /// A number that moves with every change of the items or gaps.
  private(set) var contentVersion = 0
  /// Whether there is more below the last item; unknown counts as yes.
  var hasMore = true { didSet { if hasMore { endReason = nil } } }
  /// Why there is no more; nil while there is.
  var endReason: FeedEndReason?
  /// How old what the last load at the top brought is.
  var freshness: FeedFreshness?
  /// The feed's size, as last sent.
  var total: FeedTotal?
  /// What came of the last load at the top.
  var outcome: PagedRefresh?
  /// Whether items above the first one were let go, or never loaded.
  var hasPrevious = false
  /// Whether items came that the list does not show yet.
  var hasNews = false
  /// Where to ask for changes.
  var since: SequenceNumber?
  /// The place of the first item at the top when it was last asked for.
  var topPlace: FeedCursor?
  /// Whether an item came that may stand above it, or anywhere below the list's end.
  var mayHaveNews = false
  /// The look above it that is in progress.
  var newsLook: Int?
  /// Whether something may have come below the end that was seen.
  var mayGoOn = false
  /// The look below it that is in progress.
  var endLook: Int?

  /// The lanes but the top's, which begin nothing while that loads.
  static var sideLanes: [WritableKeyPath<Self, PagedLane>] { [\.more, \.previous, \.gap] }
  var top: PagedLane
  var more: PagedLane
  var previous: PagedLane
  var gap: PagedLane
  /// The gap that the lane of gaps is about.
  var gapTarget: Int?
  /// The gap that somebody asked for by name.
  var wishedGap: Int?
  var topLoad: TopLoad?
  /// How to go on below the gap at the end, should it not be filled.
  var skip: SliceRequest?
  var usesSkip = false
  var fruitless = 0
  /// How often a place was lost, until enough were found in a row.
  var placesLost = 0
  /// How many were found since.
  var placesFound = 0

  var isStarted = false
  var isLoaded = false
  var wantsRefresh = false
  /// Whether the list must begin again: its places are of a store that is no more.
  var needsReset = false
  var isFooterVisible = false
  var visible: VisibleRows<Item>
  private var lastNumber = 0
  /// By the items' ids, and these in the order in which they first changed.
  var told: [Item.ID: Told] = [:]
  var toldOrder: [Item.ID] = []

  /// An empty list of a feed whose slices hold `limit` items.
  init(
    options: PagedOptions = PagedOptions(), limit: Int = 20, backoff: Backoff = Backoff(),
    window: Int = VisibleRows<Item>.windowDefault, begin: FeedPosition? = nil
  ) {
    self.options = options
    self.begin = begin
    place = begin.map { _ in .looking }
    visible = VisibleRows(window: window)
    self.limit = min(max(limit, 1), 100)
    self.backoff = backoff
    top = PagedLane(retriesMax: backoff.retriesMax)
    (more, previous, gap) = (top, top, top)
  }

  /// Takes an event in and says what is to be done.
  mutating func handle(_ event: Event) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .start:
      isStarted = true
      top.rearm()
    case .refresh: refresh()
    case .loadMore:
      isStarted = true
      if hasMore { more.wish() }
    case .loadPrevious: if hasPrevious { previous.wish() }
    case .fill(let gap):
      wishedGap = gap
      self.gap.retry()
    case .retry: retry()
    case .begin(let place, let limit, let kept):
      actions = restart(
        as: kept
          ?? PagedState(
            options: options, limit: limit, backoff: backoff, window: visible.window, begin: place))
    case .visible(let range):
      visible.show(range, in: content)
      if !range.isEmpty { resumesAt = nil }
      rearm()
    case .visibleIDs(let ids):
      visible.show(ids, in: content)
      if !ids.isEmpty { resumesAt = nil }
      rearm()
    case .appeared(let id):
      guard let index = content.index(of: id) else { return [] }
      resumesAt = nil
      visible.appeared(id, at: index, in: content)
      rearm()
    case .disappeared(let id):
      visible.disappeared(id, in: content)
    case .footer(let isVisible):
      isFooterVisible = isVisible
      if isVisible { rearm() }
    case .arrived(let number, let slice): actions = arrived(number, slice)
    case .failed(let number, let error, let draw): actions = failed(number, error, draw)
    case .woke(let number): wake(number)
    case .changed(let changes, let next, let goesOn):
      apply(changes, next: next)
      if !goesOn { catchUpEnded() }
    case .changesExpired: (needsReset, lookup) = (isLoaded, Lookup())
    case .caughtUp(let number, let page): actions = caughtUp(number, page)
    case .catchUpFailed: lookupFailed()
    case .unshelved(let number, let items): unshelved(number, items)
    case .learned(let items): learn(items)
    case .deleted(let ids):
      changeHeld { $0.filter { !ids.contains($0.id) } }
      lookup.below.removeAll { ids.contains($0.item.id) }
      remove(ids)
    }
    return actions + settle()
  }

  /// A number for a load, a rest or a gap.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Forgets all that is there and in progress.
  private mutating func restart(as state: PagedState) -> [Action] {
    let lanes = [top, more, previous, gap]
    let numbers =
      lanes.flatMap { [$0.load?.number, $0.rest] } + [newsLook, endLook, lookup.number]
    var new = state
    new.isStarted = isStarted
    new.isFooterVisible = isFooterVisible
    new.lastNumber = max(lastNumber, new.lastNumber)
    new.contentVersion += contentVersion + 1
    self = new
    return numbers.compactMap { $0.map(Action.cancel) }
  }

  private mutating func refresh() {
    isStarted = true
    // What the server asks to wait for is waited for: a pull is answered immediately, by nothing.
    guard top.rest == nil || !top.isServersRest else { return }
    wantsRefresh = true
    top.retry()
  }

  private mutating func retry() {
    if top.state.error != nil {
      top.retry()
      wantsRefresh = wantsRefresh || (isLoaded && !needsReset)
    }
    for lane in Self.sideLanes where self[keyPath: lane].state.error != nil {
      self[keyPath: lane].retry()
    }
    if gap.isWished { wishedGap = gapTarget }
  }

  private mutating func wake(_ number: Int) {
    for lane in [\Self.top, \.more, \.previous, \.gap] where self[keyPath: lane].wake(number) {
      return
    }
  }

  /// Lets lanes that gave up try once more, since the reader moved.
  private mutating func rearm() {
    if !isLoaded || needsReset { top.rearm() }
    more.rearm()
    previous.rearm()
    gap.rearm()
  }

  /// Changes the items so that the visible rows are found again, or the nearest ones; `change`
  /// gives those that stand elsewhere now.
  mutating func keepingPlace(
    staysNear: Bool = true, _ change: (inout Self) -> Set<Item.ID>
  ) {
    let seen = visible.indices(in: content)
    let old = content.items
    let moved = change(&self)
    visible.settle(from: seen, of: old, to: content, without: moved, staysNear: staysNear)
  }
}
