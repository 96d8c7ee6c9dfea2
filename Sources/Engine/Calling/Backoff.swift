import Feed

/// Pauses after failures, by feed and by item: how long, and what a reader gets meanwhile.
struct Backoff {
  /// What is known of one that failed.
  private struct Pause {
    /// Until when it is left alone.
    var until: Timestamp?
    /// What that means for a reader.
    var meaning: ReadError?
    /// Calls in a row that failed.
    var failures = 0
    /// When an opening was taken for it that an outage kept from its answer.
    var openedAt: Timestamp?
  }

  private var pauses: [FlightKey: Pause] = [:]
  private let random: @Sendable (ClosedRange<Int64>) -> Int64

  /// The pauses after failures, before the source's own bound.
  static let rest = Rest(min: .milliseconds(250), max: .seconds(64))
  /// The longest pause that an upstream in trouble may ask for.
  static let pauseToldMax = Duration.seconds(300)
  /// How long a feed or an item that is not there is remembered.
  static let absenceDuration = Duration.seconds(30)
  /// The most feeds and items that are remembered; beyond, those that are left alone no more go,
  /// or all.
  static let pausesMax = 1 << 14

  /// Nothing has failed so far; `random` makes the jitter, in milliseconds.
  init(random: @escaping @Sendable (ClosedRange<Int64>) -> Int64) {
    self.random = random
  }

  /// What the last failure means, while its feed or item is left alone; else nil.
  func pause(of key: FlightKey, at now: Timestamp) -> ReadError? {
    guard let pause = pauses[Backoff.subject(of: key)], let until = pause.until, until > now else {
      return nil
    }
    return pause.meaning
  }

  /// The pause after a failure, in the form that is shared with other servers; nil without one.
  func sharedPause(of key: FlightKey, at now: Timestamp) -> CallPause? {
    guard let error = pause(of: key, at: now), let meaning = CallPause.Meaning(error),
      let pause = pauses[Backoff.subject(of: key)], let until = pause.until
    else { return nil }
    return CallPause(until: until, meaning: meaning, failures: pause.failures)
  }

  /// How many calls in a row have failed.
  func failures(of key: FlightKey) -> Int {
    pauses[Backoff.subject(of: key)]?.failures ?? 0
  }

  /// When an opening was taken that an outage kept from its answer.
  func openedAt(_ key: FlightKey) -> Timestamp? {
    pauses[Backoff.subject(of: key)]?.openedAt
  }

  /// Notes a good answer.
  mutating func noteGood(_ key: FlightKey) {
    var openedAt = openedAt(key)
    // Each further call for what is in no feed may be an opening of its own.
    if case .errand = key { openedAt = nil }
    pauses[Backoff.subject(of: key)] = openedAt.map { Pause(openedAt: $0) }
  }

  /// Notes a failure. Returns what a reader gets for it.
  mutating func fail(
    _ key: FlightKey, after error: FetchError, refusedUntil: Timestamp?, openedAt: Timestamp?,
    pauseMax: Duration, at now: Timestamp
  ) -> ReadError {
    let subject = Backoff.subject(of: key)
    if pauses[subject] == nil, pauses.count >= Backoff.pausesMax { forgetSome(at: now) }
    var pause = pauses[subject] ?? Pause()
    pause.failures += 1
    pause.openedAt = openedAt ?? pause.openedAt
    let retryAt = now + duration(after: error, failures: pause.failures, max: pauseMax)
    let meaning = Backoff.meaning(of: error, refusedUntil: refusedUntil, retryAt: retryAt)
    pause.until = retryAt
    pause.meaning = meaning
    pauses[subject] = pause
    return meaning
  }

  /// How long what failed is left alone: 250 ms, 500 ms, 1 s … 60 s for each further failure in a
  /// row, less up to a quarter, which is jitter, to avoid a thundering herd. What is not there, or
  /// refused, is so for half a minute. An upstream that says when is asked then.
  func duration(after error: FetchError, failures: Int, max pauseMax: Duration) -> Duration {
    let longest: Duration
    switch error {
    case .notFound, .refused, .rejected: longest = Backoff.absenceDuration
    case .rateLimited, .serverError, .unreachable, .noAnswer, .timedOut, .tooLarge, .cut,
      .malformed,
      .unchanged:
      longest = Backoff.rest.duration(failures)
    }
    var told = Duration.zero
    if case .serverError(_, let seconds?) = error {
      told = min(.seconds(seconds), Backoff.pauseToldMax)
    }
    let bounded = min(longest, pauseMax)
    return max(told, bounded - .milliseconds(random(0...bounded.inMilliseconds / 4)))
  }

  private static func meaning(
    of error: FetchError, refusedUntil: Timestamp?, retryAt: Timestamp
  ) -> ReadError {
    switch error {
    case .rateLimited: .rateLimited(until: refusedUntil ?? retryAt)
    case .refused: .refused
    case .notFound: .notFound
    case .rejected, .malformed, .unchanged: .badResponse(retryAt: retryAt)
    case .serverError, .unreachable, .noAnswer, .timedOut, .tooLarge, .cut:
      .unavailable(retryAt: retryAt)
    }
  }

  private mutating func forgetSome(at now: Timestamp) {
    pauses = pauses.filter { $0.value.until.map { $0 > now } ?? false }
    if pauses.count >= Backoff.pausesMax { pauses.removeAll() }
  }

  /// What is left alone when a call fails: a feed as a whole, whichever window was asked for. Of
  /// an errand the hash stands for the name, which may be long.
  private static func subject(of key: FlightKey) -> FlightKey {
    if case .errand(let target, _) = key {
      return .errand(target: "", number: UInt64(bitPattern: Int64(target.hashValue)))
    }
    return key.feed.map { .feed($0) } ?? key
  }
}
