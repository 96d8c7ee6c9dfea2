public import Observation

/// An endless list for a screen: it loads as the reader moves, and is right whatever the feed and
/// the network do meanwhile.
///
/// Tell it which rows ``appeared(_:)``, and show its ``rows``, or its ``items`` where gaps are of
/// no interest. No id stands twice; between two items nothing is missing that was there when they
/// were loaded, unless a gap row says so; at most one request is in progress in each direction; a
/// failure moves nothing and is tried again with growing pauses; nothing is asked for without end.
///
///     @State private var list = PagedList(client.feed("qiita/items", of: QiitaItem.self))
///
/// It decides nothing itself: `PagedState` does, and this performs.
@MainActor @Observable
public final class PagedList<Item: Identifiable & Decodable & Sendable> where Item.ID: Sendable {
  /// The feed it shows; another by ``show(_:at:)``.
  @ObservationIgnored public private(set) var feed: Feed<Item>

  @ObservationIgnored private(set) var state: PagedState<Item>
  @ObservationIgnored private let running = RunningTasks()
  @ObservationIgnored private var waiters: [Int: Waiter] = [:]
  @ObservationIgnored private var lastWaiter = 0
  /// The catching up in progress, see `PagedList+Changes`.
  @ObservationIgnored var catchingUp: Task<Void, any Error>?
  /// The listenings in progress, see `PagedList+Changes`.
  @ObservationIgnored var listening: [Int: Task<Listened, any Error>] = [:]
  /// What it shares with others of the same items.
  @ObservationIgnored private(set) var hub: ItemHub<Item>
  /// What a store has of another feed.
  @ObservationIgnored private var reopen: (@MainActor (Feed<Item>) -> Kept)?
  /// Whether the store keeps this list, and not only its items.
  @ObservationIgnored private var isKept = false
  @ObservationIgnored private var seat: Seat?
  /// How long ago the last answer came.
  @ObservationIgnored var sinceAnswer: (@Sendable () -> Duration)?
  /// A number that moves with every change of what ``rows`` gives.
  @ObservationIgnored var rowsVersion = 0
  @ObservationIgnored private var lastShown: (versions: [Int], shown: PagedEdits<Item>.Shown)?
  /// The numbers of the sections that were given last, see `PagedSection`.
  @ObservationIgnored var sectionNumbers = SectionNumbers()

  /// A list of a feed. Nothing is loaded before it is started.
  ///
  /// It begins at the top, or at a place: a link into it, or where the reader was. What lies above
  /// is loaded as the reader comes near. A place that is lost is the top.
  public init(
    _ feed: Feed<Item>, at place: FeedPosition? = nil, options: PagedOptions = PagedOptions()
  ) {
    self.feed = feed
    hub = ItemHub()
    state = PagedState(
      options: options, limit: feed.limit, backoff: feed.client.backoff, begin: place)
    join()
  }

  /// A list that goes on from a state.
  init(_ feed: Feed<Item>, state: PagedState<Item>) {
    self.feed = feed
    self.state = state
    hub = ItemHub()
    join()
  }

  /// A list in a store, which has what is kept of any feed.
  package init(
    _ feed: Feed<Item>, at place: FeedPosition?, options: PagedOptions,
    open: @escaping @MainActor (Feed<Item>) -> Kept
  ) {
    self.feed = feed
    let kept = open(feed)
    hub = kept.hub
    (state, isKept) = Self.state(of: feed, at: place, options: options, kept)
    reopen = open
    seat = isKept ? Seat(hub.storage, feed.name) : nil
    join()
  }

  private func join() {
    hub.join(
      ItemHub.Member(
        owner: self, learn: { [weak self] in self?.send(.learned($0)) },
        delete: { [weak self] in self?.send(.deleted($0)) },
        edited: { [weak self] in self?.showEdits() }))
  }

  /// Shows another feed, as another search, or the same one from another place: in the same list,
  /// which is empty until it is loaded. It is loaded immediately where the list was started.
  public func show(_ feed: Feed<Item>, at place: FeedPosition? = nil) {
    self.feed = feed
    catchingUp?.cancel()
    for task in listening.values { task.cancel() }
    guard let reopen else { return send(.begin(at: place, limit: feed.limit)) }
    let kept = reopen(feed)
    if kept.hub !== hub {
      hub = kept.hub
      join()
    }
    let (new, isKept) = Self.state(of: feed, at: place, options: state.options, kept)
    self.isKept = isKept
    seat = isKept ? Seat(hub.storage, feed.name) : nil
    send(.begin(at: place, limit: feed.limit, as: new))
  }

  /// The items, in feed order, each id once.
  public var items: [Item] {
    access(keyPath: \.items)
    return shown.items
  }

  /// The items and the gaps between them.
  public var rows: PagedRows<Item> {
    access(keyPath: \.items)
    access(keyPath: \.gapState)
    let shown = shown
    let gaps = state.content.gaps.map { gap in
      let isTarget = gap.id == state.gapTarget
      return (
        PagedGap(id: gap.id, state: isTarget ? state.gap.state : .idle), shown.index(of: gap.index)
      )
    }
    return PagedRows(items: shown.items, gaps: gaps)
  }

