/// A clock that also waits: the machine's, or one a test moves by hand.
package protocol TimeSource: Sendable {
  /// The present instant. It never falls, also when the machine's clock is set back: ages, pauses,
  /// budgets and the order of evidence are measured by it.
  var now: Timestamp { get }

  /// How far it is ahead of the machine's clock, which was set back, or had slipped.
  var lead: Duration { get }

  /// Sees to it that it gives no instant before this one, which an earlier process has noted.
  func reach(_ instant: Timestamp)

  /// Returns at `deadline` or a little later, immediately when it has passed, earlier when the task
  /// is cancelled.
  func sleep(until deadline: Timestamp) async
}

extension TimeSource {
  /// None.
  package var lead: Duration { .zero }

  /// Does nothing: a clock that is moved by hand stands where its hand put it.
  package func reach(_ instant: Timestamp) {}
}
