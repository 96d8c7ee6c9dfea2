/// How long what failed is left alone, and what a reader is told of it.
extension FeedReader {
  /// The first pause after a failure; doubled for each further one.
  static let pauseMin = Duration.milliseconds(250)
  /// The longest pause that an upstream in trouble may ask for.
  static let pauseToldMax = Duration.seconds(300)
  /// How long a feed or an item that is not there is remembered.
  static let absenceDuration = Duration.seconds(30)

  /// How long what failed is left alone: 250 ms, 500 ms, 1 s … 60 s for each further failure in a
  /// row, less up to a quarter, which is jitter, to avoid a thundering herd. What is
  /// not there, or refused, is so for half a minute. An upstream that says when is asked then.
  nonisolated func pause(after error: FetchError, failures: Int) -> Duration {
    let longest: Duration
    switch error {
    case .notFound, .refused, .rejected: longest = FeedReader.absenceDuration
    case .rateLimited, .serverError, .unreachable, .timedOut, .tooLarge, .cut, .malformed,
      .unchanged:
      longest = FeedReader.pauseMin * (1 << min(failures - 1, 8))
    }
    var told = Duration.zero
    if case .serverError(_, let seconds?) = error {
      told = min(.seconds(seconds), FeedReader.pauseToldMax)
    }
    let bounded = min(longest, policy.pauseMax)
    return max(told, bounded - .milliseconds(random(0...bounded.inMilliseconds / 4)))
  }

  func meaning(of error: FetchError, retryAt: Timestamp) -> ReadError {
    switch error {
    case .rateLimited: .rateLimited(until: budget.waitsUntil(at: time.now) ?? retryAt)
    case .refused: .refused
    case .notFound: .notFound
    case .rejected, .malformed, .unchanged: .badResponse(retryAt: retryAt)
    case .serverError, .unreachable, .timedOut, .tooLarge, .cut: .unavailable(retryAt: retryAt)
    }
  }

  /// Waits out the pause after a failure, if that ends before the deadline.
  func pause(of feed: FeedID, after failure: ReadError, until deadline: Timestamp) async
    -> Bool
  {
    guard case .unavailable(let retryAt) = failure, retryAt < deadline else { return false }
    await time.sleep(until: retryAt)
    return true
  }
}
