import Support
import Testing

@testable import PostgreSQLStore

extension NamedStatements {
  /// How each of some statements is sent, one after the other.
  fileprivate mutating func sendings(_ texts: String...) -> [Sending] {
    texts.map { sending($0) }
  }
}

/// Statements that PostgreSQL reads once, and what becomes of them behind a pooler.
@Suite struct NamedStatementsTests {
  @Test func aStatementHasANameFromTheSecondTimeOn() throws {
    var names = NamedStatements()
    let sendings = names.sendings("SELECT 1", "SELECT 1", "SELECT 1", "SELECT 2")
    guard case .named(let name, isNew: true) = sendings[1] else {
      Issue.record("no name")
      return
    }
    #expect(sendings == [.unnamed, sendings[1], .named(name, isNew: false), .unnamed])
    // PostgreSQL has refused it: it is given again.
    names.remove(name)
    let again = names.sendings("SELECT 1")
    #expect(again == [.named(name, isNew: true)])
  }

  @Test func noMoreStatementsHaveNamesThanAreCounted() {
    var names = NamedStatements()
    let texts = (0...NamedStatements.countMax).map { "SELECT \($0)" }
    let first = texts.map { names.sending($0) }
    let second = texts.map { names.sending($0) }
    #expect(first.allSatisfy { $0 == .unnamed })
    #expect(second.filter { $0 == .unnamed }.count == 1 && second.last == .unnamed)
  }

  @Test(arguments: [
    (SQLFailure.refused(state: "26000", message: ""), true),
    (.refused(state: "42P05", message: ""), true), (.refused(state: "0A000", message: ""), true),
    (.refused(state: "40001", message: ""), false), (.fenced(table: "source"), false),
    (.lost("closed"), false),
  ])
  func namesEndWithARefusalThatIsTheirs(failure: SQLFailure, isTheirs: Bool) {
    var names = NamedStatements()
    _ = names.sendings("SELECT 1", "SELECT 1")
    let isEnd = names.end(after: failure)
    let after = names.sending("SELECT 1")
    #expect(isEnd == isTheirs && (after == .unnamed) == isTheirs)
    // A refusal without names is the statement's own.
    let isEndAgain = names.end(after: failure)
    #expect(!isEndAgain)
  }
}

/// The same, and values in both forms, in a session of PostgreSQL.
@Suite(
  .enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"), .timeLimit(.minutes(3)))
struct LinkStatementTests {
  private let link: Link

  init() throws {
    link = try Link(try ownDatabase().url)
    _ = try link.run(SQL("CREATE TABLE t (n int)"))
  }

  private func insert(_ count: Int = 1) throws -> Int {
    let statement = SQL("INSERT INTO t VALUES ($1)", 1)
    _ = try link.transaction(Array(repeating: statement, count: count))
    return try Int(link.run(SQL("SELECT count(*) FROM t")).first?.integer(0) ?? 0)
  }

  private func namedStatements() throws -> Int64? {
    try link.run(SQL("SELECT count(*) FROM pg_prepared_statements")).first?.integer(0)
  }

  @Test func aStatementMayStandInATransactionManyTimes() throws {
    #expect(try insert(4) == 4)
    #expect(try insert(4) == 8)
    #expect(try namedStatements() != 0)
  }

  /// Each transaction of a pooler may have another session.
  @Test(arguments: ["DEALLOCATE ALL", "ALTER TABLE t ALTER n TYPE bigint"])
  func whatWasSentByANameThatIsGoneIsDoneOnce(change: String) throws {
    for count in 1...3 { #expect(try insert() == count) }
    _ = try link.run(SQL(change))
    for count in 4...6 { #expect(try insert() == count) }
    #expect(link.isSound)
  }

  @Test func aNameThatIsTakenIsDoneWithout() throws {
    let text = "INSERT INTO t VALUES ($1)"
    var names = NamedStatements()
    _ = names.sending(text)
    guard case .named(let name, _) = names.sending(text) else {
      Issue.record("no name")
      return
    }
    _ = try link.run(SQL("PREPARE tsugi_\(String(UInt64(bitPattern: name), radix: 16)) AS SELECT"))
    for count in 1...3 { #expect(try insert() == count) }
  }

  @Test func aRefusedStatementLeavesNoName() throws {
    for _ in 0..<3 {
      #expect(throws: SQLFailure.self) { try link.run(SQL("INSERT INTO later VALUES ($1)", 1)) }
    }
    _ = try link.run(SQL("CREATE TABLE later (n int)"))
    _ = try link.run(SQL("INSERT INTO later VALUES ($1)", 1))
    #expect(try insert() == 1)
  }

  @Test(arguments: [Int64.min, -1 << 40, -1, 0, 1, 255, 1 << 31, .max])
  func integersOfEachSizeAreRead(number: Int64) throws {
    let row = try link.run(
      SQL(
        """
        SELECT $1::bigint, $2::int, $3::smallint, $1::bigint::text, NULL::int, true, false, NULL
        """, number, Int64(Int32(clamping: number)), Int64(Int16(clamping: number)))
    ).first
    let found = try #require(row)
    #expect(try found.integer(0) == number)
    #expect(try found.integer(1) == Int64(Int32(clamping: number)))
    #expect(try found.integer(2) == Int64(Int16(clamping: number)))
    #expect(try found.integer(3) == number)
    #expect(try found.optional(4) == nil)
    #expect(found.flag(5) && !found.flag(6) && !found.flag(7))
  }

  @Test func bytesAndTextsComeAsTheyWere() throws {
    let bytes = [[UInt8](0...255), [], [0], Array("\"{}\\,NULL".utf8)]
    let texts = ["", "NULL", "{\"a\\", "日本", "a,b"]
    for bytes in [bytes, []] {
      let result = try link.run(
        SQL(
          "SELECT b, t FROM unnest($1::bytea[], $2::text[]) AS u (b, t)", SQLArray(bytes),
          SQLArray(texts)))
      #expect(
        result.rows.map { $0.bytes(0) } == bytes + texts.dropFirst(bytes.count).map { _ in [] })
      #expect(result.rows.map { $0.text(1) } == texts)
    }
    let json = try link.run(SQL("SELECT $1::jsonb, $1::jsonb ->> 'a'", #"{"a": "7"}"#)).first
    #expect(json?.text(0) == #"{"a": "7"}"# && json?.text(1) == "7")
  }
}
