package import Feed

/// Asks an upstream for what is no list (see `RawFetcher` in `Upstream`).
package protocol RawFetching: Sendable {
  /// Makes a call. `interim` is told of each interim answer but 101 as it comes (RFC 9110 §15.2).
  ///
  /// Any final status is a result; an error means that no whole answer came.
  func fetch(
    _ call: OutgoingRequest, interim: @escaping @Sendable (Int, FieldList) -> Void
  ) async -> Fetched<RawAnswer>
}

/// Answers raw requests from what one source keeps, or by asking its upstream (see `RawCache`).
package protocol RawCaching: AnyObject, Sendable {
  /// What the operator says about its answers.
  var rules: CacheRules { get }

  /// Moves with each change of what is kept.
  var version: UInt64 { get }

  /// For how long an answer may be served again without the cache: then its use is noted.
  var useInterval: Duration { get }

  /// Answers a request, and waits for the upstream at most so long. `permit` is asked before a call
  /// for this client alone; `interim` receives each interim answer.
  func answer(
    _ request: RawRequest, wait: Duration, permit: OpeningPermit?,
    interim: @escaping @Sendable (Int, FieldList) -> Void
  ) async -> RawReply

  /// Takes away what is kept, as far as it is selected. Returns how many answers went.
  func purge(_ selection: AnswerSelection) throws(StoreError) -> Int
}

/// Keeps answers, over restarts where it can.
///
/// The names are a source's and a target's; a target has variants, by ``Variants/key(of:)``.
package protocol AnswerStore: Sendable {
  /// The variants kept of a target, the newest first.
  func answers(of source: String, at target: String) throws(StoreError) -> [RawAnswer]

  /// Keeps an answer in the place of the one of its variant, unless that was asked for later; one
  /// that it renews goes, whatever its variant. Beyond `variantsMax` of a target the oldest goes.
  func keep(
    _ answer: RawAnswer, renewing former: RawAnswer?, of source: String, at target: String,
    variantsMax: Int
  ) throws(StoreError)

  /// Notes when a target was last used.
  func noteUse(of target: String, of source: String, at now: Timestamp) throws(StoreError)

  /// Takes away what was used longest ago, until all answers of a source take so many bytes at
  /// most.
  func trimAnswers(of source: String, toBytes bytesMax: Int64) throws(StoreError)

  /// Takes away what other sources than these keep.
  func purge(allBut sources: Set<String>) throws(StoreError)

  /// Takes away what a source keeps, as far as it is selected. Returns how many answers went.
  func purge(_ selection: AnswerSelection, of source: String) throws(StoreError) -> Int
}

/// Which answers of a source are taken away.
package enum AnswerSelection: Hashable, Sendable {
  /// All variants of one target.
  case target(String)
  /// All targets that begin so.
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
