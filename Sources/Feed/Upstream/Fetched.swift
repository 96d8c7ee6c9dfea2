/// What an upstream call brought, good or not, with what its head said.
package struct Fetched<Value: Sendable>: Sendable {
  /// When the request was sent: evidence is ordered by this.
  package var sentAt: Timestamp
  /// When its answer was whole, or failed.
  package var receivedAt: Timestamp
  /// The answer's `Date` in whole seconds since 1970, by the upstream's clock.
  package var date: Int64?
  /// The answer's `Age` in seconds: how long it lay in caches.
  package var age: Int64?
  /// Redirects that were followed on the way: calls that it took besides the first.
  package var redirects: Int
  /// Where redirects led: a path below the source's base, or a URL without its query; nil where
  /// there were none.
  package var movedTo: String?
  /// What the rate headers said, also on errors.
  package var budget: BudgetReading?
  /// What was asked for, or why it is not there.
  package var result: Result<Value, FetchError>

  /// An answer from its parts.
  package init(
    sentAt: Timestamp, receivedAt: Timestamp, date: Int64?, age: Int64? = nil,
    redirects: Int = 0, budget: BudgetReading?, result: Result<Value, FetchError>
  ) {
    self.redirects = redirects
    self.sentAt = sentAt
    self.receivedAt = receivedAt
    self.date = date
    self.age = age
    self.budget = budget
    self.result = result
  }
}

extension Fetched {
  /// Whether the call did not reach the upstream.
  var isUnreached: Bool {
    if case .failure(.unreachable) = result { true } else { false }
  }
}

/// The rate headers of one answer, by the upstream's clock.
package struct BudgetReading: Hashable, Sendable {
  /// `Rate-Limit`: calls an hour.
  package var limit: Int
  /// `Rate-Remaining`: calls left until the reset.
  package var remaining: Int
  /// `Rate-Reset`: seconds since 1970, measured by the answer's own `Date`.
  package var resetSeconds: Int64
  /// Whether it only asks not to be called until the reset, and says nothing of how many calls
  /// there are.
  package var isPause = false

  /// The most calls that are believed: what every store has room for.
  private static let callsMax = Int(StoredInteger.countMax)

  /// A reading from its parts; calls are 0 to 2³¹ − 1.
  package init(limit: Int, remaining: Int, resetSeconds: Int64) {
    self.limit = min(max(0, limit), BudgetReading.callsMax)
    self.remaining = min(max(0, remaining), BudgetReading.callsMax)
    self.resetSeconds = resetSeconds
  }
}
