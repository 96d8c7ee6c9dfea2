/// An upstream call for something that is in no feed, which goes by the budget of a source like any
/// other.
package struct Errand: Sendable {
  /// What it asks for, by its path and query at the upstream: after a failure that is left alone
  /// for a while.
  package var target: String
  /// Whether it is made for one client's sake, so that it counts as an opening: nothing is stored
  /// that answers it, or the client wants it fetched again.
  package var isOpening: Bool
  /// Makes the call. What it brings is kept by the caller; here only the time, the budget and
  /// whether an answer came are looked at.
  package var run: @Sendable () async -> Fetched<Void>

  /// An errand from its parts.
  package init(
    target: String, isOpening: Bool, run: @escaping @Sendable () async -> Fetched<Void>
  ) {
    (self.target, self.isOpening, self.run) = (target, isOpening, run)
  }
}