  /// The items with the edits on top.
  var shown: PagedEdits<Item>.Shown {
    guard !hub.edits.all.isEmpty else { return PagedEdits.Shown(items: state.content.items) }
    let versions = [state.contentVersion, hub.edits.version]
    if let lastShown, lastShown.versions == versions { return lastShown.shown }
    let shown = hub.edits.shown(state.content, of: feed.name)
    lastShown = (versions, shown)
    return shown
  }

  /// An item as it is shown; nil where it is not in the list. It costs the same however long the
  /// list is.
  public func item(_ id: Item.ID) -> Item? {
    access(keyPath: \.items)
    guard let index = state.content.index(of: id) else {
      return hub.edits.inserted(in: feed.name) { $0 != id }.first
    }
    return hub.edits.shown(state.content.items[index])
  }

  /// What became of the place that the list was to begin at; nil where it began at the top.
  public var place: FeedPlace? {
    access(keyPath: \.place)
    return state.place
  }

  /// The item that was at the top of the screen when the list was kept, to scroll to; nil once a
  /// row appears.
  public var resumesAt: Item.ID? {
    access(keyPath: \.resumesAt)
    return state.resumesAt
  }

  /// Whether there is more below the last item. True also while nothing is loaded yet: a footer
  /// may be shown for it from the beginning, and the list loads once it is started.
  public var canLoadMore: Bool {
    access(keyPath: \.canLoadMore)
    return state.hasMore
  }

  /// Whether items above the first one were let go for `maxItems`.
  public var canLoadPrevious: Bool {
    access(keyPath: \.canLoadPrevious)
    return state.hasPrevious
  }

  /// Whether the first load is over: an empty list is really empty then.
  public var isLoaded: Bool {
    access(keyPath: \.isLoaded)
    return state.isLoaded
  }

  /// Whether items have come that a refresh would show, as far as changes say.
  public var hasNews: Bool {
    access(keyPath: \.hasNews)
    return state.hasNews
  }

  /// How old what stands at the top is, by its last load; nil while nothing is loaded.
  public var freshness: FeedFreshness? {
    access(keyPath: \.freshness)
    return state.freshness
  }

  /// The feed's size, as the upstream said last; nil where it says none.
  public var total: FeedTotal? {
    access(keyPath: \.total)
    return state.total
  }

  /// Why there is no more below the last item; nil while there is, or it is not known.
  public var endReason: FeedEndReason? {
    access(keyPath: \.endReason)
    return state.endReason
  }

  /// The items among those loaded that could not be decoded, in feed order: one bad item never
  /// costs the list, and is not passed over in silence.
  public var undecodable: [UndecodableItem] {
    access(keyPath: \.items)
    return state.content.segments.flatMap(\.undecodable)
  }

  /// What parts of a merged feed lack in what is loaded, from the top down, each once. Show the
  /// others' items, and say whose are not there.
  public var missing: [FeedMissing] {
    access(keyPath: \.items)
    var all: [FeedMissing] = []
    for missing in state.content.segments.flatMap(\.missing) where !all.contains(missing) {
      all.append(missing)
    }
    return all
  }

  /// What happens at the top: the first load, or a refresh.
  public var refreshState: LoadState {
    access(keyPath: \.refreshState)
    return state.top.state
  }

  /// What happens below the last item.
  public var moreState: LoadState {
    access(keyPath: \.moreState)
    return state.more.state
  }

  /// What happens above the first item, where it is not the feed's first.
  public var previousState: LoadState {
    access(keyPath: \.previousState)
    return state.previous.state
  }

  /// What happens in a gap; rows show it.
  var gapState: LoadState { state.gap.state }

  /// Loads the first items, once: to be called whenever the list is shown.
  public func start() { send(.start) }

  /// Looks for what is new, and returns when that is done or has failed, or the task is cancelled;
  /// what is in progress then goes on for the list.
  ///
  /// What came above is put above; what was edited or removed among the first items is so here too.
  /// Where more came than two requests bring, there is a gap, or the list begins again, as its
  /// options say. What failed stands in ``refreshState``, too; where the server asked to be left
  /// alone for a while, that failure is what came of it, and nothing is asked.
  @discardableResult
  public func refresh() async -> PagedRefresh {
    send(.refresh)
    await wait { !$0.isRefreshing }
    // Another load may have begun since.
    if Task.isCancelled, state.isRefreshing { return .cancelled }
    return state.outcome ?? .cancelled
  }

  /// Loads more, for a button or a footer; a list whose view reports which rows appear does not
  /// need it.
  public func loadMore() { send(.loadMore) }

  /// Loads what was let go above the first item.
  public func loadPrevious() { send(.loadPrevious) }

