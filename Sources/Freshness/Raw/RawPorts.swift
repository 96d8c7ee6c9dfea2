package import Feed

/// Calls an upstream for the raw route (see `RawFetcher` in `Upstream`).
package protocol RawFetching: Sendable {
  /// Makes a call. `interim` receives each interim answer but 101 (RFC 9110 §15.2).
  ///
  /// Any final status is a result; an error means that no complete answer came.
  func fetch(
    _ call: OutgoingRequest, interim: @escaping @Sendable (Int, FieldList) -> Void
  ) async -> Fetched<RawAnswer>
}

/// Answers raw requests of one source, from stored answers or by a call (see `RawCache`).
package protocol RawCaching: AnyObject, Sendable {
  /// The operator's rules for its answers.
  var rules: CacheRules { get }

  /// Increases with each change of the stored answers.
  var version: UInt64 { get }

  /// How long an answer may be served again without asking the cache, which records its use.
  var useInterval: Duration { get }

  /// Answers a request; waits for the upstream at most `wait`. `permit` is asked before a call for
  /// this client alone; `interim` receives each interim answer.
  func answer(
    _ request: RawRequest, wait: Duration, permit: OpeningPermit?,
    interim: @escaping @Sendable (Int, FieldList) -> Void
  ) async -> RawReply

  /// Purges the selected answers, at every server that shares them. Returns how many there were.
  func purge(_ selection: AnswerSelection) throws(StoreError) -> Int

  /// Purges here what another server has purged at an instant.
  func follow(_ selection: AnswerSelection, purgedAt: Timestamp) throws(StoreError)
}

/// Stores answers, also across restarts.
///
/// An answer is stored by source, target and variant (``Variants/key(of:)``).
package protocol AnswerStore: Sendable {
  /// The stored variants of a target, newest first.
  func answers(of source: String, at target: String) throws(StoreError) -> [RawAnswer]

  /// Stores an answer in place of the one of its variant, unless that one was requested later.
  /// Removes `former`, and beyond `variantsMax` of a target the oldest.
  func keep(
    _ answer: RawAnswer, renewing former: RawAnswer?, of source: String, at target: String,
    variantsMax: Int
  ) throws(StoreError)

  /// Records when a target was last used.
  func noteUse(of target: String, of source: String, at now: Timestamp) throws(StoreError)

  /// Evicts the least recently used answers of a source until they take at most `bytesMax`.
  func trimAnswers(of source: String, toBytes bytesMax: Int64) throws(StoreError)

  /// Purges the answers of all other sources.
  func purge(allBut sources: Set<String>) throws(StoreError)

  /// Purges the selected answers of a source: those that were requested by an instant, or all.
  /// Returns how many there were.
  func purge(
    _ selection: AnswerSelection, of source: String, askedBy last: Timestamp?
  ) throws(StoreError) -> Int
}

/// One source's answers that several servers share, beside those that each has stored.
///
/// Calls block, for a bounded time, and throw ``StoreError/unreachable(message:)`` if the shared
/// store does not answer.
package protocol AnswerSharing: Sendable {
  /// The shared variants of a target, newest first, so many at most.
  func answers(at target: String, variantsMax: Int) throws(StoreError) -> [RawAnswer]

  /// Shares an answer in place of the one of its variant and of `former`, unless a later one is
  /// shared or its target was purged after its request.
  func share(
    _ answer: RawAnswer, renewing former: RawAnswer?, at target: String, variantsMax: Int
  ) throws(StoreError)

  /// Purges the selected answers at every server. Returns how many were shared.
  func purge(_ selection: AnswerSelection) throws(StoreError) -> Int
}

/// Which answers of a source a purge removes.
package enum AnswerSelection: Hashable, Sendable {
  /// All variants of one target.
  case target(String)
  /// All targets with this prefix.
  case prefix(String)
  /// All.
  case all

  /// Whether a target is selected.
  package func selects(_ target: String) -> Bool {
    switch self {
    case .target(let other): target == other
    case .prefix(let prefix): target.utf8.starts(with: prefix.utf8)
    case .all: true
    }
  }

  /// The selection as a text: `=` and a target, or `^` and a prefix, which is empty for all.
  package var text: String {
    switch self {
    case .target(let target): "=" + target
    case .prefix(let prefix): "^" + prefix
    case .all: "^"
    }
  }

  /// The selection of a ``text``. Everything, if it is none: then too much is purged, never too
  /// little.
  package init(text: some StringProtocol) {
    let name = String(text.dropFirst())
    switch text.first {
    case "=": self = .target(name)
    case "^" where !name.isEmpty: self = .prefix(name)
    default: self = .all
    }
  }
}
