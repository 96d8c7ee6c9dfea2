import Feed
import History
import SharedStore
import Testing

/// Every order in which three servers can claim one call: each reads, compares and sets, and then
/// ends it or dies. Never do two hold it, never is more spent than there is.
@Suite struct ClaimScheduleTests {
  /// What one server has done so far.
  private struct Progress {
    var ground: Ground?
    var token: Token?
    var isOver = false
  }

  private let call = SharedCall(source: "s", key: "feed s/f", feed: nil, budget: nil)
  private let time = VirtualTime()

  @Test(arguments: [1, 2, 3])
  func noOrderLetsTwoMakeOneCall(calls: Int) throws {
    let ledger = MemoryLedger(time: time)
    var schedules = 0
    try explore(
      ledger, (0..<3).map { _ in Progress() }, left: calls, spent: 0, depth: 0, &schedules)
    #expect(schedules > 1_000)
  }

  private func explore(
    _ ledger: MemoryLedger, _ servers: [Progress], left: Int, spent: Int, depth: Int,
    _ schedules: inout Int
  ) throws {
    let holders = servers.filter { $0.token != nil && !$0.isOver }.count
    try #require(holders <= 1 && spent <= left)
    guard depth < 9, servers.contains(where: { !$0.isOver }) else {
      schedules += 1
      return
    }
    for index in servers.indices where !servers[index].isOver {
      for dies in servers[index].token == nil ? [false] : [false, true] {
        let before = ledger.backup
        var (next, used) = (servers, spent)
        try step(&next[index], Server(id: "\(index)"), ledger, left: left, &used, dies: dies)
        try explore(ledger, next, left: left, spent: used, depth: depth + 1, &schedules)
        ledger.restore(before)
      }
    }
  }

  /// Reads, or claims by what was read, or ends what was claimed; one that dies ends nothing.
  private func step(
    _ progress: inout Progress, _ server: Server, _ ledger: MemoryLedger, left: Int,
    _ spent: inout Int, dies: Bool
  ) throws {
    if let token = progress.token {
      progress.isOver = !dies
      if dies {
        // Its lease is over, and whatever it holds is another's to claim.
        progress = Progress(isOver: true)
        return
      }
      let ground = try ledger.ground(of: call, for: server)
      let budget = ground.budget ?? Budget(limit: left, remaining: left, resetAt: nil)
      let isSettled = try ledger.settle(
        call, token: token, leaving: SharedEnd(knowing: ground.revision, budget: budget),
        for: server)
      try #require(isSettled)
    } else if let ground = progress.ground {
      progress.ground = nil
      var budget = ground.budget ?? Budget(limit: left, remaining: left, resetAt: nil)
      guard ground.heldUntil == nil, budget.remaining > 0 else { return }
      budget.remaining -= 1
      progress.token = try ledger.claim(
        call, knowing: ground, leaving: budget, lease: .seconds(30), for: server)
      if progress.token != nil { spent += 1 }
    } else {
      progress.ground = try ledger.ground(of: call, for: server)
    }
  }
}
