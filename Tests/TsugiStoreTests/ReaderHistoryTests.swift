import Foundation
import Support
import Synchronization
import Testing
import TsugiClientTesting

@testable import TsugiClient
@testable import TsugiStore

/// Seeded readers who scroll, pull, edit, go offline, are killed and come back, while the feed
/// moves and the network fails.
@MainActor @Suite(.timeLimit(.minutes(20))) struct ReaderHistoryTests {
  @Test(arguments: Extent.seeds(30, of: 1_000))
  func keepsWhatItPromises(seed: UInt64) async throws {
    let history = try ReaderHistory(seed)
    try await history.play(steps: 40)
    #expect(history.faults.isEmpty, "seed \(seed)\n\(history.faults)\n\(history.story)")
  }
}

/// One reader.
@MainActor final class ReaderHistory {
  private let shop = ModelShop(count: 60)
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tsugi-reader-\(UUID().uuidString)")
  private let feed: Feed<Note>
  private let options: PagedOptions
  private var generator: SeededGenerator
  private var store: FeedStore
  private var list: PagedList<Note>
  private var detail: PagedItem<Note>?
  private(set) var faults: [String] = []
  private(set) var story = ""
  /// Edits that are being sent, by their items, and what ends each.
  private var sending: [String: (text: String, end: AsyncStream<Bool>.Continuation)] = [:]
  private var tasks: [Task<Void, Never>] = []

  init(_ seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    let url = try #require(URL(string: "https://notes.example"))
    let client = FeedClient(
      baseURL: url, transport: shop,
      backoff: Backoff(first: .milliseconds(1), longest: .milliseconds(2)))
    feed = client.feed("shop/notes", limit: Int.random(in: 3...9, using: &generator))
    options = PagedOptions(
      prefetchDistance: 2, maxItems: Bool.random(using: &generator) ? 12 : nil,
      catchUpAfter: .zero)
    store = FeedStore(
      StoreCore(
        folder.appending(path: "s.sqlite"), maxBytes: 64 << 20, access: .readWrite, log: nil))
    list = PagedList(feed, in: store, options: options)
    let looks = Int.random(in: 0..<4, using: &generator) > 0
    shop.stock.withLock { $0.looks = looks }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }  // It lies in a temporary folder.

