/// How long to wait before a failed request is made again, and how often.
///
/// The nth pause is between half and all of `first × 2ⁿ⁻¹`, at most `longest`: with 1 s and 60 s
/// that is 0.5–1, 1–2, 2–4, 4–8 … 30–60 s. Where in between is drawn, so that many phones that
/// failed together do not come back together. What the server asks for in `Retry-After` is waited
/// in any case, up to an hour.
public struct Backoff: Hashable, Sendable {
  /// The longest that a server's wish is granted.
  static let retryAfterMax = Duration.seconds(3_600)

  /// The first pause.
  public var first: Duration
  /// The longest pause.
  public var longest: Duration
  /// How often a request is made again by itself before its error stands.
  public var retriesMax: Int

  /// Pauses of 1 s to 60 s, 5 of them.
  public init(
    first: Duration = .seconds(1), longest: Duration = .seconds(60), retriesMax: Int = 5
  ) {
    self.first = first
    self.longest = longest
    self.retriesMax = retriesMax
  }

  /// The pause after so many failures in a row, from 1 on; `draw` is from 0 to 1.
  func pause(afterFailures failures: Int, error: TsugiError?, draw: Double) -> Duration {
    var pause = first
    for _ in 1..<max(2, failures) where failures > 1 && pause < longest {
      pause = pause > longest / 2 ? longest : pause * 2
    }
    let own = min(pause, longest) * (0.5 + draw / 2)
    return max(own, min(error?.retryAfter ?? .zero, Self.retryAfterMax))
  }
}

extension FeedClient {
  /// The longest that is slept, thirty years: clocks trap on what they cannot count.
  static let sleepMax = Duration.seconds(1_000_000_000)

  /// Sleeps by the client's clock.
  ///
  /// - Throws: `CancellationError`.
  func sleep(for duration: Duration) async throws {
    try await clock.sleep(for: min(duration, Self.sleepMax))
  }

  /// Waits before a request is made again, as long as the error and the failures before it ask for,
  /// and no less than `least`.
  ///
  /// - Throws: the error itself where asking again is of no use; `CancellationError`.
  func pause(
    afterFailures failures: Int, _ error: TsugiError? = nil, atLeast least: Duration = .zero
  ) async throws {
    if let error, !error.mayPass { throw error }
    let pause = backoff.pause(afterFailures: failures, error: error, draw: .random(in: 0...1))
    try await sleep(for: max(pause, least))
  }
}