  /// Fills a gap, or goes on filling it.
  public func fill(_ gap: PagedGap) { send(.fill(gap.id)) }

  /// Tries again what failed: now, or as soon as the server allows.
  public func retry() { send(.retry) }

  /// Applies changes of the feed: edits and removals keep the reader's place.
  public func apply(_ changes: [FeedChange<Item>]) { send(.changed(changes, next: nil)) }

  /// The index of an item; nil when it is not in the list.
  func index(of id: Item.ID) -> Int? {
    guard let index = state.content.index(of: id) else {
      return shown.items.prefix(shown.inserted).firstIndex { $0.id == id }
    }
    return shown.removed.contains(index) ? nil : shown.index(of: index)
  }

  /// Takes an event in, performs what it asks for, and notifies observers; it may be an answer
  /// to `ask`.
  func send(_ event: PagedState<Item>.Event, to ask: ItemHub<Item>.Ask? = nil) {
    let news = state.news(of: event)
    let newer = news.map { hub.newer(than: ask, of: $0.items.map(\.id)) } ?? [:]
    // First the items: a store writes no row before its item.
    if let news { hub.receive(news.items, to: ask, from: self) }
    change { $0.handle(event) }
    if !newer.isEmpty {
      change {
        $0.handle(.learned(newer.values.compactMap(\.self)))
          + $0.handle(.deleted(Set(newer.filter { $0.value == nil }.keys)))
      }
    }
    guard let news else { return }
    sinceAnswer = feed.client.clock.stopwatch()
    hub.changed(news.changed, known: Set(news.items.map(\.id)))
    hub.deleted(news.deleted, to: ask, from: self)
  }

  /// Changes the state, and does what follows from it.
  private func change(_ body: (inout PagedState<Item>) -> [PagedState<Item>.Action]) {
    let before = Shown(state)
    let actions = body(&state)
    let now = Shown(state)
    tell(now, before)
    if !hub.edits.all.isEmpty, now.content != before.content {
      let (content, name) = (state.content, feed.name)
      hub.update { $0.landed(in: name) { content.index(of: $0) != nil } }
    }
    if isKept, now.kept != before.kept, let kept = state.kept {
      hub.storage?.put(kept, of: feed.name)
    }
    if isKept, now.screen != before.screen, !now.screen.isEmpty {
      hub.storage?.put(screen: now.screen.map(identityText), of: feed.name)
    }
    for action in actions { perform(action) }
    wakeWaiters()
  }

  /// Edits came or went.
  private func showEdits() {
    rowsVersion += 1
    withMutation(keyPath: \.items) {}
    wakeWaiters()
  }

  private func wakeWaiters() {
    for waiter in waiters.values where waiter.holds(state) { waiter.wake.finish() }
  }

  /// Waits until all that the list has learned is in its store.
  func flush() async { await hub.storage?.flush() }

  /// Somebody who waits.
  private struct Waiter {
    var holds: (PagedState<Item>) -> Bool
    var wake: AsyncStream<Void>.Continuation
  }

  /// Waits until something holds of the state, or the task is cancelled.
  func wait(until holds: @escaping (PagedState<Item>) -> Bool) async {
    guard !holds(state) else { return }
    lastWaiter += 1
    let number = lastWaiter
    let (wakes, wake) = AsyncStream<Void>.makeStream()
    waiters[number] = Waiter(holds: holds, wake: wake)
    for await _ in wakes {}
    waiters[number] = nil
  }

  private func perform(_ action: PagedState<Item>.Action) {
    switch action {
    case .cancel(let number): running.cancel(number)
    case .load(let number, let request):
      answer(number) { .arrived(number, try await $0.slice(request)) }
    case .changes(let number, let since):
      // A list whose changes cannot be read is as one of a server that sends none.
      guard let list = self as? any CatchesUp else {
        return send(.failed(number, .unread, draw: 1))
      }
      list.open(number, since: since)
    case .catchUp:
      guard let list = self as? any CatchesUp else { return send(.catchUpFailed) }
      list.catchUpForLookup()
    case .read(let number, let ids):
      running.run(number) { [weak self, hub] in
        let items = await hub.items(ids)
        self?.send(.unshelved(number, items))
      }
    case .rest(let number, let duration):
      running.run(number) { [weak self, client = feed.client] in
        // A rest is cancelled with its list only.
        guard (try? await client.sleep(for: duration)) != nil else { return }
        self?.send(.woke(number))
      }
    }
  }

  /// Asks the feed, and sends what came of it.
  func answer(
    _ number: Int, _ ask: @escaping @MainActor (Feed<Item>) async throws -> PagedState<Item>.Event
  ) {
    running.run(number) { [weak self, feed, hub] in
      let asked = hub.begin()
      defer { hub.end(asked) }
      let outcome: PagedState<Item>.Event
      do {
        outcome = try await ask(feed)
      } catch {
        outcome = .failed(number, error as? TsugiError, draw: .random(in: 0...1))
      }
      self?.send(outcome, to: asked)
    }
  }
}
