import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// Feeds that come whole and are replaced at once: comments, likes, files.
@Suite struct WholeFeedTests {
  /// An upstream that answers with a whole list.
  final class Upstream: PageFetcher {
    struct State {
      /// `!` is one that cannot be used.
      var ids: [String] = []
      var calls = 0
      /// What it says there is; nil for as many as it shows.
      var total: Int?
      /// What it calls the list's present state; nil where it does not tell.
      var revision: UInt64?
      var failure: FetchError?
    }
    let state = Mutex(State())
    let time: VirtualTime

    init(_ time: VirtualTime) {
      self.time = time
    }

    func set(_ ids: [String]) { state.withLock { $0.ids = ids } }

    func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
      await page(window, of: feed, unlessStill: nil)
    }

    func page(
      _ window: Window, of feed: FeedID, unlessStill known: UInt64?
    ) async -> Fetched<Page> {
      let sentAt = time.now
      await time.sleep(.milliseconds(10))
      let result = state.withLock { state -> Result<Page, FetchError> in
        state.calls += 1
        if let failure = state.failure { return .failure(failure) }
        if let known, known == state.revision { return .failure(.unchanged) }
        let items = state.ids.enumerated().filter { $0.element != "!" }.map { index, id in
          Page.Slot(
            index: index,
            item: PageItem(
              id: Identity(id), key: nil, updatedAt: nil, bytes: Array(id.utf8)))
        }
        let count = state.ids.count
        var page = Page(items: items, count: count, hasNext: false, total: state.total ?? count)
        page.revision = state.revision
        return .success(page)
      }
      return Fetched(
        sentAt: sentAt, receivedAt: time.now, date: nil, budget: nil, result: result)
    }

