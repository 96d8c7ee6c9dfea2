import Feed
import Freshness
import Testing

@testable import Upstream

struct FieldListTextsTests {
  private func fields(_ lines: String...) -> FieldList {
    var fields = FieldList()
    for line in lines { fields.append(line: (line + "\r\n").utf8) }
    return fields
  }

  @Test func comparesNamesWithoutCase() {
    #expect(fields("rAtE-limit:60")["Rate-Limit"] == "60")
  }

  @Test func takesWhiteSpaceOffValues() {
    #expect(fields("A: \t b c \t ")["a"] == "b c")
  }

  @Test func keepsEveryFieldOfAName() {
    #expect(fields("Link: a", "X: y", "link: b").texts(of: "Link") == ["a", "b"])
  }

  @Test func joinsFoldedLines() {
    #expect(fields("Link: a,", "  b")["link"] == "a, b")
  }

  @Test func leavesOutLinesThatAreNoFields() {
    #expect(fields(" folded at first", "no colon") == FieldList())
  }

  @Test(arguments: ["", "-1", "+1", "1.0", "1 2", "0x1", "1000000000000", "１"])
  func refusesWhatIsNoNumber(value: String) {
    #expect(fields("Total-Count: \(value)").number("total-count") == nil)
  }

  @Test func readsNumberOfTwelveDigits() {
    #expect(fields("Total-Count: 999999999999").number("total-count") == 999_999_999_999)
  }

  @Test func readsRates() {
    let read = rates("rate-limit: 60", "RATE-REMAINING: 0", "Rate-Reset: 1411961301")
    #expect(read == BudgetReading(limit: 60, remaining: 0, resetSeconds: 1_411_961_301))
  }

  @Test func needsTheCallsThatAreLeft() {
    #expect(rates("Rate-Limit: 60", "Rate-Reset: 1411961301") == nil)
  }

  private func rates(_ lines: String...) -> BudgetReading? {
    var fields = FieldList()
    for line in lines { fields.append(line: Array(line.utf8)) }
    return BudgetReading(AnswerReader(body: [], fields: fields), Recipe.RateRules(), now: 0)
  }
}
