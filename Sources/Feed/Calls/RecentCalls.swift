/// The calls of the last period, counted so that no stretch of that length has more of them than
/// were counted, wherever it begins: a sliding window.
///
/// Calls are counted in slots of a fiftieth of the period, so that a period is 51 numbers to keep.
/// A slot counts until a period after its end. With a period of ten seconds a
/// call at 0.1 s counts until 10.2 s.
package struct RecentCalls: Hashable, Sendable {
  /// In how many slots a period is counted.
  static let slotsPerPeriod: Int64 = 50
  /// The most slots that are kept. Shorter ones stay for a while after the period has grown.
  static let slotsMax = 128
  /// The most calls that are counted in one slot.
  package static let countMax = 1 << 24

  fileprivate struct Slot: Hashable {
    /// When it ended: calls at this instant are not in it.
    var endsAt: Timestamp
    /// Its calls, at least 1.
    var count: Int
  }

  /// The oldest first.
  private var slots: [Slot] = []

  /// None so far.
  package init() {}

  /// The calls that count at an instant. Slots that end more than a period ahead were counted by a
  /// clock that was wrong, and do not count.
  package func count(at now: Timestamp, over period: Duration) -> Int {
    slots.reduce(0) { $0 + ($1.counts(at: now, over: period) ? $1.count : 0) }
  }

  /// When fewer calls than `limit` count; `now` where they do already.
  package func isBelow(_ limit: Int, from now: Timestamp, over period: Duration) -> Timestamp {
    var count = count(at: now, over: period)
    var instant = now
    for slot in slots where count >= limit && slot.counts(at: now, over: period) {
      count -= slot.count
      instant = slot.endsAt + period
    }
    return instant
  }

  /// When no call counts any more; nil where none does.
  package func emptyAt(from now: Timestamp, over period: Duration) -> Timestamp? {
    slots.last { $0.counts(at: now, over: period) }.map { $0.endsAt + period }
  }

  /// Counts calls that are made at an instant.
  package mutating func take(_ calls: Int = 1, at now: Timestamp, over period: Duration) {
    guard calls > 0 else { return }
    slots.removeAll { !$0.counts(at: now, over: period) }
    // A clock that was set back goes on in the last slot.
    if let last = slots.last, last.endsAt > now {
      slots[slots.count - 1].count = min(last.count + calls, RecentCalls.countMax)
      return
    }
    let end = RecentCalls.end(ofSlotAt: now, over: period)
    slots.append(Slot(endsAt: end, count: min(calls, RecentCalls.countMax)))
    guard slots.count > RecentCalls.slotsMax else { return }
    let oldest = slots.removeFirst()
    slots[0].count = min(slots[0].count + oldest.count, RecentCalls.countMax)
  }

  /// Takes one back that was counted at an instant, where its slot is still there.
  package mutating func giveBack(takenAt instant: Timestamp, over period: Duration) {
    let end = RecentCalls.end(ofSlotAt: instant, over: period)
    guard let index = slots.firstIndex(where: { $0.endsAt == end }) else { return }
    slots[index].count -= 1
    if slots[index].count == 0 { slots.remove(at: index) }
  }

  private static func end(ofSlotAt instant: Timestamp, over period: Duration) -> Timestamp {
    let length = max(1, period.inMilliseconds / slotsPerPeriod)
    let into = (instant.milliseconds % length + length) % length
    return Timestamp(milliseconds: instant.milliseconds - into + length)
  }
}

extension RecentCalls.Slot {
  fileprivate func counts(at now: Timestamp, over period: Duration) -> Bool {
    endsAt + period > now && endsAt - period - period <= now
  }
}

extension RecentCalls {
  /// As text to be kept: each slot's end in milliseconds since 1970 and its calls,
  /// `1800000000200:3 1800000000400:1`.
  package var text: String {
    slots.map { "\($0.endsAt.milliseconds):\($0.count)" }.joined(separator: " ")
  }

  /// As they were kept; a part that is not of that form is left out.
  package init(text: String) {
    slots = text.split(separator: " ").suffix(RecentCalls.slotsMax).compactMap { part in
      let numbers = part.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
      guard numbers.count == 2, let end = numbers[0], let count = numbers[1],
        (0...1 << 50).contains(end), (1...Int64(RecentCalls.countMax)).contains(count)
      else { return nil }
      return Slot(endsAt: Timestamp(milliseconds: end), count: Int(count))
    }
  }
}

/// Asked before an opening or a forced look is made for a client: nil when it may be made, and is
/// counted then; else how long the client has to wait.
package typealias OpeningPermit = @Sendable () -> Duration?
