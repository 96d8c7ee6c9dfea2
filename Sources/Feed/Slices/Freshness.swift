/// How old the answers are that a range rests on.
package struct Freshness: Hashable, Sendable {
  /// How a slice may be served.
  package enum State: String, CaseIterable, Sendable {
    /// It may be served.
    case fresh
    /// It may be served, and is looked at again behind the reply.
    case stale
    /// It is served only while the upstream fails.
    case expired
  }

  /// How it may be served.
  package var state: State
  /// When any of it was last seen upstream.
  package var checkedAt: Timestamp
  /// When the oldest answer it rests on was asked for.
  package var provenAt: Timestamp

  /// Whole seconds at `now` since any of it was last seen upstream.
  package func age(at now: Timestamp) -> Int64 {
    // Compared as numbers: through `Duration` it takes ten times as long.
    max(0, (now.milliseconds - checkedAt.milliseconds) / 1000)
  }

  /// The worst state and the oldest instants of all; of none, fresh as of `now`.
  package init(worstOf all: [Freshness], at now: Timestamp) {
    let states = all.map(\.state)
    state = states.contains(.expired) ? .expired : states.contains(.stale) ? .stale : .fresh
    checkedAt = all.map(\.checkedAt).min() ?? now
    provenAt = all.map(\.provenAt).min() ?? now
  }

  /// The freshness at `now` of a range that rests on these answers; `lookedAt` is when the top
  /// was last looked at, for a range that begins there. Of nothing at all it is `now`.
  package init(
    of proofs: some Sequence<Proof>, lookedAt: Timestamp?, policy: Policy, at now: Timestamp
  ) {
    let instants = proofs.map(\.provenAt)
    checkedAt = lookedAt ?? instants.max() ?? now
    provenAt = min(instants.min() ?? checkedAt, checkedAt)
    if now - provenAt >= .seconds(policy.staleSeconds) {
      state = .expired
    } else if now - checkedAt >= .seconds(policy.freshSeconds)
      || now - provenAt >= .seconds(policy.recheckSeconds)
    {
      state = .stale
    } else {
      state = .fresh
    }
  }
}
