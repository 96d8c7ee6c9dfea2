import Feed
import Synchronization

/// When a feed was last read, to the second; noted on any thread, without a lock.
///
/// It is noted where a slice is read. One that is given again out of a loop's memory is not noted:
/// it is kept at most until it is no longer fresh, so a feed's mark is never older than the last
/// reading by more than the source's `freshSeconds`, and noting costs the fastest path nothing.
final class ReadMark: Sendable {
  private let seconds = Atomic<Int64>(.min)

  /// Notes a reading. Loops that read the same feed write no more than once a second, so that they
  /// do not take the line of memory from one another.
  func note(_ now: Timestamp) {
    guard seconds.load(ordering: .relaxed) < now.seconds else { return }
    seconds.store(now.seconds, ordering: .relaxed)
  }

  /// When it was last read; nil when it was not.
  var readAt: Timestamp? {
    let seconds = seconds.load(ordering: .relaxed)
    return seconds == .min ? nil : Timestamp(seconds: seconds)
  }
}
