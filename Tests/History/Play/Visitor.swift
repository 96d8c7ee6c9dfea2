import Feed
import Judge
import Support
import Synchronization

import struct Judge.Place

/// One client of the server: walks, comes back, refreshes, jumps, gives up.
final class Visitor: Sendable {
  private struct State {
    var random: SeededGenerator
    /// Slices it remembers, to go on from there another day.
    var remembered: [(feed: FeedID, slice: Slice)] = []
  }
  private let scene: Scene
  private let name: String
  private let state: Mutex<State>

  init(_ scene: Scene, number: Int) {
    self.scene = scene
    name = "visitor \(number)"
    let seed = scene.world.script.seed &* 31 &+ UInt64(number)
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  private var time: VirtualTime { scene.world.time }

  private func number(_ range: ClosedRange<Int>) -> Int {
    state.withLock { $0.random.number(range) }
  }

  /// A few visits, with time between them.
  func live() async {
    await time.sleep(.milliseconds(number(0...5_000)))
    for _ in 0..<number(1...3) {
      await visit()
      let pause = state.withLock { $0.random.pick(1, 40, 4_000, 90_000) }
      await time.sleep(.seconds(number(0...pause)))
    }
  }

  private func visit() async {
    let feeds = scene.feeds
    let feed = feeds[number(0...feeds.count - 1)]
    switch number(0...99) {
    case 0..<45: await walk(firstRequest(feed))
    case 45..<60: await resume()
    case 60..<72: await seek(feed)
    case 72..<84: await goBack()
    case 84..<92: await poll(feed)
    default: await readItem()
    }
  }

  private func firstRequest(_ feed: FeedID) -> SliceRequest {
    var request = SliceRequest(
      feed: feed, limit: number(0...1) == 0 ? number(1...100) : 20,
      wait: .milliseconds(number(0...9) == 0 ? 0 : number(500...30_000)))
    request.refreshes = number(0...2) == 0
    return request
  }

  /// Walks along `next`, to the end or for some slices.
  private func walk(
    _ first: SliceRequest, beginsAtTop: Bool = true, isResumed: Bool = false, start: Cut? = nil
  ) async {
    var request = first
    var stretch = Stretch(
      of: request.feed.name, beginsAtTop: beginsAtTop, start: start.map(Place.init))
    stretch.isResumed = isResumed
    let most = number(0...3) == 0 ? number(1...5) : 60
    let pause = state.withLock { $0.random.pick(0, 200, 2_000, 30_000, 3_000_000) }
    while stretch.slices.count < most, let slice = await scene.slice(request, for: name) {
      stretch.slices.append(scene.shown(slice))
      remember(slice, of: request.feed)
      guard slice.hasMore, let last = slice.items.last else { break }
      request.start = slice.bound(.below(last.position), of: request.feed)
      request.told = slice.told
      request.refreshes = false
      if let skip = slice.skip, number(0...3) == 0 {
        // It goes on below the gap: two stretches.
        scene.judge.note(stretch)
        stretch = Stretch(of: request.feed.name)
        stretch.isResumed = true
        request.start = slice.bound(
          Cut(position: skip.position), of: request.feed, trail: skip.trail)
        request.told = slice.told
      }
      await time.sleep(.milliseconds(number(0...pause)))
    }
    scene.judge.note(stretch)
  }

  private func remember(_ slice: Slice, of feed: FeedID) {
    guard !slice.items.isEmpty else { return }
    state.withLock { state in
      if state.remembered.count == 20 { state.remembered.removeFirst() }
      state.remembered.append((feed, slice))
    }
  }

  private func recall() -> (feed: FeedID, slice: Slice)? {
    state.withLock { $0.remembered.randomElement(using: &$0.random) }
  }

  /// Goes on where it was an hour or a day ago.
  private func resume() async {
    guard let (feed, slice) = recall(), let last = slice.items.last else { return }
    var request = firstRequest(feed)
    request.refreshes = false
    let cut = Cut.below(last.position)
    request.start = slice.bound(cut, of: feed)
    request.told = slice.told
    await walk(request, beginsAtTop: false, isResumed: true, start: cut)
  }

  /// Begins at a time, in a feed ordered by it.
  private func seek(_ feed: FeedID) async {
    guard feed.pattern.order == .value,
      let key = state.withLock({ state in
        scene.keys(of: feed).randomElement(using: &state.random)
      })
    else { return await walk(firstRequest(feed)) }
    var request = firstRequest(feed)
    request.refreshes = false
    let cut = Cut.above(key: key + Int64(number(-3...3)))
    request.start = .cut(cut)
    await walk(request, beginsAtTop: false, start: cut)
  }

  /// Reads upwards from where it was.
  private func goBack() async {
    guard let (feed, slice) = recall(), let first = slice.items.first else { return }
    var request = firstRequest(feed)
    request.refreshes = false
    request.takesLast = true
    request.end = slice.bound(.above(first.position), of: feed)
    request.told = slice.told
    var stretch = Stretch(of: feed.name)
    stretch.isUpwards = true
    for _ in 0..<number(1...10) {
      guard let slice = await scene.slice(request, for: name) else { break }
      stretch.slices.insert(scene.shown(slice), at: 0)
      guard slice.hasPrevious, let first = slice.items.first else {
        stretch.beginsAtTop = !slice.hasPrevious
        break
      }
      request.end = slice.bound(.above(first.position), of: feed)
      request.told = slice.told
      await time.sleep(.milliseconds(number(0...400)))
    }
    if stretch.beginsAtTop, stretch.slices.allSatisfy(\.elements.isEmpty) { return }
    scene.judge.note(stretch)
  }

  /// Asks for the top again and again, each time past every cache.
  private func poll(_ feed: FeedID) async {
    var request = firstRequest(feed)
    request.refreshes = true
    for _ in 0..<number(2...12) {
      guard let slice = await scene.slice(request, for: name) else { return }
      scene.judge.note(
        Stretch(of: feed.name, [scene.shown(slice)], beginsAtTop: true))
      await time.sleep(.milliseconds(number(0...3_000)))
    }
  }

  private func readItem() async {
    guard let (feed, slice) = recall(),
      feed.pattern.content == scene.world.script.dialect.lists.kind,
      let id = slice.items.first?.id
    else { return }
    await scene.readItem(id)
  }
}
