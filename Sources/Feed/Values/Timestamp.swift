/// An instant as milliseconds since 1970-01-01T00:00:00Z, on this machine's clock.
///
/// Integers only: an instant never passes through a floating-point number.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970; negative before.
  package var milliseconds: Int64

  /// An instant from milliseconds since 1970.
  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// An instant from whole seconds since 1970.
  package init(seconds: Int64) {
    milliseconds = seconds * 1000
  }

  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64 {
    milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.milliseconds < b.milliseconds
  }

  /// The instant `duration` later; below a millisecond it is cut off.
  package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(milliseconds: instant.milliseconds + duration.inMilliseconds)
  }

  /// The instant `duration` earlier; below a millisecond it is cut off.
  package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(milliseconds: instant.milliseconds - duration.inMilliseconds)
  }

  /// How long after `earlier` this instant is; negative when it is before.
  package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
    .milliseconds(later.milliseconds - earlier.milliseconds)
  }
}

extension Duration {
  /// How long something rests the `time`-th time in a row, from 1 on: this long at first, doubled
  /// for each further one, up to `longest`.
  func doubled(for time: Int, upTo longest: Duration) -> Duration {
    min(self * (1 << min(time - 1, 10)), longest)
  }

  /// Whole milliseconds, the rest cut off.
  package var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
