/// A source's rules of freshness and thrift, from the configuration.
package struct Policy: Hashable, Sendable {
  /// Below this age a slice is fresh. Seconds.
  package var freshSeconds: Int64 = 60
  /// From this age on a slice is served only while the upstream fails. Seconds.
  package var staleSeconds: Int64 = 86_400
  /// From this age on a range is looked at again behind the reply. Seconds.
  package var recheckSeconds: Int64 = 3_600
  /// A top looked at more recently is not asked again by a refresh. Seconds.
  package var refreshSeconds: Int64 = 10
  /// A slice that ends within this many items of what is known has more fetched ahead.
  package var prefetchItems = 100
  /// Calls left to waiting readers.
  package var reserveCalls = 5
  /// Upstream calls of one source in progress at the same time.
  package var maxInFlight = 4
  /// The part of an hour's calls that openings may use, in thousandths.
  package var openingPermille = 500
  /// What the upstream is taken to bear until its answers tell: what Qiita does without a token.
  package var allowance = RateAllowance(calls: 60, period: .seconds(3_600))
  /// The longest that a feed which fails is left alone.
  package var pauseMax = Duration.seconds(60)
  /// Elements asked for by a cold feed's first window: fewer come sooner.
  package var firstWindow = 30

  /// The rules of the contract's example configuration.
  package init() {}
}
