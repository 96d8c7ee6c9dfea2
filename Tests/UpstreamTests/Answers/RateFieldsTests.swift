import Feed
import Freshness
import Testing

@testable import Upstream

@Suite struct RateFieldsTests {
  private let now: Int64 = 1_763_690_000

  private func reading(
    _ lines: [String], body: String = "", _ rules: Recipe.RateRules = .init()
  ) -> BudgetReading? {
    BudgetReading(AnswerReader(body: Array(body.utf8), fields: fields(lines)), rules, now: now)
  }

  private func fields(_ lines: [String]) -> FieldList {
    lines.reduce(into: FieldList()) { $0.append(line: Array($1.utf8)) }
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
    [], ["X-RateLimit-Limit: 5"], ["X-RateLimit-Remaining: x", "X-RateLimit-Limit: 1"],
    ["X-RateLimit-Limit: 5", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 5"],
    ["X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"],
    ["X-Rate-Limit-Limit: 5", "X-Rate-Limit-Interval: 1s"],
    [#"RateLimit: "a""#], ["RateLimit-Policy: 10;w=1"],
  ])
  func whatTellsOfNoCallsLeftTellsNothing(lines: [String]) {
    #expect(reading(lines) == nil)
  }

  /// A reset 100 seconds away, in every form that is sent.
  @Test(arguments: [
    "100", "100.0", "99.2", "100, 200", "1763690100", "1763690099.25", "1763690100000",
    "1763690099001", "1763690100000000", "1763690100000000000", "1m40s", "100s", "1m39.5s",
    "99001ms", "2025-11-21T01:55:00Z", "2025-11-21T01:54:59.001Z", "2025-11-21T10:55:00+09:00",
    "2025-11-21T10:55:00+0900", "2025-11-21T01:55:00", "2025-11-21 01:55:00",
    "2025-11-21 01:55:00 UTC", "2025-11-21 01:55:00 +0000", "Fri, 21 Nov 2025 01:55:00 GMT",
    "Friday, 21-Nov-25 01:55:00 GMT", "Fri Nov 21 01:55:00 2025",
  ])
  func everyFormOfAResetIsRead(reset: String) {
    #expect(WaitForm.instant(reset, now: now) == now + 100)
    #expect(
      FetchError(
        status: 429, answer: Answer(head: nil, body: .success([])),
        fields: fields(["Retry-After: \(reset)"]), now: now)
        == .rateLimited(retryAfterSeconds: 100))
  }

  /// One line a dialect: calls a period, calls left, and seconds until they are all there again.
  static let dialects: [([String], Int, Int, Int64)] = [
    // IETF drafts 3 to 6, 7, and 8 on.
    (["RateLimit-Limit: 100, 100;w=70", "RateLimit-Remaining: 9"], 100, 9, 70),
    (
      ["RateLimit-Limit: 50", "RateLimit-Remaining: 9", "RateLimit-Policy: 10;w=1, 50;w=300"],
      50, 9, 300
    ),
    (["RateLimit: limit=100, remaining=50, reset=30", "RateLimit-Policy: 100;w=60"], 100, 50, 30),
    (["RateLimit: limit=100, remaining=50", "RateLimit-Policy: 100;w=60"], 100, 50, 60),
    (
      [#"RateLimit: "default";r=50;t=30"#, #"RateLimit-Policy: "default";q=100;w=60"#], 100, 50, 30
    ),
    ([#"RateLimit: "default";r=50"#, #"RateLimit-Policy: "default";q=100;w=90"#], 100, 50, 90),
    ([#"RateLimit: "default";r=50;t=30"#], 0, 50, 30),
    // One field is missing: Zendesk, Laravel, Reddit, GitHub's count of what is used.
    (["X-Rate-Limit: 700", "X-Rate-Limit-Remaining: 699"], 700, 699, 60),
    (["X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 59"], 60, 59, 60),
    (["X-RateLimit-Remaining: 59", "X-RateLimit-Reset: 7"], 0, 59, 7),
    (
      ["X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 59", "X-RateLimit-Reset: soon"], 60, 59, 60
    ),
    (
      ["X-Ratelimit-Used: 2", "X-Ratelimit-Remaining: 598.0", "X-Ratelimit-Reset: 300"],
      600, 598, 300
    ),
    (["X-RateLimit-Limit: 60", "X-RateLimit-Used: 59", "X-RateLimit-Reset: 8"], 60, 1, 8),
    // Gateways: RapidAPI, Kong, BigCommerce, Atlassian, Discord.
    (
      [
        "X-RateLimit-Requests-Limit: 9", "X-RateLimit-Requests-Remaining: 8",
        "X-RateLimit-Requests-Reset: 700",
      ], 9, 8, 700
    ),
    (
      [
        "X-RateLimit-Limit-Minute: 20", "X-RateLimit-Remaining-Minute: 9",
        "X-RateLimit-Limit-Hour: 500", "X-RateLimit-Remaining-Hour: 3",
      ], 500, 3, 3_600
    ),
    (
      [
        "X-RateLimit-Limit-Requests: 60", "X-RateLimit-Remaining-Requests: 59",
        "X-RateLimit-Reset-Requests: 6m0s", "X-RateLimit-Limit-Tokens: 150000",
        "X-RateLimit-Remaining-Tokens: 149984",
      ], 60, 59, 360
    ),
    (["X-Rate-Limit-Requests-Quota: 150", "X-Rate-Limit-Requests-Left: 149"], 150, 149, 60),
    (
      [
        "X-RateLimit-Limit: 50", "X-RateLimit-Remaining: 49", "X-RateLimit-Interval-Seconds: 5",
      ], 50, 49, 5
    ),
    (
      [
        "X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1763690064.57",
        "X-RateLimit-Reset-After: 64.57",
      ], 5, 0, 65
    ),
    (["X-Shopify-Shop-Api-Call-Limit: 32/40"], 40, 8, 16),
  ]

  @Test(arguments: dialects)
  func everyDialectIsRead(lines: [String], limit: Int, remaining: Int, seconds: Int64) {
    #expect(
      reading(lines)
        == BudgetReading(limit: limit, remaining: remaining, resetSeconds: now + seconds))
  }

  /// Two windows, told side by side by two parts of an upstream.
  @Test func theRateThatLeavesTheFewestCallsCounts() {
    let read = reading([
      "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4999", "X-RateLimit-Reset: 9",
      "RateLimit-Limit: 10", "RateLimit-Remaining: 2", "RateLimit-Reset: 4",
      "X-Rate-Limit-Remaining: 2",
    ])
    #expect(read == BudgetReading(limit: 10, remaining: 2, resetSeconds: now + 4))
  }

  @Test(arguments: [("300.0", "12.9", "5.0"), ("300", "12", "1763690005000")])
  func configuredPlacesAreReadInEveryForm(limit: String, remaining: String, reset: String) {
    var rules = Recipe.RateRules()
    rules.limit = AnswerPlace("header:X-Max")
    rules.remaining = AnswerPlace("header:X-Left")
    rules.reset = AnswerPlace("header:X-Again")
    let read = reading(["X-Max: \(limit)", "X-Left: \(remaining)", "X-Again: \(reset)"], rules)
    #expect(read == BudgetReading(limit: 300, remaining: 12, resetSeconds: now + 5))
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
    for backoff in ["10", "10.0", #""9.5""#, "1763690010000"] {
      let body = #"{"backoff":\#(backoff),"quota_remaining":12}"#
      #expect(reading([], body: body, rules) == pause)
    }
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
