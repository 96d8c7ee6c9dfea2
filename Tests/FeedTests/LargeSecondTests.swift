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

  /// A place inside any of them is found, near what is known and far from it, and read on from.
  @Test(arguments: [90, 96, 97, 98, 99, 100, 130, 250], [1, 2, 3, 5, 9])
  func aPlaceInsideOneIsFound(size: Int, second: Int) throws {
    let rig = try rig(size)
    _ = try rig.slice(rig.request(limit: 100)).get()
    let truth = rig.feed.entries.sorted { ($0.second, $0.id) > ($1.second, $1.id) }
    let rank = second * size + size / 2
    var request = rig.request(limit: 100)
    request.wait = .seconds(30)
    request.start = .cut(
      .below(Position(order: truth[rank].second, tie: truth[rank].id.bytes)))
    let slice = try rig.slice(request).get()
    #expect(!slice.items.isEmpty)
    #expect(slice.items.map(\.id) == truth[(rank + 1)...].prefix(slice.items.count).map(\.id))
    #expect(slice.hasMore == (rank + 1 + slice.items.count < truth.count))
    // Eight windows to find it, then what lies between, two windows for one at the most.
    #expect(rig.feed.calls.count <= 9 + 2 * (rank / 50 + 3))
  }
}
