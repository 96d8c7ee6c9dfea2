import Testing

@testable import Simulator

@Suite struct BudgetTests {
  @Test(arguments: [(nil, 60), ("token", 1_000)] as [(String?, Int)])
  func refusesTheCallAfterTheLast(token: String?, limit: Int) {
    var qiita = Qiita.still(3)
    for left in (0..<limit).reversed() {
      let answer = qiita.answer("items", token: token)
      #expect(answer.status == 200)
      #expect(answer.field("rate-remaining") == String(left))
    }
    let refused = qiita.answer("items", token: token)
    #expect(refused.status == 403)
    #expect(refused.text == #"{"message":"Rate limit exceeded","type":"rate_limit_exceeded"}"#)
    #expect(refused.field("rate-limit") == String(limit))
    #expect(refused.field("rate-remaining") == "0")
  }

  @Test func beginsAnewAnHourAfterTheFirstCall() {
    var qiita = Qiita(World(WorldOptions(itemCount: 3)), options: .init(budget: 2))
    let status = { (second: Int64) in
      qiita.answer(Call("/api/v2/items"), nowSeconds: noon + second).status
    }
    #expect(
      [0, 1800, 1801, 3599, 3600, 3601, 3602].map(status) == [200, 200, 403, 403, 200, 200, 403])
  }

  @Test func tellsWhenTheWindowEnds() {
    var qiita = Qiita.still(3)
    #expect(qiita.answer("items").field("rate-reset") == String(noon + 3600))
    let later = qiita.answer(Call("/api/v2/items"), nowSeconds: noon + 100)
    #expect(later.field("rate-reset") == String(noon + 3600))
  }

  @Test func countsEachIdentityApart() {
    var qiita = Qiita(World(WorldOptions(itemCount: 3)), options: .init(budget: 1))
    #expect(
      [nil, "a", nil, "a"].map { qiita.answer("items", token: $0).status } == [200, 200, 403, 403])
  }

  @Test(arguments: ["items/unknown", "items?page=0", "nowhere", "authenticated_user"])
  func countsCallsThatFail(target: String) {
    var qiita = Qiita.still(3)
    #expect(qiita.answer(target).status >= 400)
    #expect(qiita.answer("items").field("rate-remaining") == "58")
  }

  @Test func remembersCallsUpToTheLimitAndThenTheLatest() {
    var qiita = Qiita.still(0)
    for _ in 0..<Qiita.callsMax { _ = qiita.answer("nowhere") }
    #expect(qiita.calls.count == Qiita.callsMax)
    _ = qiita.answer("items")
    #expect(qiita.calls.count == Qiita.callsMax / 2 + 1)
    #expect(qiita.calls.last?.call.path == "/api/v2/items")
    #expect(qiita.callCount == Qiita.callsMax + 1)
  }
}
