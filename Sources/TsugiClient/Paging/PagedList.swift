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

  /// A list of a feed. Nothing is loaded before it is started.
  ///
  /// It begins at the top, or at a place: a link into it, or where the reader was. What lies above
  /// is loaded as the reader comes near. A place that is lost is the top.
  public init(
    _ feed: Feed<Item>, at place: FeedPosition? = nil, options: PagedOptions = PagedOptions()
  ) {
    self.feed = feed
    state = PagedState(
      options: options, limit: feed.limit, backoff: feed.client.backoff, begin: place)
  }

  /// A list that goes on from a state.
  init(_ feed: Feed<Item>, state: PagedState<Item>) {
    self.feed = feed
    self.state = state
  }

  /// Shows another feed, as another search, or the same one from another place: in the same list,
  /// which is empty until it is loaded. It is loaded immediately where the list was started.
  public func show(_ feed: Feed<Item>, at place: FeedPosition? = nil) {
    self.feed = feed
    catchingUp?.cancel()
    for task in listening.values { task.cancel() }
    send(.begin(at: place, limit: feed.limit))
  }

  /// The items, in feed order, each id once.
  public var items: [Item] {
    access(keyPath: \.items)
    return state.content.items
  }

  /// The items and the gaps between them.
  public var rows: PagedRows<Item> {
    access(keyPath: \.items)
    access(keyPath: \.gapState)
    let gaps = state.content.gaps.map { gap in
      let isTarget = gap.id == state.gapTarget
      return (PagedGap(id: gap.id, state: isTarget ? state.gap.state : .idle), gap.index)
    }
    return PagedRows(items: state.content.items, gaps: gaps)
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
  private var gapState: LoadState { state.gap.state }

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
    await wait { $0.topLoad == nil }
    guard state.topLoad == nil, let outcome = state.outcome else { return .cancelled }
    return outcome
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

  /// The rows on the screen, by their indices in ``items``: for a view that knows them all, instead
  /// of ``appeared(_:)`` and ``disappeared(_:)``.
  public func visible(_ range: Range<Int>) { send(.visible(range)) }

  /// A row came onto the screen. It costs the same however long the list is.
  public func appeared(_ item: Item) { send(.appeared(item.id)) }

  /// A row left the screen. A call is not necessary, but makes exact what may be dropped.
  public func disappeared(_ item: Item) { send(.disappeared(item.id)) }

  /// The row below the last item came onto the screen: once the list is started, more is loaded as
  /// long as it is there.
  public func footerAppeared() { send(.footer(isVisible: true)) }

  /// The row below the last item left the screen.
  public func footerDisappeared() { send(.footer(isVisible: false)) }

  /// Applies changes of the feed: edits and removals keep the reader's place.
  public func apply(_ changes: [FeedChange<Item>]) { send(.changed(changes, next: nil)) }

  /// The index of an item; nil when it is not in the list.
  func index(of id: Item.ID) -> Int? { state.content.index(of: id) }

  /// Takes an event in, performs what it asks for, and notifies observers.
  func send(_ event: PagedState<Item>.Event) {
    let before = Shown(state)
    let actions = state.handle(event)
    tell(Shown(state), before)
    for action in actions { perform(action) }
    for waiter in waiters.values where waiter.holds(state) { waiter.wake.finish() }
  }

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

  /// Notifies observers of what has changed, and only that.
  private func tell(_ now: Shown, _ before: Shown) {
    if now.content != before.content { withMutation(keyPath: \.items) {} }
    if now.hasMore != before.hasMore { withMutation(keyPath: \.canLoadMore) {} }
    if now.freshness != before.freshness { withMutation(keyPath: \.freshness) {} }
    if now.total != before.total { withMutation(keyPath: \.total) {} }
    if now.endReason != before.endReason { withMutation(keyPath: \.endReason) {} }
    if now.hasPrevious != before.hasPrevious { withMutation(keyPath: \.canLoadPrevious) {} }
    if now.isLoaded != before.isLoaded { withMutation(keyPath: \.isLoaded) {} }
    if now.hasNews != before.hasNews { withMutation(keyPath: \.hasNews) {} }
    if now.top != before.top { withMutation(keyPath: \.refreshState) {} }
    if now.more != before.more { withMutation(keyPath: \.moreState) {} }
    if now.previous != before.previous { withMutation(keyPath: \.previousState) {} }
    if now.gap != before.gap { withMutation(keyPath: \.gapState) {} }
  }

  /// What observers can see.
  private struct Shown {
    var content, hasMore, hasPrevious, isLoaded, hasNews: Int
    var top, more, previous, gap: LoadState
    var freshness: FeedFreshness?
    var total: FeedTotal?
    var endReason: FeedEndReason?

    init(_ state: PagedState<Item>) {
      content = state.contentVersion
      hasMore = state.hasMore ? 1 : 0
      hasPrevious = state.hasPrevious ? 1 : 0
      isLoaded = state.isLoaded ? 1 : 0
      hasNews = state.hasNews ? 1 : 0
      (top, more) = (state.top.state, state.more.state)
      (previous, gap) = (state.previous.state, state.gap.state)
      (freshness, total, endReason) = (state.freshness, state.total, state.endReason)
    }
  }

  private func perform(_ action: PagedState<Item>.Action) {
    switch action {
    case .cancel(let number): running.cancel(number)
    case .load(let number, let request):
      running.run(number) { [weak self, feed] in
        let outcome: PagedState<Item>.Event
        do {
          outcome = .arrived(number, try await feed.slice(request))
        } catch {
          outcome = .failed(number, error as? TsugiError, draw: .random(in: 0...1))
        }
        self?.send(outcome)
      }
    case .rest(let number, let duration):
      running.run(number) { [weak self, client = feed.client] in
        // A rest is cancelled with its list only.
        guard (try? await client.sleep(for: duration)) != nil else { return }
        self?.send(.woke(number))
      }
    }
  }
}
