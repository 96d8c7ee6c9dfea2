import Engine
import History
import Support
import Testing

@testable import Feed

/// Bursts of changes longer than one answer, while a client follows.
@Suite struct UntoldTests {
  /// A client that keeps a copy of a feed's top by what it is told.
  private final class Follower {
    let rig: Rig
    let feed: FeedID
    var copy: Set<Identity> = []
    var since: SequenceNumber?
    var resets = 0

    init(_ rig: Rig, _ feed: FeedID) {
      self.rig = rig
      self.feed = feed
    }

    /// Walks the feed from its top to its end.
    func begin() throws {
      let (reader, time) = (rig.reader, rig.time)
      let request = SliceRequest(feed: feed, limit: 100, wait: .seconds(5))
      let walk = try #require(
        time.run { await Walk.run(reader, request) { await time.sleep(.seconds(1)) } })
      let first = try #require(walk.slices.first)
      copy = Set(walk.ids)
      since = SequenceNumber(epoch: first.epoch, number: first.sequence)
    }

    /// Asks for changes until there are no more, and begins anew where it is told to.
    func catchUp() throws {
      for _ in 0..<100 {
        let (reader, since, feed) = (rig.reader, try #require(since), feed)
        let reading = try #require(
          rig.time.run { () -> Result<ChangeReading, ReadError> in
            do throws(ReadError) {
              return .success(
                try await reader.changes(of: feed, after: since, limit: 50, learned: false))
            } catch {
              return .failure(error)
            }
          }
        ).get()
        switch reading {
        case .expired:
          resets += 1
          try begin()
        case .changes(let changes):
          for change in changes.changes {
            if case .upsert = change.event {
              copy.insert(change.id)
            } else {
              copy.remove(change.id)
            }
          }
          self.since = changes.next
          if !changes.hasMore { return }
        }
      }
      Issue.record("it never catches up")
    }
  }

  @Test(arguments: [99, 100, 101, 150, 400, 1_500], [0, 3, 1_000])
  func aBurstIsToldWholeOrAsAReset(count: Int, refreshes: Int) throws {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(300)
    let follower = Follower(rig, itemsFeed)
    try follower.begin()
    for round in 0..<4 {
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(70)) }
      let now = rig.time.now.seconds
      for index in 0..<count { rig.feed.insert(second: now - 60 + Int64(60 * index / count)) }
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
      // Others' refreshes come before, or none does.
      if round < refreshes {
        var request = SliceRequest(feed: itemsFeed, limit: 20, wait: .seconds(5))
        request.refreshes = true
        _ = rig.slice(request)
      }
      try follower.catchUp()
      // The look at the top goes on behind the reply, and what is read on with it.
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(30)) }
      try follower.catchUp()
      #expect(follower.copy == Set(rig.feed.entries.map(\.id)), "round \(round)")
    }
    // A thousand items are read on; only of more than that it is told that it cannot be told.
    if count <= 400, refreshes == 0 { #expect(follower.resets == 0) }
  }

  /// A rig in which two places of a feed of 400 were read, and nothing between; and the number that
  /// the first reader was given.
  private func twoPlaces() throws -> (rig: Rig, number: SequenceNumber) {
    var policy = Policy.unbounded
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    rig.fill(400)
    let first = try rig.slice(rig.request()).get()
    var further = rig.request()
    further.start = .cut(.below(key: rig.feed.entries[200].second))
    _ = try rig.slice(further).get()
    return (rig, SequenceNumber(epoch: first.epoch, number: first.sequence))
  }

  /// What has changed since a number, by another process that has read all of the feed.
  private func changes(
    afterRestartOf rig: Rig, since number: SequenceNumber
  ) throws -> [Change]? {
    let (reader, time) = (try rig.restarted(), rig.time)
    let first = rig.request(limit: 100)
    _ = time.run { await Walk.run(reader, first) { await time.sleep(.seconds(1)) } }
    return rig.changes(after: number, by: reader)
  }

  /// What is learnt between two places that were read is no change, also after a restart.
  @Test func whatIsLearntAfterARestartIsNoChange() throws {
    let (rig, number) = try twoPlaces()
    let changes = try changes(afterRestartOf: rig, since: number)
    #expect(try #require(changes).isEmpty)
  }

  /// What came above the top before a restart, more than a look showed, is among the changes, all
  /// of it, or the number has expired.
  @Test(arguments: [150, 400])
  func whatCameBeforeARestartIsAChange(count: Int) throws {
    let (rig, number) = try twoPlaces()
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(70)) }
    let now = rig.time.now.seconds
    let came = (0..<count).map { rig.feed.insert(second: now - 60 + Int64(60 * $0 / count)) }
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
    var refresh = rig.request()
    refresh.refreshes = true
    _ = rig.slice(refresh)
    if let changes = try changes(afterRestartOf: rig, since: number) {
      #expect(Set(changes.map(\.id)) == Set(came))
    }
  }
}
