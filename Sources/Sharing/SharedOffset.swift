import Feed

/// How far the clock of a shared store is ahead of this server's, by measurements.
///
/// It is the median of the last measurements. A measurement that differs from it by more than a
/// minute is a leap: the clock of a machine that was set wrong for a moment shows one. A leap is
/// believed after ten in a row, which is after ten seconds.
///
/// Measured `1 s, 2 s, 9 s` it is 2 s; then `30 years` nine times, still 2 s; a tenth time, it is
/// 30 years.
struct SharedOffset: Equatable {
  /// How far it is ahead; nothing before the first measurement.
  private(set) var ahead = Duration.zero
  private var near: [Duration] = []
  private var leaps: [Duration] = []

  /// How far a measurement may be from what is believed without being a leap.
  static let leapMin = Duration.seconds(60)
  /// How many measurements the median is taken of, and how many leaps in a row are believed.
  static let measuredMax = 10

  /// Takes a measurement.
  mutating func note(_ measured: Duration) {
    let distance = measured > ahead ? measured - ahead : ahead - measured
    guard !near.isEmpty, distance > SharedOffset.leapMin else {
      return believe((near + [measured]).suffix(SharedOffset.measuredMax))
    }
    leaps.append(measured)
    if leaps.count == SharedOffset.measuredMax { believe(leaps[...]) }
  }

  private mutating func believe(_ measured: ArraySlice<Duration>) {
    near = Array(measured)
    leaps = []
    ahead = measured.sorted()[measured.count / 2]
  }
}
