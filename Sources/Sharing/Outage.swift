/// A time in which the shared store is not reachable: its begin, its end and the failed calls. It
/// ends with two heartbeats in a row without a failed call between them, so that a store that
/// refuses only some writes is one outage.
struct Outage: Equatable {
  /// What the log says at its end.
  struct End: Equatable {
    /// How long it took.
    var duration: Duration
    /// Calls to the shared store that failed: writes that wait for another try, or are lost.
    var failures: Int
  }

  private var since: ContinuousClock.Instant?
  private var failures = 0
  private var isQuiet = false

  /// Notes a call that failed. Returns whether an outage begins with it.
  mutating func fail(at now: ContinuousClock.Instant) -> Bool {
    isQuiet = false
    failures += 1
    guard since == nil else { return false }
    since = now
    return true
  }

  /// Notes a beat that came through. Returns the outage that ends with it; nil where none does.
  mutating func reach(at now: ContinuousClock.Instant) -> End? {
    guard let since else { return nil }
    guard isQuiet else {
      isQuiet = true
      return nil
    }
    defer { self = Outage() }
    return End(duration: now - since, failures: failures)
  }
}
