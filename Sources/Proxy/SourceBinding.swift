package import Feed

/// A source as the proxy serves it: its name, its feeds, and what reads them.
package struct SourceBinding: Sendable {
  /// Its name in the configuration and in URLs.
  package var name: String
  /// The feeds it has.
  package var patterns: [FeedPattern]
  /// What reads them.
  package var reader: FeedReader

  /// A binding from its parts.
  package init(name: String, patterns: [FeedPattern], reader: FeedReader) {
    self.name = name
    self.patterns = patterns
    self.reader = reader
  }
}
