internal import Feed
import Freshness

/// What the header fields of an answer tell of the calls that are left, in every dialect that is in
/// use; names in any letter case.
///
/// - `Rate-*` (Qiita), `RateLimit-*`, `X-RateLimit-*`, `X-Rate-Limit-*`, each with `Limit`,
///   `Remaining`, `Reset` and `Used`; `X-RateLimit-Requests-*` of gateways, and
///   `X-RateLimit-*-Requests` beside such of other things.
/// - Kong's, with a period in the name: `X-RateLimit-Remaining-Minute`.
/// - `RateLimit` with `RateLimit-Policy`: `limit=100, remaining=50, reset=30`
///   (draft-ietf-httpapi-ratelimit-headers-07), `"default";r=50;t=30` (-08 and later).
struct RateDialects {
  /// One rate that a response states.
  struct Rate {
    var limit: Int64?
    var remaining: Int64
    /// When all calls are there again, in seconds since 1970.
    var reset: Int64?
    /// How long calls are counted for.
    var windowSeconds: Int64?
  }

  /// The rates.
  private(set) var rates: [Rate] = []
  private var fields: [String: String]
  private let policies: [Policy]
  private let now: Int64

  private static let prefixes = [
    "rate-", "ratelimit-", "x-ratelimit-", "x-rate-limit-", "x-ratelimit-requests-",
    "x-rate-limit-requests-",
  ]
  private static let suffixes: [(suffix: String, seconds: Int64?)] = [
    ("-requests", nil), ("-second", 1), ("-minute", 60), ("-hour", 3_600), ("-day", 86_400),
    ("-month", 2_678_400),
  ]

  /// Reads the fields; `now` is in seconds since 1970 by the answer's clock.
  init(_ fields: FieldList, now: Int64) {
    self.now = now
    self.fields = Dictionary(
      fields.texts.filter { $0.name.contains("rate") }.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
    guard !self.fields.isEmpty else {
      policies = []
      return
    }
    let items = Policy.list(fields.texts(of: "RateLimit"))
    for item in items {
      let halves = item.name.split(separator: "=", maxSplits: 1)
      if halves.count == 2, self.fields["ratelimit-\(halves[0])"] == nil {
        self.fields["ratelimit-\(halves[0])"] = String(halves[1])
      }
    }
    policies =
      Policy.list(fields.texts(of: "RateLimit-Policy"))
      + Policy.list(fields.texts(of: "RateLimit-Limit")).filter { $0.numbers["w"] != nil }
    rates = items.compactMap(rate(of:))
    rates += RateDialects.prefixes.compactMap { rate(prefix: $0) }
    rates += RateDialects.suffixes.compactMap { suffix, seconds in
      rate(prefix: "x-ratelimit-", suffix: suffix, windowSeconds: seconds)
    }
  }

  private func rate(
    prefix: String, suffix: String = "", windowSeconds: Int64? = nil
  ) -> Rate? {
    let count = { (word: String) in
      fields["\(prefix)\(word)\(suffix)"].flatMap(WaitForm.count)
    }
    let instant = { (word: String) in
      fields["\(prefix)\(word)\(suffix)"].flatMap { WaitForm.instant($0, now: now) }
    }
    let used = count("used")
    let told =
      count("limit") ?? count("quota")
      ?? fields["\(prefix.dropLast())"].flatMap(
        WaitForm.count)
    let rest = told.flatMap { told in used.map { max(0, told - $0) } }
    guard let remaining = count("remaining") ?? count("left") ?? rest else { return nil }
    // A gateway without a limit says that there are 0 of 0.
    guard told != 0 || remaining > 0 else { return nil }
    let limit = told ?? used.map(remaining.clampedAdding)
    let interval = (instant("interval") ?? instant("interval-seconds"))?.clampedSubtracting(now)
    let policy = policies.first { $0.calls == limit } ?? policies.first
    return Rate(
      limit: limit, remaining: remaining, reset: instant("reset-after") ?? instant("reset"),
      windowSeconds: windowSeconds ?? interval ?? policy?.numbers["w"])
  }

  /// A member of `RateLimit`.
  private func rate(of item: Policy) -> Rate? {
    guard let remaining = item.numbers["r"] else { return nil }
    let policy = policies.first { $0.name == item.name } ?? policies.first
    return Rate(
      limit: policy?.calls, remaining: remaining,
      reset: item.numbers["t"].map(now.clampedAdding), windowSeconds: policy?.numbers["w"])
  }

  /// A member of a list and its whole-number parameters (RFC 9651 §3.1).
  private struct Policy {
    var name: String
    var numbers: [String: Int64] = [:]

    /// `"default";q=100;w=60`, or `100;w=60` until draft 7.
    var calls: Int64? { numbers["q"] ?? WaitForm.count(name) }

    static func list(_ values: [String]) -> [Policy] {
      values.flatMap { $0.split(separator: ",") }.map { item in
        let words = item.split(separator: ";").map { $0.filter { $0 != " " } }
        var policy = Policy(name: words.first ?? "")
        for word in words.dropFirst() {
          let halves = word.split(separator: "=", maxSplits: 1)
          guard halves.count == 2, let number = WaitForm.count(String(halves[1])) else { continue }
          policy.numbers[String(halves[0])] = number
        }
        return policy
      }
    }
  }
}
