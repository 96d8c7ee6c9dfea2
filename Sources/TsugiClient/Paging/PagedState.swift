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
    case begin(at: FeedPosition?, limit: Int)
    /// These rows are on the screen, and no others.
    case visible(Range<Int>)
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
    /// The feed changed; the next changes are those since a number.
    case changed([FeedChange<Item>], next: SequenceNumber?)
    /// What changed since the list was loaded is not known any more.
    case changesExpired
  }

  /// Something to be done for it.
  enum Action: Hashable, Sendable {
    /// Ask for a slice and tell what came of it.
    case load(Int, SliceRequest)
    /// Nothing waits for this load any more.
    case cancel(Int)
    /// Tell when so much time has passed.
    case rest(Int, Duration)
  }

  /// What a load at the top is for, and what it brought so far.
  struct TopLoad: Sendable {
    /// What is asked for now.
    enum Stage: Sendable {
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
    var slices: [FeedSlice<Item>] = []
  }

  /// The most slices of one refresh; the server is at fault where it cannot be done with these.
  static var refreshSlicesMax: Int { 100 }
  /// The most gaps; the smallest part between two goes when there are more.
  static var gapsMax: Int { 8 }
  /// The most loads in a row that may bring no item.
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
  private(set) var told: [Item.ID: Told] = [:]
  private var toldOrder: [Item.ID] = []

  /// An empty list of a feed whose slices hold `limit` items.
  init(
    options: PagedOptions = PagedOptions(), limit: Int = 20, backoff: Backoff = Backoff(),
    window: Int = VisibleRows<Item>.windowDefault, begin: FeedPosition? = nil
  ) {
    self.options = options
    self.begin = begin
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
      if isLoaded, hasMore { more.wish() }
    case .loadPrevious: if hasPrevious { previous.wish() }
    case .fill(let gap):
      wishedGap = gap
      self.gap.retry()
    case .retry: retry()
    case .begin(let place, let limit): actions = restart(at: place, limit: limit)
    case .visible(let range):
      visible.show(range, in: content)
      rearm()
    case .appeared(let id):
      guard let index = content.index(of: id) else { return [] }
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
    case .changed(let changes, let next): apply(changes, next: next)
    case .changesExpired: needsReset = isLoaded
    }
    return actions + settle()
  }

  /// A number for a load, a rest or a gap.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Forgets all that is there and in progress.
  private mutating func restart(at place: FeedPosition?, limit: Int) -> [Action] {
    let lanes = [top, more, previous, gap]
    let numbers = lanes.flatMap { [$0.load?.number, $0.rest] } + [newsLook, endLook]
    var new = PagedState(
      options: options, limit: limit, backoff: backoff, window: visible.window, begin: place)
    new.isStarted = isStarted
    new.isFooterVisible = isFooterVisible
    new.lastNumber = lastNumber
    new.contentVersion = contentVersion + 1
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
    for lane in [\Self.more, \.previous, \.gap] where self[keyPath: lane].state.error != nil {
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

  private mutating func apply(_ changes: [FeedChange<Item>], next: SequenceNumber?) {
    var gone = Set<Item.ID>()
    for change in changes {
      switch (change.operation, change.id) {
      case (.upsert, let id?):
        gone.remove(id)
        remember(change, of: id)
        if content.index(of: id) == nil {
          (mayHaveNews, mayGoOn) = (isLoaded, isLoaded)
        } else if let item = change.item, !isCovered(change) {
          content.update(item)
        }
      case (.remove, let id?), (.delete, let id?):
        gone.insert(id)
        remember(change, of: id)
      case (.reset, _): needsReset = isLoaded
      case (_, nil): break
      }
    }
    if gone.contains(where: { content.index(of: $0) != nil }) {
      keepingPlace { state in
        state.content.remove(gone)
        return []
      }
    }
    // Changes of a list that is about to begin again say nothing of the new one.
    if let next, !needsReset { since = next }
  }

  /// Whether the item that a change is about was read after it.
  func isCovered(_ change: FeedChange<Item>) -> Bool {
    guard let seq = change.seq, let id = change.id, let read = content.seq(of: id) else {
      return false
    }
    return seq.isCovered(by: read)
  }

  private mutating func remember(_ change: FeedChange<Item>, of id: Item.ID) {
    let (item, isEdit) = (change.item, change.operation == .upsert)
    // Of an edit without its item nothing is known but that it was there again.
    guard let seq = change.seq, !isEdit || item != nil else {
      told[id] = nil
      return
    }
    let new = Told(seq: seq, item: isEdit ? item : nil)
    if told.updateValue(new, forKey: id) == nil { toldOrder.append(id) }
    if toldOrder.count > Self.toldMax { told[toldOrder.removeFirst()] = nil }
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
