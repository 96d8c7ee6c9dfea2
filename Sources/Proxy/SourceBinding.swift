package import Feed

/// A source as the proxy serves it: its name, its feeds, and what reads them.
package struct SourceBinding: Sendable {
  /// Its name in the configuration and in URLs.
  package var name: String
  /// The feeds it has.
  package var patterns: [FeedPattern]
  /// What reads them.
  package var reader: FeedReader
  /// What its reader reports goes here too, to be counted.
  package var calls: UpstreamCalls

  /// A binding from its parts.
  package init(
    name: String, patterns: [FeedPattern], reader: FeedReader,
    calls: UpstreamCalls = UpstreamCalls()
  ) {
    self.calls = calls
    self.name = name
    self.patterns = patterns
    self.reader = reader
  }
}
