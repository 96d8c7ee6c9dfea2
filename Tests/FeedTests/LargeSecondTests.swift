import History
import Testing

@testable import Feed

/// Seconds that hold about as many elements as a window, one after the other: hardly one is shown
/// whole, whichever page and size is asked for.
@Suite struct LargeSecondTests {
  private static let seconds = 10

  private func rig(_ size: Int) throws -> Rig {
    var policy = Policy()
    policy.prefetchItems = 0
    let rig = try Rig(policy: policy)
    for second in 0..<LargeSecondTests.seconds {
      for _ in 0..<size { rig.feed.insert(second: 1_700_000_000 + Int64(second)) }
    }
    return rig
  }

  /// A request for what lies below a place inside one of them.
  private func request(_ rig: Rig, below rank: Int, wait: Duration) -> SliceRequest {
    let entry = LargeSecondTests.truth(rig)[rank]
    var request = rig.request(limit: 100)
    request.wait = wait
    request.start = .cut(.below(Position(order: entry.second, tie: entry.id.bytes)))
    return request
  }

  /// The feed as it is shown: of one second by identity.
  private static func truth(_ rig: Rig) -> [ScriptedList.Entry] {
    rig.feed.entries.sorted { ($0.second, $0.id) > ($1.second, $1.id) }
  }

  /// A place inside any of them is found, near what is known and far from it, and read on from.
  @Test(arguments: [90, 96, 97, 98, 99, 100, 130, 250], [1, 2, 3, 5, 9])
  func aPlaceInsideOneIsFound(size: Int, second: Int) throws {
    let rig = try rig(size)
    _ = try rig.slice(rig.request(limit: 100)).get()
    let truth = LargeSecondTests.truth(rig)
    let rank = second * size + size / 2
    let request = request(rig, below: rank, wait: .seconds(30))
    let slice = try rig.slice(request).get()
    #expect(!slice.items.isEmpty)
    #expect(slice.items.map(\.id) == truth[(rank + 1)...].prefix(slice.items.count).map(\.id))
    #expect(slice.hasMore == (rank + 1 + slice.items.count < truth.count))
    // Eight windows to find it, then what lies between, two windows for one at the most.
    #expect(rig.feed.calls.count <= 9 + 2 * (rank / 50 + 3))
  }

  /// Requests that each wait for one call only find it together.
  @Test(arguments: [97, 130, 250], [2, 3, 5, 9])
  func requestsThatWaitForOneCallGoOnWithOneSearch(size: Int, second: Int) throws {
    let rig = try rig(size)
    _ = try rig.slice(rig.request(limit: 100)).get()
    let rank = second * size + size / 2
    let request = request(rig, below: rank, wait: .milliseconds(250))
    var slice: Slice?
    for _ in 0..<100 where slice == nil {
      slice = try? rig.slice(request).get()
      rig.time.run { [time = rig.time] in await time.sleep(.seconds(1)) }
    }
    let shown = try #require(slice).items.map(\.id)
    #expect(!shown.isEmpty)
    #expect(
      shown == LargeSecondTests.truth(rig)[(rank + 1)...].prefix(shown.count).map(\.id))
    #expect(rig.feed.calls.count <= 9 + 2 * (rank / 50 + 3))
  }
}
