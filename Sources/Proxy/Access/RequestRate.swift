import Feed
import HTTP
import Synchronization

/// How many requests one address may make, or feeds open: so many a minute, in a burst or evenly.
///
/// Each address has a place in time up to which its requests are paid for. A request moves that
/// place on by a minute divided by the rate, and is refused while the place lies a whole minute
/// ahead. With 60 a minute: 60 together pass, the 61st is refused, and one more passes each second.
/// An address that asked nothing for a minute has nothing left to pay, so it need not be known.
final class RequestRate: Sendable {
  /// The most addresses in each of two generations; beyond, the older is forgotten early.
  static let addressesMax = 1 << 16
  private static let minute: Int64 = 60_000_000

  private struct State {
    var young: [Peer: Int64] = [:]
    var old: [Peer: Int64] = [:]
    var turnedAt: Int64 = 0
  }

  /// So many a minute.
  let perMinute: Int
  private let state = Mutex(State())

  /// A rate of 1 or more a minute.
  init(perMinute: Int) {
    precondition(perMinute >= 1, "a rate is at least one request a minute")
    self.perMinute = perMinute
  }

  /// A rate as the configuration says it, where 0 is no limit.
  convenience init?(_ perMinute: Int) {
    guard perMinute > 0 else { return nil }
    self.init(perMinute: perMinute)
  }

  /// The rate that follows `former`: the same, with all it knows of addresses, where the limit
  /// stays; nil where there is no limit.
  static func following(_ former: RequestRate?, _ perMinute: Int) -> RequestRate? {
    if let former, former.perMinute == perMinute { return former }
    return RequestRate(perMinute)
  }

  /// Counts a request at `now`; nil when it may pass, else how long its address has to wait. A
  /// request that is refused is not counted.
  func wait(of client: ClientAddress, at now: Timestamp) -> Duration? {
    let address = client.peer.site
    let interval = RequestRate.minute / Int64(perMinute)
    let now = now.milliseconds * 1000
    return state.withLock { state in
      turn(&state, at: now)
      let known = state.young[address] ?? state.old[address] ?? now
      // Never further ahead than a minute, also when the clock was set back.
      let paid = min(max(known, now), now + RequestRate.minute)
      let ahead = paid + interval - now - RequestRate.minute
      guard ahead <= 0 else {
        state.young[address] = paid
        return .microseconds(ahead)
      }
      state.young[address] = paid + interval
      return nil
    }
  }

  /// How many addresses are known now.
  var addressCount: Int { state.withLock { $0.young.count + $0.old.count } }

  /// Forgets who asked nothing for a minute.
  private func turn(_ state: inout State, at now: Int64) {
    let isDue = now - state.turnedAt >= RequestRate.minute || now < state.turnedAt
    guard isDue || state.young.count >= RequestRate.addressesMax else { return }
    state.old = state.young
    state.young = [:]
    state.turnedAt = now
  }
}
