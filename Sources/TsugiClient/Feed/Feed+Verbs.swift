public import Foundation
import Wire

/// How a feed stands on the server.
public struct FeedStatus: Hashable, Sendable {
  /// Items proven adjacent.
  public struct Run: Hashable, Sendable {
    /// How many items it has.
    public var items: Int
    /// The place of its first item.
    public var start: FeedCursor
    /// The place of its last item.
    public var end: FeedCursor
    /// How old what proves it is.
    public var freshness: FeedFreshness
    /// Whether the feed ends in it.
    public var reachesEnd: Bool
  }

  /// A place between two runs where unknown items may lie.
  public struct Gap: Hashable, Sendable {
    /// Names it, for ``Feed/fill(gap:)``.
    public var id: String
    /// About how many items lie in it.
    public var estimatedItems: Int
    /// Whether the upstream shows it no more, so that it stays.
    public var isSunk: Bool
  }

  /// How many upstream calls the source has left.
  public struct Budget: Hashable, Sendable {
    /// Calls an hour; nil until the upstream said so.
    public var limit: Int?
    /// Calls left until the reset.
    public var remaining: Int
    /// When all of them are there again; nil when they are.
    public var resetAt: Date?
  }

  /// A part of a merged feed.
  public struct Part: Hashable, Sendable {
    /// Its name in the merged feed.
    public var name: String
    /// Whether the merged feed is shown without it where it fails.
    public var isOptional: Bool
    /// Up to when it was looked at; nil until then.
    public var settledTo: Date?
    /// Down to when it is known; nil where its end is.
    public var provenTo: Date?
    /// How long until its upstream may be asked again; nil where it may now.
    public var retryAfter: Duration?
  }

  /// The feed's name, as the server writes it.
  public var name: String
  /// How it is ordered: `value`, `observed` or `whole`.
  public var order: String
  /// How many items are known, in all runs.
  public var items: Int
  /// The feed's size, as the upstream says.
  public var total: FeedTotal?
  /// How old the top is; nil until it was looked at.
  public var freshness: FeedFreshness?
  /// The number of the last change known.
  public var seq: SequenceNumber
  /// What is known, from the top down.
  public var runs: [Run]
  /// What lies between the runs, from the top down.
  public var gaps: [Gap]
  /// The source's upstream calls.
  public var budget: Budget
  /// The parts of a merged feed, by name; empty for any other.
  public var parts: [Part]
}

/// How far a gap was filled.
public struct FeedFilling: Hashable, Sendable {
  /// Whether nothing is left of it.
  public var isFilled: Bool
  /// How many upstream calls were waited for.
  public var calls: Int
  /// What is left of it, by the name to go on with.
  public var rest: FeedStatus.Gap?
  /// The source's upstream calls.
  public var budget: FeedStatus.Budget
}

extension Feed {
  /// How the feed stands on the server: what it knows of it, its gaps, and the calls left.
  ///
  /// - Throws: `TsugiError`, `CancellationError`.
  public func status() async throws -> FeedStatus {
    FeedStatus(try await ask(.status))
  }

  /// Has the server fill a gap, or some of it, and returns how far it came. Lists fill theirs by
  /// themselves; this is for an app that walks by ``slice(_:)``.
  ///
  /// - Throws: `TsugiError`, `CancellationError`; the error's code is `gap_not_found` where there
  ///   is none of this name any more.
  public func fill(gap id: String) async throws -> FeedFilling {
    let answer: FillEnvelope = try await ask(.fill, ["gap": id])
    return FeedFilling(
      isFilled: answer.filled, calls: answer.calls, rest: answer.gap.map(FeedStatus.Gap.init),
      budget: FeedStatus.Budget(answer.budget))
  }

  private func ask<Answer: Decodable>(
    _ verb: FeedVerb, _ parameters: KeyValuePairs<String, String> = [:]
  ) async throws -> Answer {
    var target = try self.target(verb)
    for (name, value) in parameters { target.add(name, value) }
    let method = verb.isAction ? "POST" : "GET"
    return try client.decode(
      Answer.self, from: try await client.body(of: target, method: method))
  }
}

extension FeedStatus {
  fileprivate init(_ status: StatusEnvelope) {
    (name, order, items) = (status.feed, status.order, status.items)
    total = status.total.map { FeedTotal(value: $0.value, asOf: Date(rfc3339: $0.asOf)) }
    freshness = status.freshness.map {
      FeedFreshness(
        state: $0.state, checkedAt: Date(rfc3339: $0.checkedAt),
        provenAt: Date(rfc3339: $0.provenAt))
    }
    seq = SequenceNumber(rawValue: status.seq)
    gaps = status.gaps.map(Gap.init)
    budget = Budget(status.budget)
    parts = (status.parts ?? []).map { part in
      Part(
        name: part.part, isOptional: part.optional,
        settledTo: part.settledTo.flatMap(Date.init(rfc3339:)),
        provenTo: part.provenTo.flatMap(Date.init(rfc3339:)),
        retryAfter: part.retryAfterSeconds.map { .seconds($0) })
    }
    runs = status.runs.compactMap { run in
      // Places that a server does not tell are of no use to an app.
      guard let start = run.startCursor, let end = run.endCursor else { return nil }
      let checkedAt = Date(rfc3339: run.checkedAt)
      return Run(
        items: run.items, start: FeedCursor(rawValue: start), end: FeedCursor(rawValue: end),
        freshness: FeedFreshness(
          state: Self.state(checkedAt, by: status.policy), checkedAt: checkedAt,
          provenAt: Date(rfc3339: run.provenAt)), reachesEnd: run.reachesEnd)
    }
  }

  /// What the source's rules say of items below the top that were seen at a time.
  private static func state(_ checkedAt: Date?, by policy: PolicyEnvelope?) -> String {
    guard let checkedAt, let policy else { return "stale" }
    let age = Date().timeIntervalSince(checkedAt)
    if age < Double(policy.recheckSeconds) { return "fresh" }
    return age < Double(policy.staleSeconds) ? "stale" : "expired"
  }
}

extension FeedStatus.Gap {
  fileprivate init(_ gap: OpenGapEnvelope) {
    self.init(id: gap.id, estimatedItems: gap.estimatedItems, isSunk: gap.sunk)
  }
}

extension FeedStatus.Budget {
  fileprivate init(_ budget: BudgetEnvelope) {
    self.init(
      limit: budget.limit, remaining: budget.remaining,
      resetAt: budget.resetAt.flatMap(Date.init(rfc3339:)))
  }
}
