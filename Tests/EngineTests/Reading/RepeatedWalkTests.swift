import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// Readers who walk a list of 500 from top to end again and again, faster than it can be looked at.
@Suite struct RepeatedWalkTests {
  static let dialects = Dialect.all + Dialect.believed
  static let lists = dialects.flatMap { [($0, false), ($0, true)] }
  private static let limit = 100
  private static let count = 500

  /// Rules by which all that a walk reads is due at the next one.
  private static func rig(in dialect: Dialect, isUndated: Bool) throws -> Rig {
    var policy = Policy.unbounded
    (policy.freshSeconds, policy.recheckSeconds, policy.refreshSeconds) = (1, 1, 0)
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy, in: dialect)
    rig.feed.state.withLock { $0.isUndated = isUndated }
    if isUndated {
      for _ in 0..<count { rig.feed.insert(second: 0) }
    } else {
      rig.fill(count)
    }
    return rig
  }

  private static func walk(_ rig: Rig, over feed: FeedID) -> [Identity] {
    let first = SliceRequest(feed: feed, limit: limit, wait: .seconds(30))
    let walk = rig.time.run { [reader = rig.reader] in await Walk.run(reader, first) {} }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(3)) }
    return walk?.ids ?? []
  }

  private static func append(_ id: Identity, to rig: Rig) {
    rig.feed.state.withLock { [now = rig.time.now] in
      $0.list.insert(id, second: 0, index: $0.list.entries.count, at: now)
    }
  }

  /// Two looks have to lack it, and each costs at most one at every window and some at the top.
  @Test(arguments: lists)
  func aDeletionDeepDownIsSeen(dialect: Dialect, isUndated: Bool) throws {
    let rig = try Self.rig(in: dialect, isUndated: isUndated)
    let feed = isUndated ? dialect.lists.stocked : dialect.lists.items
    for _ in 0..<2 { _ = Self.walk(rig, over: feed) }
    let (gone, before) = (rig.feed.entries[300].id, rig.feed.calls.count)
    rig.feed.delete(gone)
    let isSeen = (1...20).contains { _ in !Self.walk(rig, over: feed).contains(gone) }
    #expect(isSeen)
    #expect(rig.feed.calls.count - before <= 4 * Self.count / dialect.paging.perPageMax)
  }

  /// One look at a time, of which each slice that was read is worth one; and the top.
  @Test(arguments: lists)
  func aWalkCostsNoMoreThanItsSlicesReadAlone(dialect: Dialect, isUndated: Bool) throws {
    let rig = try Self.rig(in: dialect, isUndated: isUndated)
    let feed = isUndated ? dialect.lists.stocked : dialect.lists.items
    for _ in 0..<2 { _ = Self.walk(rig, over: feed) }
    for _ in 0..<10 {
      let before = rig.feed.calls.count
      _ = Self.walk(rig, over: feed)
      #expect(rig.feed.calls.count - before <= Self.count / Self.limit + 1)
    }
  }

  /// Where new elements come at the end, the second walk shows one: the first has the top looked
  /// at, whose answer counts it, or which is followed by a look at the end as soon as one came.
  @Test(arguments: dialects, [0, nil])
  func whatComesAtTheEndIsSeenAsWhatComesAtTheTop(dialect: Dialect, totalSurplus: Int?) throws {
    // Where pages are joined by the total there is one.
    guard totalSurplus != nil || dialect.paging.joins != .count else { return }
    let rig = try Self.rig(in: dialect, isUndated: true)
    let feed = dialect.lists.stocked
    rig.feed.state.withLock { $0.totalSurplus = totalSurplus }
    for _ in 0..<2 { _ = Self.walk(rig, over: feed) }
    Self.append(Identity("first"), to: rig)
    let isSeen = (1...20).contains { _ in Self.walk(rig, over: feed).contains(Identity("first")) }
    #expect(isSeen)
    Self.append(Identity("second"), to: rig)
    _ = Self.walk(rig, over: feed)
    #expect(Self.walk(rig, over: feed).last == Identity("second"))
  }

  /// A total that counts what no answer shows has the end looked at no more often than it changes.
  @Test func anEndThatTheTotalContradictsForEverIsNotLookedAtForEver() throws {
    let rig = try Self.rig(in: .articles, isUndated: true)
    let feed = rig.feed.dialect.lists.stocked
    for _ in 0..<2 { _ = Self.walk(rig, over: feed) }
    rig.feed.state.withLock { $0.totalSurplus = 7 }
    let request = SliceRequest(feed: feed, limit: 20, wait: .seconds(30))
    let look = {
      let before = rig.feed.calls.count
      _ = rig.slice(request)
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(3)) }
      return rig.feed.calls.count - before
    }
    let calls = (0..<10).map { _ in look() }
    #expect(calls.first ?? 0 > 1)
    #expect(calls.last == 1)
  }

  /// Who follows the changes of a list is told of what comes at its end, without reading it.
  @Test(arguments: dialects)
  func whoListensIsToldOfNewsAtTheEnd(dialect: Dialect) throws {
    let rig = try Self.rig(in: dialect, isUndated: true)
    let feed = dialect.lists.stocked
    for _ in 0..<2 { _ = Self.walk(rig, over: feed) }
    let number = rig.time.run { [reader = rig.reader, time = rig.time] in
      _ = await reader.listen(to: feed) {}
      await time.sleep(.seconds(5))
      return try? await reader.status(of: feed).sequence
    }
    Self.append(Identity("new"), to: rig)
    let reading = rig.time.run { [reader = rig.reader, time = rig.time, epoch = rig.store.epoch] in
      await time.sleep(.seconds(5))
      let number = SequenceNumber(epoch: epoch, number: (number ?? nil) ?? 0)
      return try? await reader.changes(of: feed, after: number, limit: 10, learned: false)
    }
    guard case .changes(let changes)?? = reading else {
      Issue.record("no changes")
      return
    }
    #expect(changes.changes.map(\.id) == [Identity("new")])
  }
}
