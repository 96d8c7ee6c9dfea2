import Support
import Synchronization
import Testing
import Upstream

@testable import Probe

/// An API that refuses calls as too many while it is looked at.
@Suite struct BusyTests {
  /// The pauses that a look made, in seconds.
  private final class Pauses: Sendable {
    let all = Mutex<[Int]>([])
    func note(_ seconds: Int) { all.withLock { $0.append(seconds) } }
  }

  private static let date = "Date: Wed, 26 Nov 2025 03:00:00 GMT"

  @Test(arguments: [
    (429, ["Retry-After: 7"]), (503, ["Retry-After: 7"]), (403, ["Retry-After: 7"]),
    (429, ["Retry-After: Wed, 26 Nov 2025 03:00:07 GMT", date]),
    (403, ["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1764126007", date]),
  ])
  func aCallIsMadeOnceMoreAfterTheWaitThatIsAskedFor(
    status: Int, fields: [String]
  ) async throws {
    let pauses = Pauses()
    let found = try await Look(
      at: StandIn(kind: .offset), calls: 20,
      refusing: { $0 == 2 ? (status, fields) : nil }, pause: { pauses.note($0) })
    #expect(found.list.pages.by == .offset, "\(found.report.findings)")
    #expect(pauses.all.withLock { $0.prefix(3) } == [7, 5, 5], "then at a distance")
  }

  @Test func theFirstCallIsMadeOnceMoreAsWell() async throws {
    let found = try await Look(
      at: StandIn(kind: .offset), refusing: { $0 == 1 ? (429, []) : nil })
    #expect(found.list.pages.by == .offset)
  }

  @Test(arguments: [
    (1, ["Retry-After: 3600"], "(429): try again in 3600 seconds"),
    (3, ["Retry-After: 61"], "(429): try again in 61 seconds"),
    (1, [], "(429): try again later"), (2, ["Retry-After: 5"], "try again in 5 seconds"),
  ])
  func aLookThatIsRefusedSaysForHowLong(
    first: Int, fields: [String], words: String
  ) async throws {
    let failure = await #expect(throws: Inquiry.Failure.self) {
      try await Look(at: StandIn(kind: .offset), refusing: { $0 >= first ? (429, fields) : nil })
    }
    #expect(failure.map { "\($0)".contains(words) } == true, "\(failure.map { "\($0)" } ?? "")")
  }

  @Test(
    arguments: Extent.pairs(
      [StandIn.Kind.page, .offset, .item, .anchored, .token, .link], Array(2..<12)
    ).sample(20))
  func aRefusalShowsNothingOfTheList(kind: StandIn.Kind, first: Int) async throws {
    let all = try await Look(at: StandIn(kind: kind), calls: 20)
    let keys = Set(all.report.findings.filter { $0.value != nil }.map(\.description))
    do {
      let found = try await Look(
        at: StandIn(kind: kind), calls: 20, refusing: { $0 >= first ? (429, []) : nil })
      let told = found.report.findings.filter { $0.value != nil }.map(\.description)
      #expect(keys.isSuperset(of: told), "\(Set(told).subtracting(keys))")
      #expect(found.ids == found.all)
      #expect(found.report.busy != nil || found.report.open.isEmpty)
    } catch let failure as Inquiry.Failure {
      guard case .busy = failure else { throw failure }
    }
  }
}
