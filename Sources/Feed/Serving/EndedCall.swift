/// An upstream call that ended, well or not.
package struct EndedCall: Sendable {
  /// Its path at the upstream, without what follows a `?`.
  package var path: String
  /// What was asked for; nil for a single item.
  package var window: Window?
  /// What it was for.
  package var purpose: Purpose
  /// What is left of the limit it counted in.
  package var budget: Budget
  /// Why it brought nothing; nil where it did.
  package var failure: FetchError?
  /// When it was sent.
  package var sentAt: Timestamp
  /// When its answer was whole, or failed.
  package var receivedAt: Timestamp
  /// Elements of the answer; nil without one.
  package var count: Int?

  /// A call from its parts.
  package init(
    path: String, window: Window?, purpose: Purpose, budget: Budget, failure: FetchError?,
    sentAt: Timestamp, receivedAt: Timestamp, count: Int?
  ) {
    (self.path, self.window, self.purpose, self.budget) = (path, window, purpose, budget)
    (self.failure, self.sentAt) = (failure, sentAt)
    (self.receivedAt, self.count) = (receivedAt, count)
  }
}