    func item(_ name: ItemName) async -> Fetched<PageItem> {
      Fetched(
        sentAt: time.now, receivedAt: time.now, date: nil, budget: nil,
        result: .failure(.notFound))
    }
  }

  struct Rig {
    static let feed = FeedID(
      source: "fruits", pattern: FeedPattern("items", order: .whole),
      parts: [Array("items".utf8)])

    let time = VirtualTime()
    let upstream: Upstream
    let store = MemoryStore()
    let reader: FeedReader

    init(_ ids: String) throws {
      upstream = Upstream(time)
      upstream.set(Rig.ids(ids))
      var policy = Policy.unbounded
      (policy.freshSeconds, policy.staleSeconds, policy.recheckSeconds) = (1, 1, 1)
      policy.pauseMax = .seconds(1)
      reader = try FeedReader(
        source: "fruits", policy: policy, fetcher: upstream, store: store, time: time,
        executor: time)
    }

    static func ids(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    /// The list becomes another, and long enough passes for it to be seen.
    func change(to ids: [String]) {
      upstream.set(ids)
      time.run { [time] in await time.sleep(.seconds(2)) }
    }

    func slice(after place: Place? = nil, limit: Int = 100) -> Result<Slice, ReadError> {
      var request = SliceRequest(feed: Rig.feed, limit: limit, wait: .seconds(10))
      request.start = place.map { .observed(.below($0.position), lineage: $0.lineage) }
      let asked = request
      let reader = reader
      return time.run {
        do throws(ReadError) {
          return .success(try await reader.slice(asked))
        } catch {
          return .failure(error)
        }
      } ?? .failure(.timedOut)
    }

    func shown() throws -> String {
      let slice = try slice().get()
      #expect(!slice.hasMore && slice.endReason == .end)
      return slice.items.map(\.id.text).joined(separator: " ")
    }

    /// A place as a cursor tells it.
    struct Place {
      var position: Position
      var lineage: UInt64
    }

    func place(of id: String) throws -> Place {
      let slice = try slice().get()
      let position = try #require(slice.items.first { $0.id.text == id }).position
      return Place(position: position, lineage: slice.lineage)
    }
  }

  /// Where the answer itself tells of more than it has, its end is not the feed's.
  @Test(
    arguments: [(nil, "end"), (3, "end"), (2, "end"), (4, "upstreamLimit")] as [(Int?, String)])
  func anEndThatTheTotalDeniesIsTheUpstreamsLimit(total: Int?, reason: String) throws {
    let rig = try Rig("a ! c")
    rig.upstream.state.withLock { $0.total = total }
    let slice = try rig.slice().get()
    #expect(slice.items.count == 2 && !slice.hasMore)
    #expect(slice.endReason?.rawValue == reason)
  }

  @Test(arguments: [
    ("a b c d", "a b c d"), ("a b c d", "x a b c d y"), ("a b c d", "a x y b c z d"),
    ("a b c d", "b d"), ("a b c d", "d c b a"), ("a b c d", "b c d a"), ("a b c d", "d a b c"),
    ("a b c d", "b a d c"), ("a b c d", "x"), ("a b c d", ""), ("", "a b"), ("a b c", "x b y"),
  ])
  func theNextAnswerReplacesAll(before: String, after: String) throws {
    let rig = try Rig(before)
    #expect(try rig.shown() == before)
    rig.change(to: Rig.ids(after))
    #expect(try rig.shown() == after)
    rig.change(to: Rig.ids(before))
    #expect(try rig.shown() == before)
  }

  @Test(arguments: UInt64(1)...200)
  func whateverChangesTheOrderIsTheUpstreams(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let rig = try Rig("")
    var ids: [String] = []
    var lastNumber = 0
    for _ in 0..<15 {
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1:
          let place = Int.random(in: 0...ids.count, using: &random)
          lastNumber += 1
          ids.insert("\(lastNumber)", at: place)
        case 2 where !ids.isEmpty: ids.remove(at: ids.indices.randomElement(using: &random) ?? 0)
        default:
          guard ids.count > 1 else { continue }
          let moved = ids.remove(at: ids.indices.randomElement(using: &random) ?? 0)
          ids.insert(moved, at: Int.random(in: 0...ids.count, using: &random))
        }
      }
      rig.change(to: ids)
      #expect(try rig.shown() == ids.joined(separator: " "))
    }
  }

  /// A walk while the list changes: nothing twice, and what stayed in order is there, or the reader
  /// is told to begin again.
  @Test(arguments: UInt64(1)...200)
  func aWalkShowsNothingTwiceAndMissesNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var ids = (0..<30).map { "i\($0)" }
    let rig = try Rig(ids.joined(separator: " "))
    var slice = try rig.slice(limit: 4).get()
    let stayed = Set(ids)
    var gone: Set<String> = []
    var walked = slice.items.map(\.id.text)
    var isExpired = false
    while slice.hasMore, let last = slice.items.last {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: ids.insert("new\(walked.count)", at: Int.random(in: 0...ids.count, using: &random))
      case 1:
        let left = ids.remove(at: ids.indices.randomElement(using: &random) ?? 0)
        if seed % 2 == 0, let back = gone.subtracting(ids).randomElement(using: &random) {
          ids.insert(back, at: Int.random(in: 0...ids.count, using: &random))
        }
        gone.insert(left)
      case 2 where seed % 2 == 0:
        let moved = ids.remove(at: ids.indices.randomElement(using: &random) ?? 0)
        gone.insert(moved)
        ids.insert(moved, at: Int.random(in: 0...ids.count, using: &random))
      default: break
      }
      rig.change(to: ids)
      let next = rig.slice(
        after: Rig.Place(position: last.position, lineage: slice.lineage), limit: 4)
      if case .failure(.positionExpired) = next {
        isExpired = true
        break
      }
      slice = try next.get()
      walked += slice.items.map(\.id.text)
    }
    #expect(Set(walked).count == walked.count, "\(walked)")
    if !isExpired { #expect(Set(walked).isSuperset(of: stayed.subtracting(gone))) }
    // Only a move can end a walk.
    #expect(seed % 2 == 0 || !isExpired)
  }

  @Test func positionsLiveThroughWhatDoesNotMoveThem() throws {
    let rig = try Rig("a b c d e")
    let c = try rig.place(of: "c")
    for (change, rest) in [
      ("x a b c d e", "d e"), ("x a y c z d e w", "z d e w"), ("x a y z d e w", "z d e w"),
      ("q a y z d e", "z d e"),
    ] {
      rig.change(to: Rig.ids(change))
      #expect(
        try rig.slice(after: c).get().items.map(\.id.text).joined(separator: " ") == rest)
    }
  }

  @Test func aMoveDownEndsEarlierPositions() throws {
    let rig = try Rig("a b c d e")
    let c = try rig.place(of: "c")
    rig.change(to: Rig.ids("b c d e a"))
    #expect(try rig.shown() == "b c d e a")
    #expect(rig.slice(after: c) == .failure(.positionExpired(isStart: true)))
    let d = try rig.place(of: "d")
    #expect(try rig.slice(after: d).get().items.map(\.id.text) == ["e", "a"])
    let last = try rig.place(of: "a")
    #expect(try rig.slice(after: last).get().items.isEmpty)
    rig.change(to: Rig.ids("b c d e"))
    #expect(try rig.slice(after: last).get().items.isEmpty)
  }

  @Test func whatComesBackFurtherDownEndsThemToo() throws {
    let rig = try Rig("a b c d e")
    let b = try rig.place(of: "b")
    rig.change(to: Rig.ids("b c d e"))
    #expect(try rig.slice(after: b).get().items.map(\.id.text) == ["c", "d", "e"])
    rig.change(to: Rig.ids("b c d a e"))
    #expect(rig.slice(after: b) == .failure(.positionExpired(isStart: true)))
  }

  @Test func whatComesBackToItsPlaceKeepsThem() throws {
    let rig = try Rig("a b c d e")
    let (a, d) = (try rig.place(of: "a"), try rig.place(of: "d"))
    rig.change(to: Rig.ids("a c d e"))
    rig.change(to: Rig.ids("a b c d e"))
    #expect(try rig.slice(after: a).get().items.map(\.id.text) == ["b", "c", "d", "e"])
    #expect(try rig.slice(after: d).get().items.map(\.id.text) == ["e"])
  }

  @Test func aMoveUpKeepsThem() throws {
    let rig = try Rig("a b c d e")
    let c = try rig.place(of: "c")
    rig.change(to: Rig.ids("a e b c d"))
    #expect(try rig.slice(after: c).get().items.map(\.id.text) == ["d"])
  }

  @Test func whatHasNotChangedIsFreshAgainAndNotWritten() throws {
    let rig = try Rig("a b c")
    rig.upstream.state.withLock { $0.revision = 1 }
    let first = try rig.slice().get()
    let version = rig.reader.version
    for calls in 2...5 {
      let time = rig.time
      time.run { await time.sleep(.seconds(2)) }
      let slice = try rig.slice().get()
      #expect(slice.items == first.items && slice.total?.value == 3)
      #expect(slice.freshness.state == .fresh)
      #expect(slice.freshness.provenAt > first.freshness.provenAt)
      #expect(rig.upstream.state.withLock(\.calls) == calls)
    }
    #expect(rig.reader.version == version)
    rig.upstream.state.withLock { $0.revision = 2 }
    rig.change(to: ["c", "d"])
    #expect(try rig.shown() == "c d")
  }

  @Test func aFailureLeavesTheOldAndIsTriedAgainSoon() throws {
    let rig = try Rig("a b c")
    rig.upstream.state.withLock { $0.revision = 1 }
    _ = try rig.shown()
    rig.upstream.state.withLock { $0.failure = .malformed(reason: "line 2: no id") }
    for _ in 0..<12 {
      rig.change(to: ["x"])
      let slice = try rig.slice().get()
      #expect(slice.items.map(\.id.text) == ["a", "b", "c"])
      #expect(slice.freshness.state == .expired)
    }
    rig.upstream.state.withLock { state in
      state.failure = nil
      state.revision = 2
    }
    rig.change(to: ["x"])
    #expect(try rig.shown() == "x")
  }

  @Test func anElementThatCouldNotBeUsedIsNotTakenForGone() throws {
    let rig = try Rig("a b c")
    #expect(try rig.shown() == "a b c")
    rig.change(to: Rig.ids("a ! c"))
    #expect(try rig.shown() == "a b c")
    rig.change(to: Rig.ids("a c"))
    #expect(try rig.shown() == "a c")
  }

  /// An answer of which nothing can be used shows no list, nor that there is none.
  @Test func anAnswerOfWhichNothingCanBeUsedFails() throws {
    #expect(throws: ReadError.self) { try Rig("! ! !").slice().get() }
    let rig = try Rig("a b")
    #expect(try rig.shown() == "a b")
    rig.change(to: Rig.ids("! ! !"))
    let slice = try rig.slice().get()
    #expect(slice.items.map(\.id.text) == ["a", "b"] && slice.freshness.state != .fresh)
  }

  /// What lacks elsewhere has gone all the same.
  @Test func besideAnElementThatCannotBeUsedTheRestIsBelieved() throws {
    let rig = try Rig("a b c d e")
    #expect(try rig.shown() == "a b c d e")
    rig.change(to: Rig.ids("a ! c e"))
    #expect(try rig.shown() == "a b c e")
  }

  /// It may be the known one that is not shown: what came new stands above it, or below it.
  @Test(arguments: [("a x ! c", "a x b c"), ("a ! x c", "a b x c"), ("a c x !", "a c x")])
  func whatComesBesideAnElementThatCannotBeUsedIsPlacedByIt(answer: String, shown: String) throws {
    let rig = try Rig("a b c")
    #expect(try rig.shown() == "a b c")
    rig.change(to: Rig.ids(answer))
    #expect(try rig.shown() == shown)
  }

  @Test func insertionsAtOnePlaceNeverMakeCursorsLong() throws {
    let rig = try Rig("a b")
    var ids = ["a", "b"]
    var longest = 0
    for number in 0..<300 {
      ids = ["a", "\(number)"] + ids.dropFirst().prefix(4)
      rig.change(to: ids)
      let slice = try rig.slice(limit: 100).get()
      #expect(slice.items.map(\.id.text) == ids)
      longest = max(longest, slice.items.map(\.position.tie.count).max() ?? 0)
    }
    #expect(longest == Replacement.tieBytesMax)
  }

  @Test func whateverPositionIsMadeUpIsBorne() throws {
    let rig = try Rig("a b c")
    let lineage = try rig.place(of: "a").lineage
    for order in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
      for tie in [[], [0], [255, 255]] as [[UInt8]] {
        let position = Position(order: order, tie: tie)
        _ = rig.slice(after: Rig.Place(position: position, lineage: lineage))
        var request = SliceRequest(feed: Rig.feed, limit: 3, wait: .seconds(1))
        request.end = .observed(.above(position), lineage: lineage)
        request.takesLast = true
        let (asked, reader) = (request, rig.reader)
        rig.time.run { _ = try? await reader.slice(asked) }
      }
    }
  }

  /// New elements everywhere: 10,000 between 10,000, where work for each pair would take minutes.
  @Test(.timeLimit(.minutes(1)))
  func manyNewOnesEverywhereArePlacedAtOnce() {
    let slots = (0..<20_000).map { index in
      Page.Slot(
        index: index,
        item: PageItem(
          id: Identity("\(index)"), key: nil, updatedAt: nil, bytes: [1]))
    }
    let rows = ObservedPosition.head(count: 10_000, epoch: 1).enumerated().map { index, position in
      KnownElement(
        position: position, id: Identity("\(2 * index)"), updatedAt: nil, state: .live)
    }
    let page = Page(items: slots, count: slots.count, hasNext: false, total: nil)
    let evidence = Replacement(page, rows: rows, timeline: Timeline())
      .evidence(window: Window(page: 1, perPage: 100), sentAt: Timestamp(seconds: 9))
    #expect(evidence.elements.map(\.item.id) == slots.map(\.item.id))
    let positions = evidence.elements.map(\.position)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 > $1 })
  }
}
