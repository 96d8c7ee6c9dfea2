/// The first calls for feeds not yet stored, seeks, and calls for items that are not there, of the
/// last hour: strangers' random names must not spend the budget that known feeds live on. Trying
/// again what failed is no first call, and one that did not reach the upstream is no call.
///
/// They are counted by the minute, so that an hour is 61 numbers to keep: an opening counts for an
/// hour and what is left of its minute.
package struct Openings: Hashable, Sendable {
  /// How long an opening counts, from the end of its minute on.
  package static let duration = Duration.seconds(3_600)
  /// The most openings an hour has.
  package static let countMax = 1 << 14

  /// Those of one minute.
  private struct Minute: Hashable {
    /// Minutes since 1970.
    var number: Int64
    var count: Int

    /// When they no longer count.
    var endsAt: Timestamp {
      Timestamp(milliseconds: (number + 1) * 60_000) + Openings.duration
    }
  }

  /// The oldest first.
  private var minutes: [Minute] = []

  /// None so far.
  package init() {}

  /// Whether one more may be made at `now`, beside those that are queued: with 500 thousandths of
  /// 60 calls, 30 an hour.
  package func bears(
    of limit: Int, permille: Int, beside queued: Int = 0, at now: Timestamp
  ) -> Bool {
    let count = minutes.reduce(queued) { $0 + ($1.endsAt > now ? $1.count : 0) }
    return count < min(limit * permille / 1000, Openings.countMax)
  }

  /// Notes one that is made at `now`.
  package mutating func take(at now: Timestamp) {
    minutes.removeAll { $0.endsAt <= now }
    let number = Openings.minute(of: now)
    if minutes.last?.number == number {
      minutes[minutes.count - 1].count += 1
    } else {
      minutes.append(Minute(number: number, count: 1))
    }
  }

  /// Gives back one that was taken at an instant.
  package mutating func giveBack(takenAt instant: Timestamp) {
    let number = Openings.minute(of: instant)
    guard let index = minutes.firstIndex(where: { $0.number == number }) else { return }
    minutes[index].count -= 1
    if minutes[index].count == 0 { minutes.remove(at: index) }
  }

  private static func minute(of instant: Timestamp) -> Int64 { instant.milliseconds / 60_000 }

  /// When the oldest one that counts at `now` no longer does; nil when there is none.
  package func oldestEndsAt(at now: Timestamp) -> Timestamp? {
    minutes.first { $0.endsAt > now }?.endsAt
  }

  /// As text to be kept: each minute and its count, `30000000:3 30000001:1`.
  package var text: String {
    minutes.map { "\($0.number):\($0.count)" }.joined(separator: " ")
  }

  /// As they were kept; a part that is not of that form is passed over.
  package init(text: String) {
    minutes = text.split(separator: " ").compactMap { part in
      let numbers = part.split(separator: ":").map { Int64($0) }
      guard numbers.count == 2, let number = numbers[0], let count = numbers[1],
        (0...1 << 40).contains(number), (1...Int64(Openings.countMax)).contains(count)
      else { return nil }
      return Minute(number: number, count: Int(count))
    }
  }
}

/// Asked before an opening is made on somebody's behalf, by whoever knows who that is: nil when it
/// may be made, and is counted then; else how long that somebody has to wait.
package typealias OpeningPermit = @Sendable () -> Duration?
