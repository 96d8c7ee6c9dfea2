import Feed
import Glibc
import Synchronization

/// The machine's wall clock, but for its falls: it goes on as time passes, and jumps ahead with the
/// wall clock, never back.
///
/// It adds to the time since the machine started the most that the wall clock was ever ahead of
/// that. Set back by an hour, the wall clock is caught up with in an hour of real time at the
/// latest; until then nothing that waits for an instant waits an hour longer.
///
/// A leap of more than a day is believed once it has stood for a minute: a machine that wakes up
/// may have a wrong clock for seconds, and what was noted by it would stay.
final class SteadyClock: Sendable {
  /// The last instant that is believed, the end of 2199: no clock stands there, and there is time
  /// left to go on from.
  static let last = Timestamp(seconds: 7_258_118_399)

  private let aheadNanoseconds: Atomic<Int64>
  /// When the wall clock leapt further than is believed, in nanoseconds since the machine started;
  /// 0 where it did not.
  private let leaptAt = Atomic<Int64>(0)
  private let wall: @Sendable () -> Int64
  private let uptime: @Sendable () -> Int64

  /// A clock over two others, each in nanoseconds: one that may be set, and one that only goes on.
  init(wall: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Int64) {
    self.wall = wall
    self.uptime = uptime
    aheadNanoseconds = Atomic(wall() - uptime())
  }

  /// The one of this machine.
  static let system = SteadyClock(
    wall: { nanoseconds(CLOCK_REALTIME) }, uptime: { nanoseconds(CLOCK_BOOTTIME) })

  /// The present instant. Two clocks are read, without entering the kernel.
  var now: Timestamp {
    // The wall clock first: whatever happens between the two makes it seem less far ahead.
    let wall = wall()
    let uptime = uptime()
    var ahead = aheadNanoseconds.load(ordering: .relaxed)
    let leap = wall - uptime - ahead
    // Asked also where there is none: that a leap has passed is noted.
    if believes(leap: leap, at: uptime), leap > 0 {
      ahead = aheadNanoseconds.max(wall - uptime, ordering: .relaxed).newValue
    }
    return Timestamp(milliseconds: (uptime + ahead) / 1_000_000)
  }

  /// Whether the wall clock may be followed ahead by so many nanoseconds.
  private func believes(leap: Int64, at uptime: Int64) -> Bool {
    let isLeap = leap / 1_000_000 > SteadyClock.reachMillisecondsMax
    let began = leaptAt.load(ordering: .relaxed)
    if isLeap, began > 0 { return uptime - began >= SteadyClock.leapNanosecondsMin }
    if isLeap != (began > 0) { leaptAt.store(isLeap ? max(1, uptime) : 0, ordering: .relaxed) }
    return !isLeap
  }

  /// How far it is ahead of the wall clock.
  var lead: Duration {
    let wall = wall()
    return .nanoseconds(max(0, uptime() + aheadNanoseconds.load(ordering: .relaxed) - wall))
  }

  /// The furthest ahead of the wall clock that an instant is reached, in milliseconds: one day.
  /// What lies further was noted by a clock that had slipped.
  static let reachMillisecondsMax: Int64 = 86_400_000

  /// How long a leap of more than a day has to stand: one minute, in nanoseconds.
  static let leapNanosecondsMin: Int64 = 60_000_000_000

  /// Gives no instant before this one from now on, unless it is too far ahead of the wall clock.
  func reach(_ instant: Timestamp) {
    guard instant.milliseconds >= 0, instant <= SteadyClock.last,
      instant.milliseconds - wall() / 1_000_000 <= SteadyClock.reachMillisecondsMax
    else { return }
    _ = aheadNanoseconds.max(instant.milliseconds * 1_000_000 - uptime(), ordering: .relaxed)
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    // What a clock shows is no number to trust: the nanoseconds of year 2300 are none.
    let seconds = min(max(0, Int64(time.tv_sec)), SteadyClock.last.seconds)
    return seconds * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
