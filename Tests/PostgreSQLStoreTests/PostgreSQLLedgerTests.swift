import Feed
import History
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// What the ledger promises, over a real PostgreSQL where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct PostgreSQLLedgerTests {
  private let server: RunningPostgreSQL
  private let ledger: PostgreSQLLedger
  private let url: String
  private let call = SharedCall(source: "s", key: "feed s/f", feed: nil, budget: nil)
  private let one = Server(id: "one")
  private let other = Server(id: "other")

  init() throws {
    (server, url, ledger) = try ownDatabase()
    try ledger.prepare()
  }

  @Test func givesBackWhatWasWritten() throws {
    let written = sharedRows(version: 1, ["a", "日本", "\"\\,{}"])
    try ledger.write(written, over: nil, of: nil, leaving: nil, for: one)
    let read = try #require(try ledger.image(of: "s/f"))
    #expect(read.feed == written.feed && read.contents == written.contents)
    #expect(Set(read.elements) == Set(written.elements) && Set(read.items) == Set(written.items))
  }

  /// Whoever has not seen the present state writes nothing.
  @Test func aWriteOverAnotherStateIsRefusedWhole() throws {
    let first = sharedRows(version: 1, ["a"])
    try ledger.write(first, over: nil, of: nil, leaving: nil, for: one)
    for base in [nil, SharedState(version: 1, stamp: 8), SharedState(version: 2, stamp: 7)] {
      #expect(throws: StoreError.overtaken) {
        try ledger.write(
          sharedRows(version: 2, ["a", "b"]), over: base, of: nil, leaving: nil, for: other)
      }
    }
    #expect(try ledger.image(of: "s/f")?.feed.version == 1)
    try ledger.write(
      sharedRows(version: 2, ["a", "b"]), over: first.feed.state, of: nil, leaving: nil, for: other)
    #expect(try ledger.image(of: "s/f")?.elements.count == 2)
    #expect(try server.query("SELECT string_agg(number::text, ',') FROM log", in: url) == "1,2")
  }

  @Test func oneOfTwoClaimsWins() throws {
    let ground = try ledger.ground(of: call, for: one)
    let budget = Budget(limit: 9, remaining: 8, resetAt: nil)
    let token = try ledger.claim(
      call, knowing: ground, leaving: budget, lease: .seconds(30), for: one)
    #expect(token == 1)
    #expect(
      try ledger.claim(call, knowing: ground, leaving: budget, lease: .seconds(30), for: other)
        == nil)
    let seen = try ledger.ground(of: call, for: other)
    #expect(seen.heldUntil != nil && seen.othersInFlight == 1)
    #expect(seen.budget?.remaining == 8 && seen.budget?.inFlight == 1)
    #expect(try ledger.ground(of: call, for: one).heldUntil == nil)
    // A token that is another's by now fences what comes late.
    let second = try #require(
      try ledger.claim(call, knowing: seen, leaving: budget, lease: .seconds(30), for: other))
    #expect(throws: StoreError.overtaken) {
      try ledger.write(
        sharedRows(version: 1, ["a"]), over: nil, of: (call, 1), leaving: nil, for: one)
    }
    try ledger.write(
      sharedRows(version: 1, ["a"]), over: nil, of: (call, second), leaving: nil, for: other)
  }

  @Test func noCallIsClaimedByWhatAnotherEpochSaid() throws {
    let ground = try ledger.ground(of: call, for: one)
    try ledger.begin(after: ground.epoch)
    let budget = Budget(limit: 9, remaining: 8, resetAt: nil)
    let token = try ledger.claim(
      call, knowing: ground, leaving: budget, lease: .seconds(30), for: one)
    #expect(token == nil)
  }

  /// The rows, the budget and the end of the call come together or not at all.
  @Test func whatIsWrittenEndsItsCall() throws {
    let ground = try ledger.ground(of: call, for: one)
    var budget = Budget(limit: 9, remaining: 8, resetAt: nil)
    let token = try #require(
      try ledger.claim(call, knowing: ground, leaving: budget, lease: .seconds(30), for: one))
    budget.remaining = 5
    var end = SharedEnd(knowing: ground.revision, budget: budget)
    let written = sharedRows(version: 1, ["a"])
    #expect(
      try ledger.write(written, over: nil, of: (call, token), leaving: end, for: one) == nil)
    #expect(try ledger.feed("s/f") == nil)
    end.revision += 1
    #expect(throws: StoreError.overtaken) {
      try ledger.write(written, over: nil, of: (call, token + 1), leaving: end, for: one)
    }
    #expect(try ledger.budget(of: "s")?.remaining == 8)
    let move = try ledger.write(written, over: nil, of: (call, token), leaving: end, for: one)
    #expect(move == SharedMove(revision: end.revision + 1, number: 1))
    let seen = try ledger.ground(of: call, for: other)
    #expect(seen.heldUntil == nil && seen.budget?.remaining == 5 && seen.budget?.inFlight == 0)
    #expect(try seen.isQuiet && ledger.feed("s/f")?.feed == written.feed)
  }

  /// Each of many at once takes its own call off the budget, and none is lost.
  @Test func noCallIsTakenTwiceOffTheBudget() async throws {
    _ = try ledger.ground(of: call, for: one)
    let spent = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<4 {
        group.addTask { [ledger] in
          var spent = 0
          let server = Server(id: "server \(number)")
          for turn in 0..<20 {
            let call = SharedCall(
              source: "s", key: "feed \(number) \(turn)", feed: nil, budget: nil)
            while true {
              let ground = try ledger.ground(of: call, for: server)
              var budget = ground.budget ?? Budget(limit: 100, remaining: 60, resetAt: nil)
              guard budget.remaining > 0 else { break }
              budget.remaining -= 1
              let token = try ledger.claim(
                call, knowing: ground, leaving: budget, lease: .seconds(30), for: server)
              if token == nil { continue }
              spent += 1
              break
            }
          }
          return spent
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(spent == 60)
    #expect(try ledger.budget(of: call.source)?.remaining == 0)
  }

  @Test func whatIsErasedIsGoneInEveryFeedWithANumberOfItsOwn() throws {
    let first = sharedRows(version: 1, ["a", "b"])
    try ledger.write(first, over: nil, of: nil, leaving: nil, for: one)
    try ledger.delete(
      [Identity("a")], realm: "s#items", of: "s", sentAt: Timestamp(seconds: 2_000), ending: nil,
      for: one)
    let image = try #require(try ledger.image(of: "s/f"))
    let place = image.elements.first { $0.known.id == Identity("a") }
    #expect(place?.known.state == .removed && place?.sequence == 2)
    #expect(image.feed.timeline.sequence == 2 && image.feed.version == 2)
    #expect(image.items.first { $0.id == Identity("a") }?.digest == nil)
    #expect(try server.query("SELECT count(*) FROM content", in: url) == "1")
    // Whoever has not heard of it cannot write that it stands.
    let again = sharedRows(version: 3, ["a"])
    #expect(throws: StoreError.overtaken) {
      try ledger.write(again, over: image.feed.state, of: nil, leaving: nil, for: other)
    }
    let news = try #require(
      try ledger.news(beyond: SourceCopy(of: "s", number: 1, states: ["s/f": first.feed.state])))
    #expect(news.items.map(\.digest) == [nil] && news.feeds.map(\.name) == ["s/f"])
  }

  /// One that has a state which was never told learns that some was lost.
  @Test func aStateThatWasNeverToldIsFoundOut() throws {
    try ledger.write(sharedRows(version: 1, ["a"]), over: nil, of: nil, leaving: nil, for: one)
    let first = SharedState(version: 1, stamp: 7)
    try ledger.write(
      sharedRows(version: 2, ["a"], stamp: 8), over: first, of: nil, leaving: nil, for: one)
    for (stamp, isDiverged) in [(Int64(7), false), (9, true)] {
      let states = ["s/f": SharedState(version: 1, stamp: stamp)]
      let news = try #require(
        try ledger.news(beyond: SourceCopy(of: "s", number: 1, states: states)))
      #expect(news.isDiverged == isDiverged)
    }
  }

  /// A feed that another server has made anew by the same recipe is not dropped with the old one.
  @Test func aFeedIsDroppedUnlessItIsOfTheRecipe() throws {
    var written = sharedRows(version: 1, ["a"])
    written.feed.recipe = 5
    try ledger.write(written, over: nil, of: nil, leaving: nil, for: one)
    #expect(try ledger.feed("s/f")?.feed.recipe == 5)
    #expect(throws: StoreError.overtaken) { try ledger.drop("s/f", of: "s", unless: 5) }
    #expect(try ledger.feed("s/f") != nil)
    try ledger.drop("s/f", of: "s", unless: 6)
    #expect(try ledger.feed("s/f") == nil)
    written.feed.recipe = nil
    try ledger.write(written, over: nil, of: nil, leaving: nil, for: one)
    try ledger.drop("s/f", of: "s", unless: 5)
    #expect(try ledger.feed("s/f") == nil)
  }

  /// A feed that was made anew counts its versions from 1 again: no state is lost by that.
  @Test func aFeedThatWasMadeAnewHasLostNothing() throws {
    try ledger.write(sharedRows(version: 1, ["a"]), over: nil, of: nil, leaving: nil, for: one)
    try ledger.drop("s/f", of: "s", unless: nil)
    try ledger.write(
      sharedRows(version: 1, ["a"], stamp: 8), over: nil, of: nil, leaving: nil, for: one)
    let held = ["s/f": SharedState(version: 1, stamp: 8)]
    let news = try #require(try ledger.news(beyond: SourceCopy(of: "s", number: 1, states: held)))
    #expect(!news.isDiverged)
  }

  /// What a server noted while the database's clock was set wrong holds nothing up afterwards.
  @Test func whatLiesYearsAheadHoldsNothing() throws {
    let ground = try ledger.ground(of: call, for: one)
    let budget = Budget(limit: 9, remaining: 8, resetAt: nil)
    _ = try ledger.claim(
      call, knowing: ground, leaving: budget, lease: .seconds(30), for: one)
    _ = try ledger.beat(one)
    #expect(try ledger.takeDuty("janitor", for: "one"))
    #expect(try ledger.ground(of: call, for: other).heldUntil != nil)
    for change in [
      "UPDATE flight SET until = until + interval '30 years'",
      "UPDATE replica SET seen_at = seen_at + interval '30 years'",
      "UPDATE duty SET until = until + interval '30 years'",
    ] { _ = try server.query(change, in: url) }
    let seen = try ledger.ground(of: call, for: other)
    #expect(seen.heldUntil == nil && seen.othersInFlight == 0)
    #expect(try ledger.takeDuty("janitor", for: "other"))
    #expect(try ledger.beat(other).servers == 1)
  }

  @Test func aPauseIsToldToTheOthers() throws {
    let ground = try ledger.ground(of: call, for: one)
    let budget = Budget(limit: 9, remaining: 8, resetAt: nil)
    let token = try #require(
      try ledger.claim(call, knowing: ground, leaving: budget, lease: .seconds(30), for: one))
    let pause = CallPause(until: Timestamp(seconds: 5), meaning: .refused, failures: 3)
    let latest = UpstreamDate(date: 7, madeAt: Timestamp(seconds: 4))
    var end = SharedEnd(knowing: ground.revision, budget: budget, pause: pause, latest: latest)
    #expect(try !ledger.settle(call, token: token, leaving: end, for: one))
    end.revision = try ledger.ground(of: call, for: one).revision
    #expect(try ledger.settle(call, token: token, leaving: end, for: one))
    let seen = try ledger.ground(of: call, for: other)
    #expect(seen.pause == pause && seen.latest == latest && seen.heldUntil == nil)
  }

  /// Two that start at once, and one that comes later, find the same tables.
  @Test func theTablesAreMadeOnce() async throws {
    let fresh = try server.newDatabase()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try PostgreSQLLedger(url: fresh).prepare() } }
      try await group.waitForAll()
    }
    #expect(try server.query("SELECT format FROM store", in: fresh) == "\(Steps.format)")
    // What an earlier program made is brought up to date by one of several, and keeps what it has.
    let before = try server.newDatabase()
    try PostgreSQLLedger(url: before).prepare()
    _ = try server.query(
      "ALTER TABLE source DROP COLUMN clock_date, DROP COLUMN clock_made_at, DROP COLUMN calls",
      in: before)
    _ = try server.query("ALTER TABLE feed DROP COLUMN recipe", in: before)
    _ = try server.query("ALTER TABLE flight DROP COLUMN ended", in: before)
    _ = try server.query("DROP TABLE opening, answer; DROP INDEX log_of_purges", in: before)
    _ = try server.query("UPDATE store SET format = 1, sequence_floor = 5", in: before)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try PostgreSQLLedger(url: before).prepare() } }
      try await group.waitForAll()
    }
    #expect(
      try server.query("SELECT format, sequence_floor FROM store", in: before)
        == "\(Steps.format)|5")
    _ = try server.query("UPDATE store SET format = 9, format_oldest = 9", in: fresh)
    #expect(throws: StoreError.newerVersion(version: 9, supported: Steps.format)) {
      try PostgreSQLLedger(url: fresh).prepare()
    }
    let empty = try server.newDatabase()
    #expect(throws: StoreError.self) { try PostgreSQLLedger(url: empty).prepare(mayMigrate: false) }
  }

  @Test func whatIsTooMuchIsEvictedAndNobodyNeedsIsSwept() throws {
    try ledger.write(
      sharedRows(version: 1, ["a", "b"]), over: nil, of: nil, leaving: nil, for: one)
    #expect(try ledger.takeDuty("janitor", for: "one"))
    #expect(try !ledger.takeDuty("janitor", for: "other"))
    let limits = PostgreSQLLedger.Limits(
      bytesMax: 1 << 30, answerBytesMax: 1 << 30, feedsMax: 9, remembers: .seconds(1 << 32))
    #expect(try ledger.tidy(limits) == 0)
    #expect(
      try ledger.tidy(
        PostgreSQLLedger.Limits(
          bytesMax: 1 << 30, answerBytesMax: 1 << 30, feedsMax: 0, remembers: .seconds(1 << 32)))
        == 1)
    #expect(try server.query("SELECT count(*) FROM element", in: url) == "0")
    #expect(try server.query("SELECT count(*) FROM content", in: url) == "0")
    #expect(try server.query("SELECT sequence_floor FROM store", in: url) == "2")
    let news = try #require(
      try ledger.news(
        beyond: SourceCopy(of: "s", number: 1, states: ["s/f": SharedState(version: 1, stamp: 7)])))
    guard case .drop("s/f")? = news.feeds.first else {
      Issue.record("\(news.feeds)")
      return
    }
  }

  /// Whoever copies the store back need not wait until its silence says that a server has ended.
  @Test func whoLeavesDoesNotCount() throws {
    _ = try ledger.beat(one)
    #expect(try ledger.beat(other).servers == 2)
    try ledger.leave(other)
    #expect(try ledger.beat(one).servers == 1)
    #expect(try ledger.standing()?.servers.count == 1)
    try ledger.leave(one)
    #expect(try ledger.standing()?.servers.isEmpty == true)
    #expect(try ledger.beat(other).servers == 1)
  }

  /// A server that starts while the database is away makes the tables when it is there.
  @Test func whatCouldNotBePreparedIsWithTheFirstBeat() async throws {
    let name = "later\(Int.random(in: 0..<1 << 30))"
    let later = url.replacing(RunningPostgreSQL.name(of: url), with: name)
    let ledger = PostgreSQLLedger(url: later)
    #expect(throws: StoreError.self) { try ledger.prepare() }
    #expect(throws: StoreError.self) { try ledger.beat(one) }
    _ = try server.query("CREATE DATABASE \(name)", in: url)
    var heartbeat: Heartbeat?
    for _ in 0..<100 where heartbeat == nil {
      // Who did not answer is left alone for a while.
      try await Task.sleep(for: .milliseconds(50))
      heartbeat = try? ledger.beat(one)
    }
    #expect(heartbeat?.servers == 1)
    #expect(try server.query("SELECT format FROM store", in: later) == "\(Steps.format)")
  }

  @Test func oneThatCannotBeReachedIsToldAtOnce() throws {
    let nowhere = PostgreSQLLedger(url: "postgresql://tsugi:secret@127.0.0.1:1/none")
    let failure = #expect(throws: StoreError.self) { try nowhere.beat(one) }
    guard case .unreachable(let message)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(!message.contains("secret"))
    #expect(!nowhere.isUp)
  }
}
