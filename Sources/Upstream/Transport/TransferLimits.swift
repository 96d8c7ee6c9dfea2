/// What one upstream call may cost at most. Each limit fails the call with its own `FetchError`.
package struct TransferLimits: Hashable, Sendable {
  /// Until the connection stands, name look-up and TLS included; then `.unreachable`.
  package var connectTimeout: Duration = .seconds(10)
  /// Until the answer is whole, redirects included; then `.timedOut`.
  package var totalTimeout: Duration = .seconds(30)
  /// Slower than this for `lowSpeedSeconds` is `.timedOut`. Waiting for the first byte counts.
  package var lowSpeedBytesPerSecond: Int = 100
  /// How long an answer may be slow.
  package var lowSpeedSeconds: Int = 20
  /// The body's bytes, as sent and as inflated each; then `.tooLarge`.
  package var bodyBytesMax: Int = 32 << 20
  /// The bytes of all heads of an answer, interim ones and trailers too; then `.malformed`.
  package var headerBytesMax: Int = 64 << 10
  /// Redirects followed, all to the same origin; then `.malformed`.
  package var redirectsMax: Int = 3

  /// The limits a configuration gets that says nothing.
  package init() {}
}
