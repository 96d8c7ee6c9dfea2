import Engine
import Foundation
import Support

@testable import TsugiClient

/// One seed, one history: a reader before a list, a feed that drifts, a network that fails, and
/// after every step the question whether the list still keeps what it promises.
struct ListHistory {
  typealias State = PagedState<ModelFeed.Told>

  var state: State
  var feed: ModelFeed
  var view: SimulatedView<ModelFeed.Told>
  private var generator: SeededGenerator
  var loads: [Int: SliceRequest] = [:]
  /// What was answered and has not arrived yet: it may be old when it does.
  private var answers: [Int: Result<FeedSlice<ModelFeed.Told>, any Error>] = [:]
  var rests: Set<Int> = []
  /// What changes took out of the list, or of what is on its way to it: its neighbours were told
  /// apart, not beside each other.
  private var ghosts: [ModelFeed.Told] = []
  var faults: [String] = []
  private var story: [String] = []
  private let tellsStory: Bool
  private var checks = 0
  /// So small that a few hundred items are many.
  private static let window = 16
  /// Chances in a hundred.
  private var failing: Int
  let moves: Bool
  private let tellsRange: Bool
  private let limit: Int
  let options: PagedOptions

  /// A history of a seed; one that `tellsStory` keeps what happened in words, which takes long.
  init(seed: UInt64, tellsStory: Bool = false) {
    self.tellsStory = tellsStory
    var generator = SeededGenerator(seed: seed)
    limit = Int.random(in: 2...8, using: &generator)
    moves = generator.chance(20)
    failing = [0, 0, 10, 40].randomElement(using: &generator) ?? 0
    options = PagedOptions(
      prefetchDistance: Int.random(in: 0...6, using: &generator),
      maxItems: generator.chance(30) ? 1 : nil,
      gapPolicy: generator.chance(75) ? .mark : .reset, fillsGaps: generator.chance(80))
    state = State(
      options: options, limit: limit, backoff: Backoff(retriesMax: 3), window: ListHistory.window)
    feed = ModelFeed(count: Int.random(in: 0...300, using: &generator))
    view = SimulatedView(height: Int.random(in: 1...12, using: &generator))
    view.tellsLeaving = generator.chance(70)
    view.hasFooter = generator.chance(40)
    tellsRange = generator.chance(20)
    self.generator = generator
  }

  /// What happened last, for a failure's report.
  var report: String {
    "\(options) limit \(limit) \(view)\n" + story.suffix(200).joined(separator: "\n")
  }

  /// Lets so many things happen, and then everything settle.
  mutating func run(steps: Int) {
    send(.start, "start")
    for _ in 0..<steps where faults.isEmpty {
      happen()
      check()
    }
    failing = 0
    settle()
    check()
    if faults.isEmpty { lookForNews() }
    if faults.isEmpty { readToTheEnd() }
  }

