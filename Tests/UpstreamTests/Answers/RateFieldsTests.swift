import Feed
import Testing

@testable import Upstream

@Suite struct RateFieldsTests {
  private let now: Int64 = 1_763_690_000

  private func reading(
    _ lines: [String], body: String = "", _ rules: Recipe.RateRules = .init()
  ) -> BudgetReading? {
    var fields = HeaderFields()
    for line in lines { fields.append(line: Array(line.utf8)) }
    return BudgetReading(AnswerReader(body: Array(body.utf8), fields: fields), rules, now: now)
  }

  @Test(arguments: ["Rate-", "RateLimit-", "X-RateLimit-", "X-Rate-Limit-", "x-ratelimit-"])
  func everyFamilyIsRead(family: String) {
    for (reset, seconds) in [
      ("1763690100", 1_763_690_100 as Int64), ("100", 1_763_690_100), ("99.5", 1_763_690_100),
      ("2025-11-21T01:55:00Z", 1_763_690_100), ("Fri, 21 Nov 2025 01:55:00 GMT", 1_763_690_100),
    ] {
      let read = reading([
        "\(family)Limit: 5000", "\(family)Remaining: 4999", "\(family)Reset: \(reset)",
      ])
      #expect(
        read == BudgetReading(limit: 5_000, remaining: 4_999, resetSeconds: seconds), "\(reset)")
    }
  }

  @Test func theListFormIsRead() {
    let read = reading([
      #"RateLimit-Policy: "burst";q=100;w=60,"daily";q=1000;w=86400"#,
      #"RateLimit: "burst";r=50;t=30,"daily";r=7;t=4000"#,
    ])
    #expect(read == BudgetReading(limit: 1_000, remaining: 7, resetSeconds: now + 4_000))
  }

  @Test(arguments: [
    [], ["X-RateLimit-Limit: 5"], ["X-RateLimit-Limit: x", "X-RateLimit-Remaining: 1"],
    ["X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 1", "X-RateLimit-Reset: soon"],
    ["X-RateLimit-Limit: 5", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 5"],
    [#"RateLimit: "a""#],
  ])
  func whatIsNotWholeTellsNothing(lines: [String]) {
    #expect(reading(lines) == nil)
  }

  @Test func placesInTheBodyAreRead() {
    var rules = Recipe.RateRules()
    rules.limit = AnswerPlace("quota_max")
    rules.remaining = AnswerPlace("quota_remaining")
    rules.seconds = 86_400
    let body = #"{"quota_max":300,"quota_remaining":12}"#
    #expect(
      reading([], body: body, rules)
        == BudgetReading(limit: 300, remaining: 12, resetSeconds: now + 86_400))
    rules.pause = AnswerPlace("backoff")
    var pause = BudgetReading(limit: 0, remaining: 0, resetSeconds: now + 10)
    pause.isPause = true
    #expect(reading([], body: #"{"backoff":10,"quota_remaining":12}"#, rules) == pause)
  }

  @Test func aBucketThatLeaksIsRead() {
    var rules = Recipe.RateRules()
    (rules.calls, rules.seconds, rules.used) = (2, 1, AnswerPlace("header:X-Used"))
    #expect(
      reading(["X-Used: 32/40"], rules)
        == BudgetReading(limit: 40, remaining: 8, resetSeconds: now + 16))
  }
}

extension RateFieldsTests {
  private func reading(_ lines: [String], _ rules: Recipe.RateRules) -> BudgetReading? {
    reading(lines, body: "", rules)
  }
}
