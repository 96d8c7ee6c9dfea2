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

  /// Purges the selected answers. Returns how many there were.
  func purge(_ selection: AnswerSelection) throws(StoreError) -> Int
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

  /// Purges the selected answers of a source. Returns how many there were.
  func purge(_ selection: AnswerSelection, of source: String) throws(StoreError) -> Int
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
}
