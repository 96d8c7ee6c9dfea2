import Simulator
import Support
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// A reader before a list of the real server, over sockets, while the upstream moves.
@MainActor final class ListReader {
  let list: PagedList<Post>
  private let stand: ClientStand
  private let transport: WatchedTransport
  private let clock = ManualClock()
  private let second: HandSecond
  private var view: SimulatedView<Post>
  private var generator: SeededGenerator
  private var absences = 0
  private var story: [String] = []
  private(set) var faults: [String] = []

  init(
    _ stand: ClientStand, second: HandSecond, seed: UInt64, options: PagedOptions
  ) {
    self.stand = stand
    self.second = second
    generator = SeededGenerator(seed: seed)
    transport = WatchedTransport(seed: seed)
    var client = FeedClient(baseURL: stand.baseURL, transport: transport)
    client.clock = clock
    list = PagedList(
      client.feed("qiita/items", limit: WatchedTransport.sliceLimit), options: options)
    view = SimulatedView(height: 12)
    view.hasFooter = seed.isMultiple(of: 2)
    view.tellsLeaving = !seed.isMultiple(of: 3)
  }

  /// What happened last, for a failure's report.
  var report: String { story.suffix(40).joined(separator: "\n") }

  /// The most requests that were under way at once in one direction.
  var mostAtOnce: Int { transport.most.values.max() ?? 0 }

  /// Lets so many things happen.
  func read(steps: Int) async throws {
    list.start()
    for _ in 0..<steps where faults.isEmpty {
      try await happen()
      second.advance()
      layOut(moved: false)
      check()
    }
  }

