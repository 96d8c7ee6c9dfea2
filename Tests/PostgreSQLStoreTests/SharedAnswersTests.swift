import Feed
import Freshness
import SharedStore
import Support
import Testing

@testable import PostgreSQLStore

/// The raw route's answers that servers share, over a real PostgreSQL where the machine has it.
@Suite(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
struct SharedAnswersTests {
  private let server: RunningPostgreSQL
  private let url: String
  private let one: PostgreSQLLedger
  private let other: PostgreSQLLedger

  init() throws {
    (server, url, one, other) = try sharedDatabase()
  }

  private func answer(
    _ body: String, askedAt: Int64, language: String? = nil, vary: String? = nil
  ) -> RawAnswer {
    let fields = FieldList(
      [FieldLine("Content-Type", "text/plain")] + (vary.map { [FieldLine("Vary", $0)] } ?? []))
    let asked = FieldList(language.map { [FieldLine("Accept-Language", $0)] } ?? [])
    return RawAnswer(
      head: StoredAnswer(
        status: 200, fields: fields, to: asked, askedAt: askedAt, respondedAt: askedAt + 5),
      body: Array(body.utf8))
  }

  private func share(
    _ answer: RawAnswer, renewing former: RawAnswer? = nil, at target: String = "/a",
    variantsMax: Int = 4
  ) throws {
    try one.share(
      answer, renewing: former, of: "s", as: "s#1", at: target, variantsMax: variantsMax)
  }

  private func answers(at target: String = "/a", as name: String = "s#1") throws -> [RawAnswer] {
    try other.answers(of: "s", as: name, at: target, most: 4)
  }

  /// Beyond all purges of the test, by the clock of the database.
  private var later: Int64 { get throws { try now() + 600_000 } }

  private func now() throws -> Int64 {
    try #require(Int64(try server.query("SELECT \(Now.milliseconds)", in: url)))
  }

  @Test func anAnswerIsReadAsItWasShared() throws {
    let first = answer("\0\u{1}hello\"\\", askedAt: 1_000, language: "ja", vary: "Accept-Language")
    try share(first)
    #expect(try answers() == [first])
    #expect(try answers(at: "/aa").isEmpty && answers(as: "s#2").isEmpty)
  }

  @Test func theNewestOfAVariantStays() throws {
    let (old, new) = (answer("old", askedAt: 1_000), answer("new", askedAt: 2_000))
    try share(new)
    try share(old)
    #expect(try answers() == [new])
    let japanese = answer("ja", askedAt: 3_000, language: "ja", vary: "Accept-Language")
    try share(japanese)
    #expect(try answers() == [japanese, new])
    // The upstream says of the same content that it varies: one renews the other.
    try share(answer("new", askedAt: 4_000, vary: "Accept-Language"), renewing: new)
    #expect(try answers().map(\.head.askedAt) == [4_000, 3_000])
    try share(answer("fr", askedAt: 5_000, language: "fr", vary: "Accept-Language"), variantsMax: 2)
    #expect(try answers().map(\.head.askedAt) == [5_000, 4_000])
  }

  @Test(arguments: [
    (AnswerSelection.target("/a"), ["/a"]), (.target("/"), []),
    (.prefix("/a"), ["/a", "/a?b", "/aa"]),
    (.all, ["/a", "/a?b", "/aa", "/%_'\\"]), (.target("/%_'\\"), ["/%_'\\"]),
    (.prefix("/%"), ["/%_'\\"]),
  ])
  func whatAPurgeSelectsIsGone(selection: AnswerSelection, gone: [String]) throws {
    let targets = ["/a", "/a?b", "/aa", "/%_'\\"]
    for target in targets { try share(answer("x", askedAt: 1_000), at: target) }
    #expect(try one.purge(selection, of: "other") == 0)
    #expect(try other.purge(selection, of: "s") == gone.count)
    for target in targets {
      #expect(try answers(at: target).isEmpty == gone.contains(target), "\(target)")
      // What was requested before comes in later, and counts as purged.
      try share(answer("late", askedAt: 2_000), at: target)
      #expect(try answers(at: target).isEmpty == gone.contains(target), "\(target)")
      let fresh = answer("fresh", askedAt: try later)
      try share(fresh, at: target)
      #expect(try answers(at: target) == [fresh])
    }
  }

  /// A purge and an answer that are written at the same moment do not see each other.
  @Test func whatComesInBesideAPurgeIsNoAnswer() throws {
    try share(answer("x", askedAt: 1_000))
    _ = try server.query(
      """
      INSERT INTO source (name, revision, number) VALUES ('s', 1, 1);
      INSERT INTO log (source, number, feed, name, version, stamp, kind)
      VALUES ('s', 1, 0, '=/a', 0, 0, 4)
      """, in: url)
    #expect(try answers().isEmpty)
    #expect(try server.query("SELECT count(*) FROM answer", in: url) == "1")
    _ = try one.tidy(limits(answerBytesMax: 1 << 30))
    #expect(try server.query("SELECT count(*) FROM answer", in: url) == "0")
  }

  @Test func aPurgeComesWithTheNewsOfItsSource() throws {
    let long = "/" + String(repeating: "é", count: 2_000)
    for selection in [AnswerSelection.target("/a"), .prefix("/b"), .all, .target(long)] {
      _ = try one.purge(selection, of: "s")
    }
    let news = try #require(try other.news(beyond: SourceCopy(of: "s", number: 1, states: [:])))
    #expect(news.number == 4 && !news.changesRows)
    let selections = news.purges.map { AnswerSelection(text: $0.selection) }
    #expect(selections.prefix(2) == [.prefix("/b"), .all] && selections.count == 3)
    // Of one that is too long for an index more is purged.
    #expect(selections.last?.selects(long) == true && selections.last?.selects("/a") == false)
    let now = try now()
    for purge in news.purges { #expect(abs(purge.at.milliseconds - now) < 600_000) }
    #expect(try other.news(beyond: SourceCopy(of: "s", number: 4, states: [:]))?.purges == [])
  }

  /// The log holds a day: who was away for longer may have missed any purge.
  @Test func whoseLogHasGoneForgetsAll() throws {
    for _ in 0..<3 { _ = try one.purge(.target("/a"), of: "s") }
    _ = try server.query("DELETE FROM log WHERE number <= 2", in: url)
    let behind = try #require(try other.news(beyond: SourceCopy(of: "s", number: 1, states: [:])))
    #expect(behind.purges.map(\.selection) == ["^", "=/a"])
    let near = try #require(try other.news(beyond: SourceCopy(of: "s", number: 2, states: [:])))
    #expect(near.purges.map(\.selection) == ["=/a"])
  }

  private func limits(answerBytesMax: Int64) -> PostgreSQLLedger.Limits {
    PostgreSQLLedger.Limits(
      bytesMax: 1 << 30, answerBytesMax: answerBytesMax, feedsMax: 9, remembers: .seconds(9))
  }

  @Test func whatWasUsedLongestAgoGoes() throws {
    let body = String(repeating: "x", count: 10_000)
    for (number, target) in ["/a", "/b", "/c", "/d"].enumerated() {
      try share(answer(body, askedAt: 1_000 + Int64(number)), at: target)
      _ = try server.query(
        "UPDATE answer SET used = \(number) WHERE target = '\(target)'", in: url)
    }
    // A use counts from now on.
    #expect(try answers(at: "/a").count == 1)
    _ = try one.tidy(limits(answerBytesMax: 60_000))
    #expect(try server.query("SELECT count(*) FROM answer", in: url) == "4")
    _ = try one.tidy(limits(answerBytesMax: 30_000))
    #expect(try server.query("SELECT target FROM answer ORDER BY 1", in: url) == "/a\n/d")
  }
}
