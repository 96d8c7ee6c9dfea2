import Feed
import History
import Support
import Synchronization
import Testing

/// All that an upstream tells of a list's end must agree before an end is served: the sizes of its
/// pages, its total, and what names the next page.
@Suite struct EndTests {
  /// An upstream that stands still.
  struct World: CustomStringConvertible {
    var dialect = Dialect.articles
    var isDated = true
    var count = 0
    /// The most elements of a page, whatever is asked for.
    var perPageServed = 100
    /// By how many its total is off; nil where it tells none.
    var surplus: Int? = 0
    var next = ScriptedFeed.Next.untold
    /// The limit of the first request, and of those after it.
    var limit = 100

    var description: String {
      "\(dialect) dated \(isDated) count \(count) served \(perPageServed) surplus "
        + "\(surplus.map(String.init) ?? "none") next \(next) limit \(limit)"
    }

    /// Walks the whole list. The reader waits as long as a request may.
    func walk() throws -> (walk: Walk, ids: [Identity], calls: [ScriptedFeed.Call]) {
      let rig = try Rig(policy: .unbounded, in: dialect)
      if isDated { rig.fill(count) }
      if !isDated { for _ in 0..<count { rig.feed.insert(second: 0) } }
      rig.feed.state.withLock { state in
        (state.isUndated, state.perPageServed) = (!isDated, perPageServed)
        (state.totalSurplus, state.next) = (surplus, next)
      }
      let lists = dialect.lists
      let first = SliceRequest(
        feed: isDated ? lists.items : lists.tagged, limit: limit, wait: .seconds(30))
      let walk = try Walk(from: first) { request in
        let slice = rig.slice(request)
        // An answer of nothing that says that there is something is asked for once more.
        guard count == 0, case .failure = slice else { return slice }
        rig.time.run { [time = rig.time] in await time.sleep(.seconds(60)) }
        return rig.slice(request)
      }
      return (walk, rig.feed.entries.map(\.id), rig.feed.calls)
    }

    /// Why the walk ends: by a total that is larger than the list, not since that ends. Where
    /// ranks are only estimated, no total tells that.
    var endReason: EndReason {
      count > 0 && surplus ?? 0 > 0 && dialect.paging.isRanked ? .upstreamLimit : .end
    }

    /// The most calls that a walk may cost: each page overlaps the one above, what a size is takes
    /// two or three calls to learn, and an end that is doubted is asked for once more.
    var callsMax: Int {
      let perPage = min(perPageServed, dialect.paging.perPageMax)
      return 6 + count * 5 / (perPage * 4 - 4) + (isDated ? 0 : count * 3 / (perPage * 6))
    }
  }

  private static let counts = [0, 1, 29, 30, 31, 60, 99, 100, 101, 330, 1_000]
  private static let servedSizes = [10, 30, 50, 100]
  private static let limits = [1, 20, 30, 50, 100]

  /// Walks lists of all counts and sizes, or some of them, each with one of the limits.
  private func check(_ world: World) throws {
    // By pages of at most ten, few windows begin where they must further down.
    let shapes = Extent.pairs(Self.counts, Self.servedSizes).filter { count, served in
      served > 10 || count <= 60 || world.dialect != .articles
    }
    // Each world has other shapes in a short run.
    let sample = Array(shapes.enumerated()).sample(6, for: world.description)
    for (number, (count, served)) in sample {
      var world = world
      (world.count, world.perPageServed) = (count, served)
      world.limit = Self.limits[(number + 1) % Self.limits.count]
      if count > 330 { world.limit = max(20, world.limit) }
      let (walk, ids, calls) = try world.walk()
      #expect(walk.failure == nil, "\(world)")
      #expect(walk.ids == ids, "\(world): \(walk.ids.count)")
      #expect(walk.slices.last?.endReason == world.endReason, "\(world)")
      #expect(walk.slices.dropLast().allSatisfy { $0.hasMore }, "\(world)")
      #expect(calls.count <= world.callsMax, "\(world): \(calls.count)")
    }
  }

  static let ranked = [Dialect.articles, .notes]
  static let marked = [Dialect.below, .older, .next]

  @Test(arguments: ranked + marked, [true, false])
  func aTotalAloneTellsTheEnd(dialect: Dialect, isDated: Bool) throws {
    try check(World(dialect: dialect, isDated: isDated))
  }

  @Test(arguments: ranked + marked, [0, 1, 8_670, -1, -20, nil])
  func whatNamesTheNextPageTellsTheEnd(dialect: Dialect, surplus: Int?) throws {
    for isDated in [true, false] {
      try check(World(dialect: dialect, isDated: isDated, surplus: surplus, next: .right))
    }
  }

  @Test(arguments: ranked + marked, [1, 8_670])
  func aTotalThatIsTooLargeDelaysTheEnd(dialect: Dialect, surplus: Int) throws {
    for isDated in [true, false] {
      try check(World(dialect: dialect, isDated: isDated, surplus: surplus))
    }
  }

  @Test(arguments: ranked, [true, false])
  func aNextThatNeverEndsIsRefutedByTheTotal(dialect: Dialect, isDated: Bool) throws {
    try check(World(dialect: dialect, isDated: isDated, next: .endless))
  }
}