  /// What is new is looked at, and all is read from the top to the end; gives what was met.
  func readToTheEnd() async throws -> Set<String> {
    transport.fail(0)
    stand.qiita.withQiita { ($0.options.faults, $0.options.drift) = ([:], Drift()) }
    for _ in 0..<100 {
      // What the server asks to wait for is waited for, by its own time.
      try await settle()
      guard await list.refresh() != .fresh else { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    list.retry()
    try await settle()
    repeat {
      view.scrollToTop()
      layOut(moved: true)
      try await settle()
    } while list.canLoadPrevious
    // The last of it came above what was on the screen.
    view.scrollToTop()
    layOut(moved: true)
    try await settle()
    var met = Set<String>()
    var stays = 0
    while stays < 3, faults.isEmpty {
      let before = view.anchor
      met.formUnion(view.itemIDs)
      view.scroll(by: view.height)
      layOut(moved: true)
      try await settle()
      stays = view.anchor == before ? stays + 1 : 0
    }
    check()
    if list.canLoadMore { faults.append("the end was never reached: \(list.moreState)") }
    return met
  }

  private func happen() async throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<40: scroll(Int.random(in: -6...14, using: &generator))
    case 40..<44:
      note("jump")
      if generator.chance(50) { view.scrollToTop() } else { view.scroll(by: 10_000) }
      layOut(moved: true)
    case 44..<54: refreshMeanwhile()
    case 54..<57: goAway(whileComing: 1_000)
    case 57..<62: delete()
    case 62..<66:
      let percent = [0, 0, 30, 100].randomElement(using: &generator) ?? 0
      note("\(percent) of a hundred fail")
      transport.fail(percent)
    case 66..<70:
      let chance = generator.chance(50) ? 0.2 : 0
      note("upstream fails: \(chance)")
      stand.qiita.withQiita { $0.options.faults = [.unavailable: chance, .cut: chance / 2] }
    case 70..<74:
      note("retry")
      list.retry()
    case 74..<76:
      note("start")
      list.start()
    case 76..<78:
      note("loadMore")
      list.loadMore()
    case 78..<90:
      note("settle")
      try await settle()
    default:
      // A moment in which something may arrive, or not.
      for _ in 0..<Int.random(in: 1...200, using: &generator) { await Task.yield() }
      if generator.chance(30) { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  private func scroll(_ rows: Int) {
    note("scroll \(rows)")
    view.scroll(by: rows)
    layOut(moved: true)
  }

  /// Pulls, and reads on while it is under way.
  private func refreshMeanwhile() {
    note("refresh")
    Task { await list.refresh() }
  }

  /// The app goes away, so much comes meanwhile, one a second, and it is back: twice at most.
  private func goAway(whileComing count: Int) {
    guard absences < 2 else { return }
    absences += 1
    note("away")
    view.show(false)
    layOut(moved: false)
    stand.qiita.withQiita { qiita in
      for _ in 0..<count { qiita.world.insert(at: second.advance()) }
    }
    second.advance(by: 10)
    view.show(true)
    layOut(moved: false)
    note("back")
    refreshMeanwhile()
  }

  /// Rows on the screen go upstream.
  private func delete() {
    note("delete")
    stand.qiita.withQiita { qiita in
      for id in view.itemIDs.prefix(2) { qiita.world.delete(id: id) }
    }
  }

  /// Waits until nothing is under way; who rests is woken.
  func settle() async throws {
    for _ in 0..<20_000 {
      layOut(moved: false)
      let lanes = [list.state.top, list.state.more, list.state.previous, list.state.gap]
      guard lanes.allSatisfy({ $0.load == nil }) else {
        try await Task.sleep(for: .milliseconds(1))
        continue
      }
      guard lanes.contains(where: { $0.rest != nil }) else { return checkStuck() }
      if clock.sleeperTotal > 0 { clock.advance(by: .seconds(3_600)) }
      await Task.yield()
    }
    faults.append("it never came to rest: \(list.moreState)")
  }

  private func layOut(moved: Bool) {
    var moved = moved
    for _ in 0..<20 {
      let events = view.layOut(
        list.rows, canLoadMore: list.canLoadMore, moved: moved, using: &generator)
      guard !events.isEmpty else { return }
      for event in events { tell(event) }
      moved = false
    }
    faults.append("the view never comes to rest")
  }

  /// What a row or the footer says, by the calls a view has.
  private func tell(_ event: PagedState<Post>.Event) {
    switch event {
    case .appeared(let id): item(id).map(list.appeared)
    case .disappeared(let id): item(id).map(list.disappeared)
    case .footer(isVisible: true): list.footerAppeared()
    case .footer(isVisible: false): list.footerDisappeared()
    default: break
    }
  }

  private func item(_ id: String) -> Post? {
    list.index(of: id).map { list.items[$0] }
  }

  private func note(_ words: String) {
    story.append(words)
  }

  /// No id twice, in order, and nothing that was there from the beginning is missing between two
  /// neighbours, or beyond an end that the list calls the end.
  private func check() {
    let ids = list.items.map(\.id)
    if Set(ids).count != ids.count { faults.append("an id stands twice") }
    let gaps = Set(list.state.content.gaps.map(\.index))
    let (keys, stayed) = stand.qiita.withQiita { qiita in
      let world = qiita.world
      return (
        ids.map { Key(id: $0, second: world.createdAtSeconds(of: $0) ?? 0) },
        world.idsPresent(from: 0, through: world.step).map {
          Key(id: $0, second: world.createdAtSeconds(of: $0) ?? 0)
        }
      )
    }
    guard zip(keys, keys.dropFirst()).allSatisfy({ $1 < $0 }) else {
      return faults.append("the order broke")
    }
    guard list.isLoaded else { return }
    var index = 0
    for key in stayed {
      while index < keys.count, key < keys[index] { index += 1 }
      if index < keys.count, keys[index] == key { continue }
      let isKnown =
        (index > 0 || !list.canLoadPrevious) && (index < keys.count || !list.canLoadMore)
      guard isKnown, !gaps.contains(index) else { continue }
      faults.append("\(key) is missing at \(index) of \(keys.count)")
      return
    }
  }

  /// With nothing under way, a reader at an edge has no more to see, or sees why not.
  private func checkStuck() {
    let state = list.state
    guard
      ![state.top, state.more, state.previous, state.gap].contains(where: { lane in
        lane.state.error != nil || lane.failures > 0
      })
    else { return }
    if !list.isLoaded { return faults.append("nothing was ever loaded") }
    guard let last = view.itemIDs.compactMap(list.index).max() else { return }
    if list.canLoadMore, last == list.items.count - 1 { faults.append("stuck at the end") }
    if state.content.gaps.contains(where: { $0.index == last }) { faults.append("stuck at a gap") }
  }

  /// Where an item stands.
  private struct Key: Equatable, Comparable {
    var id: String
    var second: Int64

    static func < (left: Key, right: Key) -> Bool {
      (left.second, left.id) < (right.second, right.id)
    }
  }
}
