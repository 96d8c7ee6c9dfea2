import Judge
import Testing

/// What the judge of histories finds: each broken promise, and nothing in a sound walk.
@Suite struct JudgeTests {
  /// A list of `e`, `d`, `c`, `b`, `a`, of seconds 50, 40, 30, 20 and 10, as it stands for ever.
  private struct StillList: Truth {
    let now: Int64 = 1_000_000
    let violation: String? = nil
    let terms = Terms(servers: 1, answersAtOnce: true, proofSlack: 0, givesUp: false)
    var gone: [String: Int64] = [:]

    func isByKey(_ list: String) -> Bool { true }
    func entries(of list: String) -> [Entry] {
      zip(["e", "d", "c", "b", "a"], [50, 40, 30, 20, 10] as [Int64])
        .filter { id, _ in gone[id] == nil }
        .map { id, second in
          Entry(
            id: id, second: second, place: Place(order: second, tie: Array(id.utf8)),
            isUsable: true, usableSince: nil)
        }
    }
    func presence(of id: String, in list: String) -> Presence? {
      Presence(since: 0, until: gone[id])
    }
    func versionCount(of id: String) -> Int? { id == "z" ? nil : 2 }
    func wanderers(of list: String) -> Set<String> { [] }
    func rekeyed() -> Set<String> { [] }
    func lastSettledSecond(at provenAt: Int64) -> Int64 { 100 }
    func mayBeLimited(_ list: String) -> Bool { false }
    func realm(of list: String) -> String { list }
  }

  /// A slice of elements with one letter each, written from the top down.
  private static func slice(
    _ ids: String, end: String? = nil, change: (inout ShownSlice) -> Void = { _ in }
  ) -> ShownSlice {
    let seconds: [Character: Int64] = ["e": 50, "d": 40, "c": 30, "b": 20, "a": 10, "z": 5]
    var slice = ShownSlice(
      ids.map { id in
        ShownElement(
          id: String(id), version: 1,
          at: Place(order: seconds[id] ?? 0, tie: Array(String(id).utf8)))
      },
      hasMore: end == nil, hasPrevious: false, end: end, hasGap: false, isProven: true,
      sequence: 1, lineage: 1, provenAt: 500_000, checkedAt: 500_000)
    change(&slice)
    return slice
  }

  private let question = Question(list: "notes", limit: 5, isFromTop: true, known: nil)

  private func violation(_ judge: (Judge) -> Void, of truth: StillList = .init()) -> String? {
    let asked = Judge(truth) { _ in }
    judge(asked)
    return asked.violation
  }

  @Test func findsNothingInASoundWalk() {
    #expect(
      violation {
        $0.note(Self.slice("edcba", end: "end"), for: question)
        $0.note(
          Stretch(
            of: "notes", [Self.slice("edc"), Self.slice("ba", end: "end")], beginsAtTop: true)
        )
      } == nil)
  }

  @Test(arguments: [
    (Self.slice("edcbaz", end: "end"), "more than the limit"),
    (Self.slice(""), "an empty slice says more"),
    (Self.slice("ed") { $0.end = "end" }, "hasMore against the end"),
    (Self.slice("ed", end: "end") { $0.hasGap = true }, "a gap and no more"),
    (Self.slice("ed") { $0.hasPrevious = true }, "something above the top"),
    (Self.slice("de"), "order broken inside a slice"),
    (Self.slice("ed") { $0.provenAt = 600_000 }, "freshness of the future"),
    (Self.slice("ed") { $0.checkedAt = 2_000_000 }, "freshness of the future"),
    (Self.slice("ed", end: "upstreamLimit"), "a limit the upstream does not have"),
    (Self.slice("edz"), "z never was"),
    (Self.slice("ed") { $0.elements[0].version = nil }, "e never was"),
  ])
  func findsWhatIsWrongInASlice(_ slice: ShownSlice, _ violation: String) {
    #expect(self.violation { $0.note(slice, for: question) } == "notes: \(violation)")
  }

  @Test(arguments: [
    ([Self.slice("edc"), Self.slice("cba", end: "end")], "order broken between c and c"),
    ([Self.slice("ed"), Self.slice("ba", end: "end")], "a hole, c, 2 of 5"),
    ([Self.slice("dc"), Self.slice("ba", end: "end")], "a hole, e, 0 of 5"),
    ([Self.slice("edc"), Self.slice("b", end: "end")], "a hole, a, 4 of 5"),
  ])
  func findsWhatIsWrongInAWalk(_ slices: [ShownSlice], _ violation: String) {
    let found = self.violation { $0.note(Stretch(of: "notes", slices, beginsAtTop: true)) }
    #expect(found?.hasPrefix("notes: \(violation)") == true, "\(found ?? "nothing")")
  }

  @Test func findsASequenceThatFalls() {
    #expect(
      violation {
        $0.note(Self.slice("ed") { $0.sequence = 7 }, for: question)
        $0.note(Self.slice("ed") { $0.sequence = 6 }, for: question)
      } == "notes: sequence fell from 7")
  }

  @Test func findsAVersionThatFallsBack() {
    #expect(
      violation {
        $0.note(Self.slice("ed") { $0.elements[1].version = 2 }, for: question)
        $0.note(Self.slice("ed"), for: question)
      } == "notes: d fell back from version 2")
  }

  @Test func findsADeletedElementThatComesBack() {
    #expect(
      violation(
        {
          $0.note(Self.slice("edc"), for: question)
          $0.note(Self.slice("ec"), for: question)
          $0.note(Self.slice("edc"), for: question)
        }, of: StillList(gone: ["d": 900_000])) == "notes: d was gone and is back")
  }

  /// Where a join is only believed, an element may be missing; twice it may not come even there.
  @Test func takesAHoleOnlyWhereAJoinIsBelieved() {
    let slices = [Self.slice("ed") { $0.isProven = false }, Self.slice("ba", end: "end")]
    #expect(violation { $0.note(Stretch(of: "notes", slices, beginsAtTop: true)) } == nil)
  }
}
