internal import Feed

extension BudgetReading {
  /// What an answer's rate fields say, in any letter case; nil unless all three are there.
  init?(_ fields: HeaderFields) {
    guard let limit = fields.number("Rate-Limit"),
      let remaining = fields.number("Rate-Remaining"),
      let reset = fields.number("Rate-Reset")
    else { return nil }
    self.init(limit: Int(limit), remaining: Int(remaining), resetSeconds: reset)
  }
}