  private func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }
  private func pick(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &generator) }

  func play(steps: Int) async throws {
    list.start()
    for _ in 0..<steps {
      switch pick(11) {
      case 0, 1: move()
      case 2: scroll()
      case 3: await pull()
      case 4: await comeBack()
      case 5: await edit()
      case 6: endEdit()
      case 7: await openDetail()
      case 8: try await restart()
      case 9: tell("network"); setNetwork(isOffline: chance(30), failing: chance(30) ? 30 : 0)
      default: scroll()
      }
      await rest()
      check()
      if !faults.isEmpty { break }
    }
    await finish()
  }

  private func setNetwork(isOffline: Bool, failing: Int) {
    shop.stock.withLock { ($0.isOffline, $0.failing) = (isOffline, failing) }
  }

  private func tell(_ text: String) {
    story += "\(text): \(list.items.map(\.id).joined(separator: " "))\n"
  }

  /// The feed moves.
  private func move() {
    let (kind, roll, other) = (pick(5), pick(1 << 20), pick(1 << 20))
    shop.stock.withLock { stock in
      guard stock.notes.count > 5 else { return }
      let (index, place) = (roll % min(25, stock.notes.count), other % min(25, stock.notes.count))
      switch kind {
      case 0: stock.insert(at: stock.place(above: 0))
      case 1: stock.edit(index, "\(roll)")
      case 2: stock.remove(index)
      case 3: stock.move(index, to: stock.place(above: place))
      default: stock.insert(at: stock.place(above: place))
      }
    }
    tell("moved \(kind)")
  }

  private func scroll() {
    guard !list.items.isEmpty else { return }
    let first = pick(list.items.count)
    list.visible(first..<min(first + 4, list.items.count))
    tell("scrolled to \(first)")
  }

  private func pull() async {
    _ = await list.refresh()
    tell("pulled")
  }

  private func comeBack() async {
    await list.cameBack()
    tell("came back")
  }

  /// Waits until nothing is in progress, for so long as something is.
  private func rest() async {
    for _ in 0..<400 {
      let isBusy =
        [list.refreshState, list.moreState, list.previousState].contains(.loading)
        || list.state.lookup.number != nil || list.state.lookup.held != nil
      if !isBusy { break }
      await Task.yield()
      if shop.stock.withLock({ $0.failing > 0 || $0.isOffline }) { break }
    }
  }

  private func edit() async {
    guard let note = list.items.randomElement(using: &generator), sending[note.id] == nil else {
      return
    }
    let text = "mine\(pick(1_000))"
    let (ends, end) = AsyncStream<Bool>.makeStream()
    sending[note.id] = (text, end)
    let (list, shop) = (list, shop)
    struct Refused: Error {}
    tasks.append(
      Task {
        // What is refused is taken back; the history looks at that.
        try? await list.edit(note.id) {
          $0.text = text
        } sending: {
          for await isTaken in ends {
            guard isTaken else { throw Refused() }
            shop.stock.withLock { stock in
              let index = stock.notes.firstIndex { $0.note.id == note.id }
              if let index { stock.edit(index, text) }
            }
          }
        }
      })
    for _ in 0..<100 where list.item(note.id)?.text != text { await Task.yield() }
    tell("edits \(note.id)")
  }

  private func endEdit() {
    guard let id = sending.keys.sorted().first, let (_, end) = sending.removeValue(forKey: id)
    else { return }
    end.yield(chance(60))
    end.finish()
    tell("ends \(id)")
  }

  private func openDetail() async {
    guard let note = list.items.randomElement(using: &generator) else { return }
    let item = PagedItem(note.id, of: feed, at: "shop/notes/\(note.id)", in: store)
    if item.item?.text != list.item(note.id)?.text { faults.append("a detail begins otherwise") }
    detail = item
    await item.load()
    tell("opened \(note.id)")
  }

  /// The process ends, in order or killed, and another one begins.
  private func restart() async throws {
    let isKilled = chance(50)
    var before = list.state.kept
    var flushes = 0
    while !isKilled {
      await store.flush()
      flushes += 1
      guard flushes < 100 else {
        faults.append("what is kept never stays the same")
        break
      }
      // What arrived while it was written is written next.
      guard list.state.kept != before else { break }
      before = list.state.kept
    }
    for (_, edit) in sending.values { edit.finish() }
    sending = [:]
    detail = nil
    let next = folder.appending(path: "s\(pick(1 << 30)).sqlite")
    for name in ["", "-wal"] {
      // A copy while it may be written is what a killed process leaves.
      try? FileManager.default.copyItem(
        atPath: folder.appending(path: "s.sqlite\(name)").path, toPath: next.path + name)
    }
    store = FeedStore(StoreCore(next, maxBytes: 64 << 20, access: .readWrite, log: nil))
    list = PagedList(feed, in: store, options: options)
    if !isKilled, let before {
      let kept = list.state.kept?.segments.flatMap(\.ids) ?? []
      if kept != before.segments.flatMap(\.ids) {
        faults.append("was \(before.segments.flatMap(\.ids)), is \(kept)")
      }
    }
    for name in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.appending(path: "s.sqlite\(name)").path)
      try? FileManager.default.moveItem(
        atPath: next.path + name, toPath: folder.appending(path: "s.sqlite\(name)").path)
    }
    list.start()
    tell(isKilled ? "killed" : "ended")
  }

  /// What holds after every step.
  private func check() {
    let ids = list.items.map(\.id)
    if Set(ids).count != ids.count { faults.append("an id stands twice") }
    for (index, item) in list.items.enumerated() where list.index(of: item.id) != index {
      faults.append("\(item.id) is not found at \(index)")
    }
    let kept = list.state.shelf
    let all =
      kept.above.flatMap(\.ids) + list.state.content.items.map(\.id)
      + kept.below.flatMap(\.ids)
    if Set(all).count != all.count { faults.append("an id is kept twice: \(all)") }
    if let detail, let item = list.item(detail.id), let shown = detail.item, item != shown {
      faults.append("\(detail.id) is \(item.text) here and \(shown.text) there")
    }
    for (id, (text, _)) in sending {
      if let item = list.item(id), item.text != text { faults.append("the edit of \(id) is lost") }
    }
  }

  /// In the end, with a network, the list is what the feed is, in order and whole.
  private func finish() async {
    setNetwork(isOffline: false, failing: 0)
    for (_, end) in sending.values { end.finish() }
    sending = [:]
    for task in tasks { await task.value }
    guard faults.isEmpty else { return }
    for _ in 0..<10 {
      _ = await list.refresh()
      await list.cameBack()
      list.retry()
      for _ in 0..<50 { await Task.yield() }
      await rest()
      list.visible(0..<1)
      await rest()
      while list.canLoadMore, list.moreState.error == nil, let last = list.items.last {
        let count = list.items.count
        list.visible([last.id])
        await rest()
        if list.items.count <= count, list.items.last?.id == last.id { break }
      }
    }
    tell("end")
    check()
    let all =
      list.state.shelf.above.flatMap(\.ids) + list.state.content.items.map(\.id)
      + list.state.shelf.below.flatMap(\.ids)
    let notes = shop.stock.withLock { $0.notes.map(\.note) }
    let order = Dictionary(uniqueKeysWithValues: notes.enumerated().map { ($1.id, $0) })
    let places = all.map { order[$0] ?? -1 }
    if places.contains(-1) { faults.append("has what is gone: \(all)") }
    if places != places.sorted() { faults.append("is out of order: \(all) \(notes.map(\.id))") }
  }
}
