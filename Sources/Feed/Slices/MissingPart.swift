/// A stretch of a merged feed that is shown without one of its parts.
package struct MissingPart: Hashable, Sendable {
  /// The part's name.
  package var part: String
  /// Why.
  package var reason: Reason
  /// The newer end; nil for the top.
  package var from: Timestamp?
  /// The older end; nil where it goes on below the slice.
  package var to: Timestamp?
  /// When the part may be asked again, where that is known.
  package var retryAt: Timestamp?

  /// Why a part is missing.
  package enum Reason: String, CaseIterable, Sendable {
    /// Its upstream fails.
    case unavailable
    /// Its upstream takes no more calls now.
    case limited
    /// Its upstream did not answer in time.
    case timeout
    /// It was last looked at much longer ago than the others.
    case behind
    /// Its upstream shows no more.
    case wall
    /// Its answers were found in another order than that of their instants.
    case unordered
    /// A gap of it was passed.
    case gap
  }

  /// A missing stretch from its parts.
  package init(
    part: String, reason: Reason, from: Timestamp?, to: Timestamp?, retryAt: Timestamp? = nil
  ) {
    (self.part, self.reason, self.from) = (part, reason, from)
    (self.to, self.retryAt) = (to, retryAt)
  }
}