  private mutating func happen() {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<30: completeOne()
    case 30..<36: wakeOne()
    case 36..<56: scroll(Int.random(in: -6...12, using: &generator))
    case 56..<58: jump()
    case 58..<63: drift()
    case 63..<68: send(.refresh, "refresh")
    case 68..<70: send(.loadMore, "loadMore")
    case 70..<72: send(.retry, "retry")
    case 72..<75: fillSomeGap()
    case 75..<77: comeBack(after: Int.random(in: 0...80, using: &generator))
    case 77..<80: catchUp()
    case 80..<81: if generator.chance(20) { beginAnew() }
    case 81..<83: send(.start, "start")
    case 83..<84: send(.loadPrevious, "loadPrevious")
    // Who is not told what leaves the screen cannot know which side of a filled gap is seen.
    case 91..<92 where view.tellsLeaving || tellsRange: comeBackFromDisk()
    case 92..<93 where view.tellsLeaving || tellsRange: beginSomewhere()
    case 84..<87: answerOne()
    case 87..<89: removeRun()
    default: settle()
    }
  }

  private mutating func drift() {
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let index = Int.random(in: 0...max(0, feed.entries.count - 1), using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<4: feed.insert(isDecodable: !generator.chance(10))
      case 4..<6: feed.delete(at: index)
      case 6..<7: feed.insertLate(at: generator.chance(50) ? index : feed.entries.count - 1)
      case 7..<8 where moves: feed.move(at: index)
      default: feed.edit(at: index)
      }
    }
    let step = feed.step
    tell("drift to step \(step)")
  }

  /// So much goes at once that whole slices of the list are gone, and the list hears of it.
  private mutating func removeRun() {
    let last = max(0, feed.entries.count - 1)
    let index = generator.chance(50) ? 0 : Int.random(in: 0...last, using: &generator)
    for _ in 0..<Int.random(in: 1...4 * limit, using: &generator) { feed.delete(at: index) }
    tell("a run goes")
    catchUp()
  }

  private mutating func comeBack(after inserts: Int) {
    view.show(false)
    layOut("away")
    for _ in 0..<inserts { feed.insert() }
    view.show(true)
    layOut("back after \(inserts)")
    send(.refresh, "refresh")
  }

  private mutating func jump() {
    if generator.chance(50) { view.scrollToTop() } else { view.scroll(by: 10_000) }
    layOut("jump", moved: true)
  }

  private mutating func scroll(_ rows: Int) {
    view.scroll(by: rows)
    layOut("scroll \(rows)", moved: true)
  }

  private mutating func fillSomeGap() {
    guard let gap = state.content.gaps.randomElement(using: &generator) else { return }
    send(.fill(gap.id), "fill \(gap.id)")
  }

  mutating func catchUp() {
    // The numbers of another store are not known here, as at the server.
    guard state.isLoaded, let since = state.since else { return }
    guard since.rawValue.hasPrefix("e\(feed.epoch).") else {
      return send(.changesExpired, "changesExpired")
    }
    var told = state.content.items + (state.topLoad?.slices.flatMap(\.items) ?? [])
    for case .success(let slice) in answers.values { told += slice.items }
    let steps = Dictionary(told.map { ($0.id, $0.step) }, uniquingKeysWith: min)
    let changes = feed.changes.filter { $0.seq?.isAfter(since) == true }.map { change in
      // A change tells of its item, not of what lies beside it.
      var change = change
      if let step = change.id.flatMap({ steps[$0] }) { change.item?.step = step }
      return change
    }
    send(.changed(changes, next: feed.seq), "\(changes.count) changes")
    ghosts += told.filter { state.told[$0.id].map { $0.item == nil } == true }
  }

  /// Whoever has heard of all that changed knows whether a refresh would show anything above, and
  /// whether the end it saw still is the end.
  private mutating func lookForNews() {
    catchUp()
    settle()
    check()
    guard state.since == feed.seq else { return }
    // What moves to the top is told to nobody here.
    let top = moves || state.hasNews ? nil : state.topPlace
    let end = state.hasMore ? nil : state.content.segments.last?.end
    let above = top.map { SliceRequest(end: .before(.cursor($0))) }
    let below = end.map { SliceRequest(start: .after(.cursor($0))) }
    for request in [above, below].compactMap(\.self) {
      let slice = try? feed.slice(request, limit: 1)
      guard slice.map({ $0.items.isEmpty && $0.undecodable.isEmpty }) != true else { continue }
      faults.append("nobody tells of what came: \(request)")
    }
  }

  /// The list is shown from an item on that is there, or is not any more, or from the top.
  private mutating func beginSomewhere() {
    let key = feed.entries.randomElement(using: &generator).map { $0.key + (moves ? 1 : 0) }
    let place = generator.chance(70) ? key.map { FeedPosition(text: "e\(feed.epoch).\($0)") } : nil
    send(.begin(at: place, limit: limit), "begin at \(String(describing: place))")
  }

  /// The app is ended, and started again with what it kept.
  private mutating func comeBackFromDisk() {
    let maxItems = Int.random(in: 0...60, using: &generator)
    guard let snapshot = state.snapshot(maxItems: maxItems, feed: "model"),
      let kept = try? JSONEncoder().encode(snapshot),
      let read = try? JSONDecoder().decode(PagedSnapshot<ModelFeed.Told>.self, from: kept)
    else { return }
    let count = state.content.items.count
    tell("ended, \(read.items.count) of \(count) items are kept")
    (loads, answers, rests) = ([:], [:], [])
    view.show(false)
    layOut("")
    state = State(
      from: read, options: options, limit: limit, backoff: Backoff(retriesMax: 3),
      window: ListHistory.window)
    view.show(true)
    layOut("started again")
    send(.start, "start")
  }

  private mutating func beginAnew() {
    feed.beginAnew()
    tell("another store")
  }

  private mutating func completeOne() {
    guard let number = loads.keys.sorted().randomElement(using: &generator) else { return }
    answer(number)
    loads[number] = nil
    switch answers.removeValue(forKey: number) {
    case .success(let slice): send(.arrived(number, slice), "load \(number) arrives")
    case .failure(let error): send(.failed(number, error as? TsugiError, draw: 0.5), "\(error)")
    case nil: break
    }
  }

  /// The server answers a load; what it says is on its way.
  private mutating func answerOne() {
    if let number = loads.keys.sorted().randomElement(using: &generator) { answer(number) }
  }

  private mutating func answer(_ number: Int) {
    guard answers[number] == nil, let request = loads[number] else { return }
    if generator.chance(failing) {
      let errors: [any Error] = [
        TsugiError.transport(TransportFailure(.interrupted, "")), CancellationError(),
        TsugiError.status(StatusFailure(status: 503, retryAfter: .seconds(5))),
      ]
      return answers[number] = errors.randomElement(using: &generator).map { .failure($0) }
    }
    let most = generator.chance(20) ? Int.random(in: 1...limit, using: &generator) : .max
    let (feed, limit) = (feed, limit)
    answers[number] = Result { try feed.slice(request, limit: limit, most: most) }
    tell("load \(number) is answered at step \(feed.step)")
  }

  private mutating func wakeOne() {
    guard let rest = rests.sorted().first else { return }
    rests.remove(rest)
    send(.woke(rest), "woke \(rest)")
  }

  /// Lets everything happen that is under way; that must come to an end.
  mutating func settle() {
    for _ in 0..<400 {
      if !loads.isEmpty { completeOne() } else if !rests.isEmpty { wakeOne() } else { return }
    }
    faults.append("loading without end")
  }

  mutating func send(_ event: State.Event, _ words: @autoclosure () -> String) {
    tell(words())
    perform(state.handle(event))
    layOut("")
  }

  private mutating func tell(_ words: @autoclosure () -> String) {
    if tellsStory { story.append(words()) }
  }

  /// The view follows the list, and what it tells may change the list again.
  mutating func layOut(_ words: String, moved: Bool = false) {
    if !words.isEmpty { tell(words) }
    var moved = moved
    for _ in 0..<20 {
      let gaps = state.content.gaps.map { (PagedGap(id: $0.id, state: .idle), $0.index) }
      let rows = PagedRows(items: state.content.items, gaps: gaps)
      let events = view.layOut(rows, canLoadMore: state.hasMore, moved: moved, using: &generator)
      guard !events.isEmpty else { return }
      for event in tellsRange ? inOne(events) : events {
        tell("  \(event)")
        perform(state.handle(event))
      }
      moved = false
    }
    faults.append("the view never comes to rest")
  }

  /// A view that says which rows it shows, all at once.
  private func inOne(_ events: [State.Event]) -> [State.Event] {
    let seen = view.itemIDs.compactMap(state.content.index)
    let range = seen.min().flatMap { first in seen.max().map { first..<$0 + 1 } } ?? 0..<0
    let footer = events.filter { if case .footer = $0 { true } else { false } }
    return footer + [.visible(range)]
  }

  private mutating func perform(_ actions: [State.Action]) {
    for action in actions {
      switch action {
      // Its changes come without places, and it is in no store.
      case .changes, .catchUp, .read: faults.append("asks for \(action)")
      case .load(let number, let request):
        tell("  asks \(number): \(request)")
        loads[number] = request
      case .cancel(let number): (loads[number], answers[number]) = (nil, nil)
      case .rest(let number, _): rests.insert(number)
      }
    }
  }
}

