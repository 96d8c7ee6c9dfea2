import JSONBytes
import Testing

@testable import Simulator

@Suite struct FaultTests {
  @Test(arguments: [
    (Fault.serverError, 500, "internal_server_error"), (.badGateway, 502, "<html>"),
    (.unavailable, 503, "<html>"), (.tooManyRequests, 429, "rate_limit_exceeded"),
    (.forbidden, 403, "forbidden"), (.notJSON, 200, "<html>"),
  ])
  func answersInPlaceOfTheList(fault: Fault, status: Int, text: String) {
    var qiita = Qiita.still(30)
    qiita.script([.fault(fault), .ordinary])
    let failed = qiita.answer("items")
    #expect(failed.status == status)
    #expect(failed.text.contains(text))
    #expect(failed.fault == fault)
    #expect(failed.field("rate-remaining") == "59")
    #expect(qiita.answer("items").status == 200)
  }

  @Test(arguments: [
    Fault.reset, .cut, .slow, .hang,
  ])
  func deliversInItsOwnWay(fault: Fault) {
    var qiita = Qiita.still(30)
    qiita.script([.fault(fault)])
    let answer = qiita.answer("items")
    let half = answer.body.count / 2
    let expected: [Fault: Answer.Delivery] = [
      .reset: .reset, .cut: .cut(bodyBytes: half), .slow: .stall(bodyBytes: half), .hang: .hang,
    ]
    #expect(answer.delivery == expected[fault])
  }

  @Test func breaksOneItemOnly() throws {
    var qiita = Qiita.still(30)
    let whole = try qiita.answer("items").elements()
    qiita.script([Qiita.Scripted](repeating: .fault(.badItem), count: 12))
    for _ in 0..<12 {
      let elements = try qiita.answer("items").elements()
      #expect(zip(elements, whole).count { $0 != $1 } == 1)
    }
  }

  @Test func repeatsOneItem() throws {
    var qiita = Qiita.still(30)
    qiita.script([.fault(.twice)])
    let ids = try qiita.ids("items")
    #expect(ids.count == 20)
    #expect(Set(ids).count == 19)
  }

  @Test func changesThePlacesOfTwoItems() throws {
    var qiita = Qiita.still(30)
    let ids = try qiita.ids("items")
    qiita.script([.fault(.disorder)])
    let disordered = try qiita.ids("items")
    #expect(Set(disordered) == Set(ids))
    #expect(zip(ids, disordered).count { $0 != $1 } == 2)
  }

  @Test func putsBytesThatAreNotUTF8IntoOneItem() throws {
    var qiita = Qiita.still(30)
    qiita.script([.fault(.badUTF8)])
    let elements = try qiita.answer("items").elements()
    #expect(elements.count { !JSON.isValid($0[...]) } == 1)
  }

  @Test func blowsOneItemUp() throws {
    var qiita = Qiita.still(30)
    qiita.script([.fault(.huge)])
    let sizes = try qiita.answer("items").elements().map(\.count)
    #expect(sizes.count { $0 > Fault.hugeBytes } == 1)
  }

  @Test func strikesAsOftenAsAskedFor() {
    var qiita = Qiita.still(3)
    qiita.options.budget = 10_000
    qiita.options.faults = [.serverError: 0.25]
    for _ in 0..<1_000 { _ = qiita.answer("items") }
    #expect(200...300 ~= qiita.calls.count { $0.fault == .serverError })
  }

  @Test func changesTheWorldBeforeAScriptedAnswer() throws {
    var qiita = Qiita.still(3)
    qiita.script([.after { world in world.insert(at: noon) }])
    #expect(try qiita.ids("items").count == 4)
    #expect(qiita.calls.map(\.step) == [1])
  }

  @Test(arguments: [
    ("500=0.5", true), ("502html=1", true), ("cut=0", true), ("cut=1.1", false), ("cut=-1", false),
    ("cut", false), ("nothing=0.5", false), ("cut=x", false),
  ])
  func readsProbabilitiesFromText(text: String, isGood: Bool) {
    #expect((Fault.probability(parsing: text) != nil) == isGood)
  }
}
