package import Bytes

/// An instant as milliseconds since 1970-01-01T00:00:00Z, on this machine's clock.
///
/// Integers only: an instant never passes through a floating-point number. Its arithmetic ends at
/// the first and the last instant there is, some 292 million years from 1970: parts of it come from
/// upstreams and files.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970; negative before.
  package var milliseconds: Int64

  /// An instant from milliseconds since 1970.
  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// An instant from whole seconds since 1970.
  package init(seconds: Int64) {
    milliseconds = seconds.clampedMultiplied(by: 1000)
  }

  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64 {
    milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.milliseconds < b.milliseconds
  }

  /// The instant `duration` later; below a millisecond it is cut off.
  package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(milliseconds: instant.milliseconds.clampedAdding(duration.inMilliseconds))
  }

  /// The instant `duration` earlier; below a millisecond it is cut off.
  package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
    Timestamp(milliseconds: instant.milliseconds.clampedSubtracting(duration.inMilliseconds))
  }

  /// How long after `earlier` this instant is; negative when it is before.
  package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
    .milliseconds(later.milliseconds.clampedSubtracting(earlier.milliseconds))
  }
}

extension Duration {
  /// Whole milliseconds, the rest cut off.
  package var inMilliseconds: Int64 {
    components.seconds.clampedMultiplied(by: 1000)
      .clampedAdding(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension RFC3339 {
  /// The text of an instant in UTC, whole seconds: `2026-11-21T00:00:00Z`.
  package static func text(_ instant: Timestamp) -> String { text(seconds: instant.seconds) }

  /// The same, with milliseconds where there are some: `2026-11-21T00:00:00.250Z`.
  package static func exactText(_ instant: Timestamp) -> String {
    var text = ""
    withExactText(instant) { text = String(decoding: $0, as: UTF8.self) }
    return text
  }

  /// Gives the bytes of what ``exactText(_:)`` gives to `body`.
  package static func withExactText(
    _ instant: Timestamp, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let seconds = instant.seconds
    let thousandths = instant.milliseconds &- seconds &* 1000
    withText(seconds: seconds, thousandths: thousandths, body)
  }

  /// Gives the bytes of an instant's text to `body`.
  package static func withText(_ instant: Timestamp, _ body: (UnsafeRawBufferPointer) -> Void) {
    withText(seconds: instant.seconds, body)
  }
}
