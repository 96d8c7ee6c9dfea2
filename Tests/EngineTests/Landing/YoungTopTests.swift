import Feed
import History
import Support
import Testing

/// More elements than a page holds are younger than what is settled: pages from the top prove
/// nothing until one reaches what is.
@Suite struct YoungTopTests {
  private static func isAnswered(_ result: Result<Slice, ReadError>) -> Bool {
    if case .success = result { true } else { false }
  }

  @Test(arguments: Dialect.all + Dialect.believed, [1, 120, 250])
  func whatIsSettledBelowIsServed(dialect: Dialect, young: Int) throws {
    let rig = try Rig(policy: .unbounded, in: dialect)
    rig.fill(50)
    for _ in 0..<young { rig.feed.insert(second: rig.time.now.seconds + 1) }
    let result = rig.slice(rig.request())
    #expect(
      Self.isAnswered(result),
      "\(result) \(rig.feed.calls.map { "\($0.window.firstRank)+\($0.window.perPage)" })")
    let asked = rig.feed.calls.map(\.window)
    #expect(Set(asked).count == asked.count, "no call is made twice")
  }
}
