package import Feed
package import Freshness

extension BudgetReading {
  /// What the fields of an answer tell of the calls that are left, of any family that is in use;
  /// `now` is in seconds since 1970 by the answer's clock.
  package init?(fields: FieldList, now: Int64) {
    self.init(AnswerReader(body: [], fields: fields), Recipe.RateRules(), now: now)
  }

  /// What a response says of the calls that are left: at the places that the recipe names, else in
  /// the fields of any dialect that ``RateDialects`` knows.
  ///
  /// The calls left are enough: a limit that is not stated is unknown, and a reset that is not
  /// stated, or not understood, is a period of the declared rate away. The reset is read by its
  /// form, see ``WaitForm``.
  ///
  /// Nil where no calls left are stated; `now` is in seconds since 1970 by the answer's clock.
  init?(_ answer: AnswerReader, _ rules: Recipe.RateRules, now: Int64) {
    if let instant = rules.pause.flatMap(answer.text).flatMap({ WaitForm.instant($0, now: now) }),
      instant > now
    {
      self.init(limit: 0, remaining: 0, resetSeconds: instant)
      isPause = true
      return
    }
    if let used = rules.used.flatMap(answer.text), let reading = BudgetReading(used, rules, now) {
      self = reading
      return
    }
    guard rules.limit != nil || rules.remaining != nil || rules.reset != nil else {
      guard let reading = BudgetReading(dialects: answer.fields, rules, now) else { return nil }
      self = reading
      return
    }
    let count = { (place: AnswerPlace?) in place.flatMap(answer.text).flatMap(WaitForm.count) }
    guard let remaining = count(rules.remaining) else { return nil }
    let reset = rules.reset.flatMap(answer.text).flatMap { WaitForm.instant($0, now: now) }
    self.init(
      calls: count(rules.limit) ?? rules.calls.map(Int64.init) ?? 0, remaining,
      reset ?? now.clampedAdding(rules.periodSeconds))
  }

  /// Of all that is stated the fewest calls left count; of equally many the stated reset.
  private init?(dialects fields: FieldList, _ rules: Recipe.RateRules, _ now: Int64) {
    let shopify = "X-Shopify-Shop-Api-Call-Limit"
    if let used = fields[shopify], let reading = BudgetReading(used, rules.leaking, now) {
      self = reading
      return
    }
    let least = RateDialects(fields, now: now).rates.min { one, other in
      let isTold = (one.reset != nil, other.reset != nil)
      guard one.remaining == other.remaining, isTold.0 == isTold.1 else {
        return (one.remaining, isTold.0 ? 0 : 1) < (other.remaining, isTold.1 ? 0 : 1)
      }
      return one.reset ?? 0 > other.reset ?? 0
    }
    guard let least else { return nil }
    let window = least.windowSeconds ?? rules.periodSeconds
    self.init(calls: least.limit ?? 0, least.remaining, least.reset ?? now.clampedAdding(window))
  }

  /// `32/40`: so many of so many are used, and come back evenly as the rules say.
  private init?(_ used: String, _ rules: Recipe.RateRules, _ now: Int64) {
    let halves = used.split(separator: "/").compactMap { WaitForm.count(String($0)) }
    guard halves.count == 2, halves[1] > 0 else { return nil }
    let (used, limit) = (halves[0], halves[1])
    let calls = Int64(max(1, rules.calls ?? 1))
    let all = used.clampedMultiplied(by: Int64(rules.seconds ?? 1))
    let seconds = all.clampedAdding(calls - 1) / calls
    self.init(calls: limit, max(0, limit - used), now.clampedAdding(max(1, seconds)))
  }

  private init(calls limit: Int64, _ remaining: Int64, _ reset: Int64) {
    self.init(limit: Int(limit), remaining: Int(remaining), resetSeconds: reset)
  }
}

extension Recipe.RateRules {
  /// How long calls are counted for where an answer does not tell.
  fileprivate var periodSeconds: Int64 {
    seconds.map(Int64.init) ?? allowance.period.components.seconds
  }

  /// Shopify's bucket leaks two calls a second, where no other rate is declared.
  fileprivate var leaking: Recipe.RateRules {
    var rules = self
    if calls == nil { (rules.calls, rules.seconds) = (2, 1) }
    return rules
  }
}