extension ListHistory {
  /// What holds after every step.
  mutating func check() {
    let items = state.content.items
    if Set(items.map(\.id)).count != items.count { faults.append("an id stands twice") }
    checks += 1
    if checks % 8 == 0 {
      for (index, item) in items.enumerated() where state.content.index(of: item.id) != index {
        faults.append("\(item.id) is not found at \(index)")
      }
    }
    if state.content.segments.reduce(0, { $0 + $1.count }) != items.count {
      faults.append("segments and items differ")
    }
    let lanes = [state.top, state.more, state.previous, state.gap]
    let looks = [state.newsLook, state.endLook].compactMap(\.self)
    if Set(lanes.compactMap(\.load?.number) + looks) != Set(loads.keys) {
      faults.append("loads under way are not those of the lanes: \(loads)")
    }
    if Set(loads.values).count != loads.count { faults.append("the same is asked for twice") }
    checkHoles()
    if loads.isEmpty, rests.isEmpty { checkStuck() }
    let margin = options.prefetchDistance + 2 * limit
    let bound = 2 * (margin + ListHistory.window + 5 * limit) + 8 * 7 * limit
    if options.maxItems != nil, items.count > bound {
      faults.append("\(items.count) items are kept")
    }
  }

  /// Nothing is missing between two neighbours that was there when both were told; nor above the
  /// first or below the last, where the list says that there is nothing.
  private mutating func checkHoles() {
    // What was edited tells another step and key than it was loaded with, when it moved too.
    guard !moves else { return }
    let items = state.content.items
    guard zip(items, items.dropFirst()).allSatisfy({ $0.key > $1.key }) else {
      return faults.append("the order broke: \(items.map(\.key))")
    }
    guard state.isLoaded else { return }
    let gaps = Set(state.content.gaps.map(\.index))
    let hidden = (ghosts.map(\.key) + feed.entries.filter { !$0.isDecodable }.map(\.key))
      .sorted(by: >)
    var (index, firstHidden) = (0, 0)
    for entry in feed.entries where entry.isDecodable {
      while index < items.count, items[index].key > entry.key { index += 1 }
      if index < items.count, items[index].id == entry.id { continue }
      let above = index > 0 ? items[index - 1] : nil
      let below = index < items.count ? items[index] : nil
      while firstHidden < hidden.count, hidden[firstHidden] > above?.key ?? .max {
        firstHidden += 1
      }
      let isBesideHidden = firstHidden < hidden.count && hidden[firstHidden] > below?.key ?? .min
      let isKnown = (above != nil || !state.hasPrevious) && (below != nil || !state.hasMore)
      let seen = min(above?.step ?? .max, below?.step ?? .max)
      guard isKnown, !isBesideHidden, !gaps.contains(index), seen < .max, entry.bornStep <= seen
      else { continue }
      faults.append("\(entry) is missing between \(above as Any) and \(below as Any)")
    }
  }

  /// With nothing under way, a reader at an edge has no more to see, or sees why not.
  private mutating func checkStuck() {
    guard view.isShown, state.isStarted else { return }
    let hasFailed = [state.top, state.more, state.previous, state.gap].contains { lane in
      lane.state.error != nil || lane.failures > 0
    }
    guard !hasFailed else { return }
    if !state.isLoaded { return faults.append("nothing was ever loaded") }
    let seen = view.itemIDs.compactMap { state.content.index(of: $0) }
    let count = state.content.items.count
    if state.hasMore, count == 0 { faults.append("stuck with nothing") }
    if let last = seen.max(), state.hasMore, last >= count - 1 - options.prefetchDistance {
      faults.append("stuck at the end: \(seen) of \(count), \(state.visible)")
    }
    if let first = seen.min(), state.hasPrevious, first <= options.prefetchDistance {
      faults.append("stuck at the beginning")
    }
    if options.fillsGaps, state.content.gaps.contains(where: { seen.contains($0.index) }) {
      faults.append("stuck at a gap")
    }
  }
}
