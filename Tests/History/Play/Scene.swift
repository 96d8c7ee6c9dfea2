import BufferedStore
import Engine
import Feed
import Judge
import Merge
import SQLiteStore
import SharedStore
import Support
import Synchronization

/// Everything a history is played with: the upstreams, the process that lives, its store, a judge.
final class Scene: Sendable {
  let worlds: [World]
  /// What is merged of them; nil where there is one upstream, and no merged feed.
  let merged: MergedScript?
  let judge: Judge
  private let disk: Disk
  private let audit: StoreAudit
  private let ledger: any SharedLedger
  private let folder: TemporaryDirectory?
  private let lives: Mutex<[Lifetime]>
  private let ending = Mutex(false)

  /// Times a request is made again before its visitor gives up.
  private static let triesMax = 12

  init(
    _ worlds: [World], merged: MergedScript? = nil, sharing ledger: (any SharedLedger)? = nil
  ) throws {
    (self.worlds, self.merged) = (worlds, merged)
    let world = worlds[0]
    let truth: any Truth = merged.map { MergedTruth($0, worlds) } ?? WorldTruth(world)
    judge = Judge(truth) { text in world.trace.note { "VIOLATION \(text)" } }
    disk = try Disk(isFile: world.script.isStoredInFile)
    audit = StoreAudit(judge, time: world.time)
    self.ledger = ledger ?? MemoryLedger(time: world.time)
    folder = world.script.servers > 1 ? try TemporaryDirectory("tsugi-history") : nil
    lives = Mutex([])
    for number in 0..<world.script.servers { try start(number) }
  }

  /// The feeds that readers ask for.
  var feeds: [FeedID] {
    let source = lives.withLock { $0[0].merged }
    return source.flatMap { merged?.feeds(of: $0) } ?? world.script.feeds
  }

  /// Whether the readers are gone, so that nothing more happens by itself.
  var isOver: Bool { ending.withLock { $0 } }

  /// Notes that the readers are gone.
  func visitsAreOver() { ending.withLock { $0 = true } }

  /// The upstream by which the process lives; the only one, where no feed is merged.
  var world: World { worlds[0] }

  /// Begins a process in its place; one that shares comes up once it reaches the others.
  private func start(_ number: Int) throws {
    while true {
      do {
        let next = try begin(number)
        return lives.withLock { lives in
          if number < lives.count { lives[number] = next } else { lives.append(next) }
        }
      } catch StoreError.unreachable {
        continue
      }
    }
  }

  /// Begins a process: the only one, or one of those that share.
  private func begin(_ number: Int) throws -> Lifetime {
    let merge = { [merged, world] (readers: [FeedReader]) in
      merged?.source(over: readers, time: world.time)
    }
    guard let folder else {
      return try Lifetime(worlds, over: .disk(disk, audit), merge: merge)
    }
    let copy = try TimelineDatabase(
      path: "\(folder.path)/\(number).sqlite", durability: .processOnly, isCopy: true)
    let link = FaultyLedger(to: ledger) { [world] _ in
      !world.state.withLock(\.isQuiet) && world.number(0...999) < world.script.losses
    }
    let life = try Lifetime(
      worlds, over: .shared(link, copy: copy, name: "\(number)-\(world.number(0...1 << 30))"),
      merge: merge)
    Task(executorPreference: world.time) { [weak self, weak life] in
      while let scene = self, let life, scene.lives.withLock({ $0.contains { $0 === life } }) {
        await life.follow()
        let most = scene.world.state.withLock { $0.random.pick(1_500, 20_000, 60_000) }
        await scene.world.time.sleep(.milliseconds(scene.world.number(100...most)))
      }
    }
    return life
  }

  /// Kills a process and begins another one over what it stored.
  func restart() {
    let number = world.script.servers > 1 ? world.number(0...world.script.servers - 1) : 0
    world.trace.note { "killed: \(number)" }
    let last = lives.withLock { $0[number] }
    last.kill()
    if last.store.isHolding {
      judge.forget()
      for world in worlds { world.state.withLock { $0.refusal = nil } }
    }
    do { try start(number) } catch { judge.blame("a process does not start: \(error)") }
  }

  /// Ends all processes, and removes their files: what still waits for an instant that does not
  /// come keeps them, and these would stay.
  func end() {
    for life in lives.withLock({ $0 }) { life.kill() }
    folder?.remove()
  }

  /// The process that a request comes to: any of them.
  private var living: Lifetime {
    lives.withLock { $0[world.script.servers > 1 ? world.number(0...$0.count - 1) : 0] }
  }

  private func isLiving(_ life: Lifetime) -> Bool {
    lives.withLock { $0.contains { $0 === life } }
  }

  /// The slice a request asks for, asked for again as a client does; nil when it gives up.
  func slice(_ request: SliceRequest, for name: String) async -> Slice? {
    let what = describe(request)
    for _ in 0..<Scene.triesMax {
      let life = living
      await life.storeKeeper.tick()
      let askedAt = merged.map { _ in world.time.now.milliseconds }
      do throws(ReadError) {
        let slice = try await serve(request, from: life)
        guard isLiving(life) else {
          // The connection was lost before the answer came.
          await world.time.sleep(.milliseconds(50))
          continue
        }
        world.trace.noteExchange { "\(name) \(what) → \(describe(slice))" }
        judge.note(shown(slice), for: Question(request, askedAt: askedAt))
        return slice
      } catch {
        world.trace.noteExchange { "\(name) \(what) → \(error)" }
        guard let until = retry(error, request) else { return nil }
        await world.time.sleep(until: max(until, world.time.now + .milliseconds(50)))
      }
    }
    return nil
  }

