import Bytes
internal import Feed

extension BudgetReading {
  /// What an answer tells of the calls that are left: at the places that the recipe names, else in
  /// the fields of any family that is in use, names in any letter case.
  ///
  /// `Rate-*` (Qiita), `RateLimit-*`, `X-RateLimit-*`, `X-Rate-Limit-*`, and `RateLimit` with
  /// `RateLimit-Policy` as a list of items (draft-ietf-httpapi-ratelimit-headers-10). The reset is
  /// told by its form: a date, seconds since 1970 where it is beyond 10⁹, else seconds left.
  ///
  /// Nil unless all that is needed is there; `now` is in seconds since 1970 by the answer's clock.
  init?(_ answer: AnswerReader, _ rules: Recipe.RateRules, now: Int64) {
    if let pause = rules.pause.flatMap(answer.count), pause > 0 {
      self.init(limit: 0, remaining: 0, resetSeconds: now + Int64(pause))
      isPause = true
      return
    }
    if let used = rules.used.flatMap(answer.text), let reading = BudgetReading(used, rules, now) {
      self = reading
      return
    }
    let families = BudgetReading.families.lazy
      .compactMap { BudgetReading(family: $0, answer.fields, now) }
    guard rules.limit != nil || rules.remaining != nil || rules.reset != nil else {
      guard let reading = families.first ?? BudgetReading(list: answer.fields, now) else {
        return nil
      }
      self = reading
      return
    }
    guard let remaining = rules.remaining.flatMap(answer.count) else { return nil }
    let reset = rules.reset.flatMap(answer.text).flatMap { BudgetReading.reset($0, now) }
    let limit = rules.limit.flatMap(answer.count) ?? rules.calls ?? 0
    self.init(
      limit: limit, remaining: remaining,
      resetSeconds: reset ?? now + Int64(rules.seconds ?? 3_600))
  }

  private static let families = ["Rate-", "RateLimit-", "X-RateLimit-", "X-Rate-Limit-"]

  private init?(family: String, _ fields: HeaderFields, _ now: Int64) {
    guard let limit = fields["\(family)Limit"].flatMap(BudgetReading.leading),
      let remaining = fields["\(family)Remaining"].flatMap(BudgetReading.leading),
      let reset = fields["\(family)Reset"].flatMap({ BudgetReading.reset($0, now) })
    else { return nil }
    self.init(limit: Int(limit), remaining: Int(remaining), resetSeconds: reset)
  }

  /// `RateLimit: "default";r=50;t=30` and `RateLimit-Policy: "default";q=100;w=60`. Of several
  /// policies the one that leaves the fewest calls counts.
  private init?(list fields: HeaderFields, _ now: Int64) {
    let items = fields.values(of: "RateLimit").flatMap { $0.split(separator: ",") }
      .map(BudgetReading.parameters)
    let policies = fields.values(of: "RateLimit-Policy").flatMap { $0.split(separator: ",") }
      .map(BudgetReading.parameters)
    let least = items.filter { $0.numbers["r"] != nil }
      .min { $0.numbers["r"] ?? 0 < $1.numbers["r"] ?? 0 }
    guard let least, let remaining = least.numbers["r"] else { return nil }
    let policy = policies.first { $0.name == least.name } ?? policies.first
    guard let seconds = least.numbers["t"] ?? policy?.numbers["w"] else { return nil }
    let limit = policy?.numbers["q"] ?? max(remaining, 1)
    self.init(limit: Int(limit), remaining: Int(remaining), resetSeconds: now + seconds)
  }

  /// `32/40`: so many of so many are used, and come back evenly as the rules say.
  private init?(_ used: String, _ rules: Recipe.RateRules, _ now: Int64) {
    let halves = used.split(separator: "/").compactMap { BudgetReading.leading(String($0)) }
    guard halves.count == 2, halves[1] > 0 else { return nil }
    let (used, limit) = (halves[0], halves[1])
    let calls = Int64(max(1, rules.calls ?? 1))
    let all = used.clampedMultiplied(by: Int64(rules.seconds ?? 1))
    let seconds = all.clampedAdding(calls - 1) / calls
    self.init(
      limit: Int(limit), remaining: Int(max(0, limit - used)),
      resetSeconds: now.clampedAdding(max(1, seconds)))
  }

  /// A member of a list and its whole-number parameters (RFC 9651 §3.1).
  private static func parameters(_ item: Substring) -> (name: String, numbers: [String: Int64]) {
    let words = item.split(separator: ";").map { $0.filter { $0 != " " } }
    let numbers = words.dropFirst().compactMap { word -> (String, Int64)? in
      let halves = word.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, let number = leading(String(halves[1])) else { return nil }
      return (String(halves[0]), number)
    }
    return (words.first ?? "", Dictionary(numbers, uniquingKeysWith: { first, _ in first }))
  }

  /// The whole number that a field begins with: `100, 100;w=60` is 100, and `99.5` is 99.
  private static func leading(_ value: String) -> Int64? {
    let digits = value.utf8.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    let rest = value.utf8.dropFirst(digits.count).first
    guard (1...HeaderFields.digitsMax).contains(digits.count),
      rest.map({ ",.; ".utf8.contains($0) }) ?? true
    else { return nil }
    return Int64(String(decoding: Array(digits), as: UTF8.self))
  }

  /// When a reset is, in seconds since 1970.
  private static func reset(_ value: String, _ now: Int64) -> Int64? {
    if let number = leading(value) {
      // A fraction of a second is waited for whole.
      let isCut = value.utf8.contains(UInt8(ascii: "."))
      return number > 1_000_000_000 ? number : now + number + (isCut ? 1 : 0)
    }
    return HTTPDate.parse(value, now: now) ?? RFC3339.parseTimestamp(Array(value.utf8))
      ?? RFC3339.parseMilliseconds(Array(value.utf8), isUTC: true).map { $0 / 1_000 }
  }
}
