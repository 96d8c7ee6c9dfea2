import Feed
import Foundation
import Freshness
import History
import Support
import Testing

@testable import SQLiteStore

/// What else an upstream has answered, kept in the file.
@Suite struct AnswerTests {
  private let directory: TemporaryDirectory
  private let database: TimelineDatabase

  init() throws {
    directory = try TemporaryDirectory("tsugi")
    database = try TimelineDatabase(
      path: directory.path + "/tsugi.sqlite", durability: .processOnly)
  }

  private func keep(
    _ answer: RawAnswer, renewing former: RawAnswer? = nil, of source: String, at target: String,
    _ variantsMax: Int
  ) throws {
    try database.keep(
      answer, renewing: former, of: source, at: target, variantsMax: variantsMax)
  }

  private func answer(
    _ body: String = "hello", vary: String? = nil, asked: Int64 = 1, _ request: FieldList = []
  ) -> RawAnswer {
    RawAnswer(
      head: StoredAnswer(
        status: 200,
        fields: FieldList(
          [FieldLine("X", "1"), FieldLine("x", "2"), FieldLine("Y", "")]
            + (vary.map { [FieldLine("Vary", $0)] } ?? [])), to: request, askedAt: asked,
        respondedAt: asked + 1), body: Array(body.utf8))
  }

  @Test func givesBackWhatWasKept() throws {
    let kept = answer(vary: "A", [FieldLine("A", [0x80, 0x20, 0xFF])])
    try keep(kept, of: "s", at: "/a?b", 2)
    #expect(try database.answers(of: "s", at: "/a?b") == [kept])
    #expect(try database.answers(of: "t", at: "/a?b").isEmpty)
    #expect(try database.answers(of: "s", at: "/a").isEmpty)
    database.close()
    let again = try TimelineDatabase(path: directory.path + "/tsugi.sqlite")
    #expect(try again.answers(of: "s", at: "/a?b") == [kept])
  }

  /// Any order of arrival: of a variant the one asked for last stays, of a target the newest ones.
  @Test(arguments: 0..<30) func keepsTheNewest(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var newest: [Int: RawAnswer] = [:]
    let times = (0..<40).map { Int64($0) }.shuffled(using: &random)
    for time in times {
      let variant = random.next(below: 5)
      let one = answer("\(time)", vary: "A", asked: time, [FieldLine("A", "\(variant)")])
      try keep(one, of: "s", at: "/a", 10)
      if newest[variant].map({ $0.head.askedAt < time }) ?? true { newest[variant] = one }
    }
    let expected = newest.values.sorted { $0.head.askedAt > $1.head.askedAt }
    #expect(try database.answers(of: "s", at: "/a") == expected)
    try keep(answer("x", asked: 99), of: "s", at: "/a", 3)
    let left = try database.answers(of: "s", at: "/a")
    #expect(left.map(\.head.askedAt) == [99] + expected.prefix(2).map(\.head.askedAt))
  }

  /// A validation may tell of another `Vary`: what it renews is not left beside it.
  @Test func aRenewalTakesThePlaceOfWhatItRenews() throws {
    let former = answer()
    try keep(former, of: "s", at: "/a", 9)
    try keep(answer(vary: "B", asked: 1), of: "s", at: "/a", 9)
    let renewed = answer(vary: "A", asked: 2, [FieldLine("A", "1")])
    try keep(renewed, renewing: former, of: "s", at: "/a", 9)
    #expect(try database.answers(of: "s", at: "/a").map(\.head.variesBy) == [["a"], ["b"]])
  }

  @Test func evictsWhatWasUsedLongestAgo() throws {
    let minute: Int64 = 60_000
    for index in 0..<100 {
      try keep(
        answer(asked: Int64(index) * minute), of: "s", at: "/\(index)", 1)
    }
    try keep(answer(), of: "t", at: "/a", 1)
    let size = Int64(answer().byteCount + 2 * "/99".utf8.count)
    for target in ["/0", "/1"] {
      try database.noteUse(of: target, of: "s", at: Timestamp(milliseconds: 1_000 * minute))
    }
    try database.trimAnswers(of: "s", toBytes: 10 * size)
    let left = try (0..<100).filter { try !database.answers(of: "s", at: "/\($0)").isEmpty }
    #expect(left == [0, 1] + Array(92..<100))
    #expect(try database.answers(of: "t", at: "/a").count == 1)
    try database.trimAnswers(of: "s", toBytes: 0)
    #expect(try database.purge(.all, of: "s", askedBy: nil) == 0)
  }

  @Test func takesAwayWhatIsSelected() throws {
    for (selection, left) in [
      (.target("/a"), ["/a?b", "/ab", "/b", "/aé"]), (.prefix("/a"), ["/b"]), (.all, []),
      (.prefix("/aé"), ["/a", "/a?b", "/ab", "/b"]),
      (.target("/none"), ["/a", "/a?b", "/ab", "/b", "/aé"]),
    ] as [(AnswerSelection, [String])] {
      let targets = ["/a", "/a?b", "/ab", "/b", "/aé"]
      for target in targets { try keep(answer(), of: "s", at: target, 1) }
      let count = try database.purge(selection, of: "s", askedBy: nil)
      let found = try targets.filter { try !database.answers(of: "s", at: $0).isEmpty }
      #expect(Set(found) == Set(left), "\(selection)")
      #expect(count == targets.count - left.count)
    }
  }

  /// Small answers of long names: the file has room for the rows and little more.
  @Test func namesCountInTheBound() throws {
    let bound: Int64 = 1 << 20
    for index in 0..<3_000 {
      let name = "/\(index)?" + String(repeating: "a", count: 2_000)
      try keep(answer(asked: Int64(index)), of: "s", at: name, 1)
      try database.trimAnswers(of: "s", toBytes: bound)
    }
    database.close()
    let file = try #require(
      FileManager.default.attributesOfItem(atPath: directory.path + "/tsugi.sqlite")[.size] as? Int)
    #expect(file < 4 << 20)
  }

  /// Ten thousand targets stay within the bound, whatever their size.
  @Test func staysWithinItsBound() throws {
    let bound: Int64 = 1 << 20
    for index in 0..<10_000 {
      let body = String(repeating: "a", count: index % 700)
      try keep(answer(body, asked: Int64(index)), of: "s", at: "/\(index)", 1)
      try database.trimAnswers(of: "s", toBytes: bound)
    }
    var bytes = 0
    for index in 0..<10_000 {
      for answer in try database.answers(of: "s", at: "/\(index)") { bytes += answer.byteCount }
    }
    #expect((Int(bound) * 9 / 10...Int(bound)).contains(bytes))
    #expect(try database.answers(of: "s", at: "/9999").count == 1)
  }
}
