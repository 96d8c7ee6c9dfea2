import Feed
import History
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// How calls end over a real PostgreSQL where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct CallEndingTests {
  private let ledger: PostgreSQLLedger
  private let call = SharedCall(source: "s", key: "item a", feed: nil, budget: nil)
  private let one = Server(id: "one")
  private let id = Identity("a")

  init() throws {
    ledger = PostgreSQLLedger(url: try #require(RunningPostgreSQL.shared).newDatabase())
    try ledger.prepare()
  }

  /// Claims the call, and says how it ends.
  private func claimed(leaving remaining: Int) throws -> CallEnding {
    let ground = try ledger.ground(of: call, for: one)
    var budget = Budget(limit: 9, remaining: 8, resetAt: nil)
    let token = try #require(
      try ledger.claim(call, knowing: ground, leaving: budget, lease: .seconds(30), for: one))
    budget.remaining = remaining
    return CallEnding(
      call, token: token, leaving: SharedEnd(knowing: ground.revision + 1, budget: budget))
  }

  private func keep(_ text: String, ending: CallEnding?) throws -> SharedMove? {
    let bytes = Array(text.utf8)
    let item = SharedItem(
      realm: "s#items", id: id, sentAt: Timestamp(seconds: 1), digest: SharedItem.digest(of: bytes))
    return try ledger.write(
      [item], contents: [id: bytes], of: "s", ending: ending, for: one)
  }

  private func delete(ending: CallEnding?) throws -> SharedMove? {
    try ledger.delete(
      [id], realm: "s#items", of: "s", sentAt: Timestamp(seconds: 2), ending: ending, for: one)
  }

  /// The item, the budget and the end of the call come together or not at all.
  @Test func anItemOrItsDeletionEndsItsCall() throws {
    for isGone in [false, true] {
      var ending = try claimed(leaving: 5)
      ending.end.revision -= 1
      #expect(try (isGone ? delete(ending: ending) : keep("x", ending: ending)) == nil)
      #expect(try ledger.budget(of: "s")?.remaining == 8)
      ending.end.revision += 1
      let number = try ledger.ground(of: call, for: one).number
      let move = try isGone ? delete(ending: ending) : keep("x", ending: ending)
      #expect(move == SharedMove(revision: ending.end.revision + 1, number: number + 1))
      #expect(try ledger.budget(of: "s")?.remaining == 5)
      #expect(try ledger.ground(of: call, for: Server(id: "b")).othersInFlight == 0)
      let found = try ledger.items([id], realm: "s#items")
      #expect(found.items.count == 1 && (found.items.first?.digest == nil) == isGone)
    }
  }

  /// An item is kept although its call has passed to another server, which goes on with it.
  @Test func aCallThatPassedOnIsNotEnded() throws {
    var ending = try claimed(leaving: 5)
    let ground = try ledger.ground(of: call, for: one)
    _ = try ledger.claim(
      call, knowing: ground, leaving: ending.end.budget, lease: .seconds(30),
      for: Server(id: "b"))
    ending.end.revision += 1
    #expect(try keep("x", ending: ending) != nil)
    #expect(try ledger.ground(of: call, for: one).heldUntil != nil)
  }

  /// By the token of its last end a server knows that the end took effect.
  @Test func theLastEndIsKnownByItsToken() throws {
    #expect(try ledger.ground(of: call, for: one).ended == nil)
    for isWritten in [false, true] {
      let ending = try claimed(leaving: 5)
      #expect(try ledger.ground(of: call, for: one).ended != ending.token)
      if isWritten {
        #expect(try keep("x", ending: ending) != nil)
      } else {
        #expect(try ledger.settle(call, token: ending.token, leaving: ending.end, for: one))
      }
      #expect(try ledger.ground(of: call, for: one).ended == ending.token)
    }
  }
}
