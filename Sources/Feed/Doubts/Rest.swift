/// A backoff: how long something is left alone that fails or brings nothing, each time in a row for
/// twice as long, up to a maximum.
package struct Rest: Hashable, Sendable {
  let min: Duration
  let max: Duration

  /// Of a place, or of what lies further down of a feed, where answers bring nothing: 30 s, 60 s,
  /// 2 min … 1 h, 1 h.
  static let place = Rest(min: .seconds(30), max: .seconds(3_600))

  /// From the first time to the longest.
  package init(min: Duration, max: Duration) { (self.min, self.max) = (min, max) }

  /// How long it is the `time`-th time in a row, from 1 on.
  package func duration(_ time: Int) -> Duration {
    Swift.min(min * (1 << Swift.min(Swift.max(time, 1) - 1, 10)), max)
  }
}