  /// As the server does: on the caller's thread if what is stored suffices.
  private func serve(
    _ request: SliceRequest, from life: Lifetime
  ) async throws(ReadError) -> Slice {
    if let merged = life.merged {
      if let slice = try merged.stored(request, from: life.rows) { return slice }
      return try await merged.slice(request, permit: nil, room: nil)
    }
    let reader = life.readers[0]
    if let slice = try reader.stored(request, from: life.rows) { return slice }
    return try await reader.slice(request)
  }

  /// What the judge sees of a slice.
  func shown(_ slice: Slice) -> ShownSlice {
    merged.map { ShownSlice(slice, of: $0) } ?? ShownSlice(slice)
  }

  /// The lists that a feed is made of: one, but of a merged feed those of its parts.
  func lists(of feed: FeedID) -> [(number: Int, world: World, feed: FeedID)] {
    guard let merged else { return [(0, world, feed)] }
    return merged.parts(of: feed.name).map { ($0.world, worlds[$0.world], $0.feed) }
  }

  /// What the upstreams have of a feed now, as ``contents(of:)``; of one ordered by value sorted.
  func expected(of feed: FeedID) -> [String] {
    let truth = lists(of: feed).flatMap { number, world, list in
      world.contents(of: list).map { merged == nil ? $0 : MergedTruth.name($0, of: number) }
    }
    guard feed.pattern.order == .value else { return truth }
    // An element that two parts show is one.
    return merged == nil ? truth.sorted() : Set(truth).sorted()
  }

  /// The contents of a slice's items; of a merged feed with their upstream.
  func contents(of slice: Slice) -> [String] {
    let texts = slice.items.map { String(decoding: $0.bytes, as: UTF8.self) }
    guard let merged else { return texts }
    return zip(texts, slice.origins).map { MergedTruth.name($0, of: merged.world(of: $1.part)) }
  }

  /// The keys of what a feed has, by its own count.
  func keys(of feed: FeedID) -> [Int64] {
    lists(of: feed).flatMap { _, world, list in
      world.list(list).entries.map { merged == nil ? $0.second : $0.second * 1_000 }
    }
  }

  /// When a client asks again after an error; nil when it does not.
  private func retry(_ error: ReadError, _ request: SliceRequest) -> Timestamp? {
    let now = world.time.now
    switch error.cause {
    case .rateLimited(let at), .rateAssumed(_, let at, _), .tooManyOpenings(let at, _),
      .unavailable(let at), .unproven(let at, _):
      if at > now + .seconds(7_300) { judge.blame("told to wait until \(at)") }
      return at
    case .timedOut, .store: return request.wait == .zero ? nil : now + .milliseconds(100)
    case .badResponse(let retryAt): return retryAt
    case .positionExpired where request.feed.pattern.order != .value: return nil
    case .notFound, .refused, .deleted, .unknownElement, .positionExpired, .reordered, .part:
      judge.blame("\(request.feed.name): \(error)")
      return nil
    }
  }

  /// Reads an article by itself.
  func readItem(_ id: Identity) async {
    do throws(ReadError) {
      let item = try await living.readers[0].item(
        ItemName(id, kind: world.script.dialect.lists.kind), wait: .seconds(10))
      world.trace.noteExchange {
        "item \(id.text) → \(String(decoding: item.bytes, as: UTF8.self))"
      }
    } catch {
      world.trace.noteExchange { "item \(id.text) → \(error)" }
      guard error == .deleted || error == .notFound,
        let article = world.state.withLock({ $0.articles[id] })
      else { return }
      // What cannot be used is not found; what left the list of all is taken for deleted.
      let isThere =
        article.deletedAt == nil && !article.isBad && article.versions.count == 1
        && world.list(world.script.dialect.lists.items).history[id]?.until == nil
      if isThere { judge.blame("\(id.text) is there and said to be \(error)") }
    }
  }

  private func describe(_ request: SliceRequest) -> String {
    var text = "\(request.feed.path)\(request.feed.parameters ?? "") limit \(request.limit)"
    if let start = request.start { text += " from \(describe(start))" }
    if let end = request.end { text += " to \(describe(end))" }
    if request.refreshes { text += " refresh" }
    return text + " wait \(request.wait.inMilliseconds)"
  }

  /// Without the epoch, which each store in a file makes at random.
  private func describe(_ bound: SliceRequest.Bound) -> String {
    switch bound {
    case .cut(let cut), .walked(let cut, _), .observed(let cut, _, _): "\(cut)"
    default: "\(bound)"
    }
  }

  private func describe(_ slice: Slice) -> String {
    let ids = slice.items.map { String(decoding: $0.bytes, as: UTF8.self) }
    let end = slice.endReason.map { " \($0)" } ?? (slice.gap == nil ? " more" : " gap")
    let above = slice.hasPrevious ? " below more" : ""
    let missing = slice.missing.isEmpty ? "" : "missing \(slice.missing) "
    return "\(ids.joined(separator: " "))\(end)\(above) \(slice.proof) \(slice.freshness.state) "
      + missing
      + "number \(slice.sequence) "
      + "proven \(slice.freshness.provenAt.milliseconds - 1_800_000_000_000)"
  }
}
