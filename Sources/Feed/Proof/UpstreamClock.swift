/// What the `Date` and `Age` fields of one source's answers say of when these were made (RFC 9110
/// §6.6.1, RFC 9111 §4.2.3): an answer out of a cache, or of a server that lags behind another, is
/// as old as it says, and proves nothing later.
///
/// The upstream's clock may be off by any amount, and ours may step. So dates are compared with
/// each other only: an answer with an earlier `Date` than one that came before it is that much
/// older.
package struct UpstreamClock: Sendable {
  /// A `Date` further back is no copy's: the upstream's clock was set back, and starts over.
  static let lagSecondsMax: Int64 = 3_600

  /// What the answers claim of the clock and is not believed yet.
  private var doubts = Doubts()
  /// The latest `Date` that was believed.
  package private(set) var latest: UpstreamDate?
  /// The newest time seen in an element, and when its answer came: the upstream's clock stood there
  /// then, or later.
  private var newest: (second: Int64, receivedAt: Timestamp)?

  /// A clock of which nothing is known.
  package init() {}

  /// Takes the latest `Date` that others got, where it is later.
  package mutating func adopt(_ other: UpstreamDate?) {
    guard let other, latest.map({ $0.date < other.date }) ?? true else { return }
    latest = other
  }

  /// What an answer's fields mean.
  package struct Reading: Hashable, Sendable {
    /// When what the answer shows was so, by our clock: not after the request was sent.
    package var madeAt: Timestamp
    /// The upstream's clock when the answer was made, in seconds since 1970; nil where it is not
    /// given, or not to be trusted.
    package var clock: Int64?
  }

  /// Reads an answer's `Date`, in seconds since 1970, and its `Age` in seconds. `newest` is the
  /// newest time of an element of the answer: a `Date` before that is none.
  package mutating func read(
    date: Int64?, age: Int64?, newest: Int64? = nil, sentAt: Timestamp, receivedAt: Timestamp
  ) -> Reading {
    let told = sentAt - .seconds(min(max(0, age ?? 0), UpstreamClock.lagSecondsMax))
    guard let date else { return Reading(madeAt: told, clock: nil) }
    let isBehindItself = newest.map { date < $0.clampedSubtracting(Evidence.aheadSecondsMax) }
    if isFrozen(date, newest, at: receivedAt) || isBehindItself == true || leapsAhead(date, told) {
      return Reading(madeAt: told, clock: nil)
    }
    if let latest, date == latest.date {
      // A copy of what was made then, or made in the same second.
      return Reading(madeAt: min(told, latest.madeAt + .seconds(1)), clock: date)
    }
    guard let latest, date < latest.date,
      latest.date.clampedSubtracting(date) <= UpstreamClock.lagSecondsMax,
      doubts.hear(.clockLag, at: told) != .believed
    else {
      doubts.clear(.clockLag)
      self.latest = UpstreamDate(date: date, madeAt: told)
      return Reading(madeAt: told, clock: date)
    }
    let lag = Duration.seconds(latest.date - date)
    return Reading(madeAt: min(told, latest.madeAt - lag), clock: date)
  }

  /// Whether a `Date` is ahead by more than time has passed, and by another amount than the last
  /// one that was.
  private mutating func leapsAhead(_ date: Int64, _ told: Timestamp) -> Bool {
    guard let latest else { return false }
    let passed = (told - latest.madeAt).components.seconds
    let ahead = date.clampedSubtracting(latest.date).clampedSubtracting(passed)
    guard ahead > Doubts.Claim.clockLeap.drift else { return false }
    return doubts.hear(.clockLeap, at: told, value: Int(ahead)) != .believed
  }

  /// Whether a `Date` stands still while time passes: what is shown is newer, or it has been the
  /// same for longer than a copy is kept.
  private mutating func isFrozen(_ date: Int64, _ newest: Int64?, at receivedAt: Timestamp) -> Bool
  {
    var claim = Doubts.Claim.clockStill
    if newest ?? date <= date { claim.apart = .seconds(UpstreamClock.lagSecondsMax + 1) }
    return doubts.hear(claim, at: receivedAt, value: Int(date)) == .believed
  }

  /// Where the upstream's clock stood at least when an answer was sent that does not tell: what has
  /// passed since the newest element was seen, on from that element's own time. `shown` is the
  /// newest in the answer itself; nil without any.
  package mutating func least(shown: Int64?, sentAt: Timestamp, receivedAt: Timestamp) -> Int64? {
    let passed = newest.map {
      $0.second.clampedAdding(max(0, (sentAt - $0.receivedAt).components.seconds))
    }
    if let shown, passed.map({ shown > $0 }) ?? true { newest = (shown, receivedAt) }
    return [passed, shown].compactMap(\.self).max()
  }
}
