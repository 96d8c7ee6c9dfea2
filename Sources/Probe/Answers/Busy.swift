private import Bytes
internal import Feed
internal import Upstream

/// Why an API refuses a call for now: too many calls were made. That says nothing of the list.
package struct Busy: Hashable, Sendable, CustomStringConvertible {
  /// The answer's status.
  let status: Int
  /// How long the answer asks to wait; nil where it does not tell, or is a day or more.
  let waitSeconds: Int?

  /// Nil where an answer refuses nothing for that reason.
  init?(_ reply: Reply) {
    guard [429, 503, 403].contains(reply.status) else { return nil }
    let now = reply.fields["Date"].flatMap { HTTPDate.parse($0, now: 0) } ?? 0
    let budget = BudgetReading(fields: reply.fields, now: now)
    let reset = budget.flatMap { budget in
      budget.remaining == 0 ? Int(budget.resetSeconds.clampedSubtracting(now)) : nil
    }
    let wait = reply.fields.retryAfterSeconds(now: now) ?? reset
    // Who asks is refused by this, unless the answer says for how long.
    guard reply.status != 403 || wait != nil else { return nil }
    status = reply.status
    waitSeconds = wait.flatMap { (0..<86_400).contains($0) ? $0 : nil }
  }

  /// `the API refuses calls for now (429): try again in 30 seconds`
  package var description: String {
    let wait = waitSeconds.map { "in \($0) seconds" } ?? "later"
    return "the API refuses calls for now (\(status)): try again \(wait)"
  }
}
