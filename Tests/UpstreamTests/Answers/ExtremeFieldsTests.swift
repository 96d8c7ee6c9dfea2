import Bytes
import Feed
import Freshness
import Support
import Testing

@testable import Upstream

/// Any number may stand in any field of an answer that is read.
@Suite struct ExtremeFieldsTests {
  private static let now = Timestamp(seconds: 1_763_690_000)
  private static let statuses = [200, 401, 403, 404, 429, 500, 503]

  /// Every field that is read, with `{}` for the number.
  static let lines = [
    "Retry-After: {}", "Age: {}", "Content-Length: {}", "Date: {}",
    "Date: Fri, {} Nov 2025 01:55:00 GMT", "Date: Fri, 21 Nov {} 01:55:00 GMT",
    "Date: Friday, 21-Nov-{} 01:55:00 GMT", "Retry-After: Fri, 21 Nov {} 01:55:00 GMT",
    "Total-Count: {}", "X-Used: {}/{}", "X-Used: {}/9", "X-Used: 9/{}", "X-Pause: {}",
    "X-Reset: {}", "X-Reset: {}-11-21T01:55:00Z",
    #"RateLimit: "a";r={};t={}"#, #"RateLimit: "a";r=1;t={}"#, #"RateLimit: "a";r={};t=1"#,
    #"Link: <https://api.test/items?page={}>; rel="next""#,
  ]

  /// The same rules with each place at which a recipe may find a number.
  private static let rules: [Recipe.RateRules] = {
    var used = Recipe.RateRules()
    (used.calls, used.seconds) = (1, 31_622_400)
    used.used = AnswerPlace("header:X-Used")
    var pause = Recipe.RateRules()
    pause.pause = AnswerPlace("header:X-Pause")
    var named = Recipe.RateRules()
    named.limit = AnswerPlace("header:Total-Count")
    named.remaining = AnswerPlace("header:Total-Count")
    named.reset = AnswerPlace("header:X-Reset")
    return [Recipe.RateRules(), used, pause, named]
  }()

  @Test(arguments: lines) func anAnswerIsReadWhateverItSays(_ line: String) {
    for number in Extremes.texts { check([line.filled(with: number)]) }
  }

  @Test(arguments: ["Rate-", "RateLimit-", "X-RateLimit-", "X-Rate-Limit-"])
  func aRateIsReadWhateverItSays(_ family: String) {
    for number in Extremes.texts {
      for (limit, remaining, reset) in [
        (number, number, number), ("9", number, "9"), (number, "9", "9"), ("9", "9", number),
      ] {
        check([
          "\(family)Limit: \(limit)", "\(family)Remaining: \(remaining)",
          "\(family)Reset: \(reset)",
        ])
      }
    }
  }

  /// All that is made of an answer's fields before its elements are looked at.
  private func check(_ lines: [String]) {
    var fields = FieldList()
    for line in lines { fields.append(line: Array(line.utf8)) }
    let now = Self.now
    let date = fields["Date"].flatMap { HTTPDate.parse($0, now: now.seconds) }
    for (rules, status) in Self.rules.flatMap({ rules in Self.statuses.map { (rules, $0) } }) {
      let answer = AnswerReader(body: [], fields: fields)
      let reading = BudgetReading(answer, rules, now: date ?? now.seconds)
      let error = FetchError(
        status: status, answer: Answer(head: nil, body: .success([])), fields: fields,
        now: date ?? now.seconds)
      var budget = Budget(assumed: Policy().allowance)
      budget.spend(at: now)
      budget.learn(
        from: Fetched(
          sentAt: now, receivedAt: now, date: date, budget: reading,
          result: error.map { Result<Int, FetchError>.failure($0) } ?? .success(0)))
      // What every store has room for, and no lock of more than a day.
      let room = 0...Int(Int32.max)
      #expect(room.contains(budget.remaining) && room.contains(budget.limit ?? 0), "\(lines)")
      #expect(budget.resetAt.map { $0 <= now + .seconds(86_400) } ?? true, "\(lines)")
      _ = budget.listeningPause(feeds: .max, policy: Policy(), at: now)
    }
    var clock = UpstreamClock()
    for _ in 0..<3 {
      let read = clock.read(
        date: date, age: fields.number("Age"), sentAt: now, receivedAt: now + .seconds(1))
      #expect(read.madeAt <= now, "\(lines)")
    }
  }
}

extension String {
  fileprivate func filled(with number: String) -> String {
    split(separator: "{}", omittingEmptySubsequences: false).joined(separator: number)
  }
}
