/// A `Date` field of an upstream's answer, and when that answer was made by our clock.
package struct UpstreamDate: Hashable, Sendable {
  /// In seconds since 1970, by the upstream's clock.
  package var date: Int64
  /// Not after the request was sent.
  package var madeAt: Timestamp

  /// A date from its parts.
  package init(date: Int64, madeAt: Timestamp) {
    (self.date, self.madeAt) = (date, madeAt)
  }

  /// What those who share a source know as the latest, after an answer led from one to this one:
  /// the later, but where the upstream's clock was reset.
  package func told(over shared: UpstreamDate?, movedFrom before: UpstreamDate?) -> UpstreamDate {
    guard let shared, shared.date > date, before?.date ?? .min <= date else { return self }
    return shared
  }
}
