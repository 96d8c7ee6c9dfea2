package import Feed

/// A source as the proxy serves it: its name, its feeds, and what reads them.
package struct SourceBinding: Sendable {
  /// Its name in the configuration and in URLs.
  package var name: String
  /// The feeds it has.
  package var patterns: [FeedPattern]
  /// What reads them.
  package var reader: FeedReader
  /// What it is.
  package var kind: Kind
  /// What its reader reports goes here too, to be counted.
  package var calls: UpstreamCalls

  /// A binding from its parts.
  package init(
    name: String, patterns: [FeedPattern], reader: FeedReader, kind: Kind = .qiita,
    calls: UpstreamCalls = UpstreamCalls()
  ) {
    self.kind = kind
    self.calls = calls
    self.name = name
    self.patterns = patterns
    self.reader = reader
  }

  /// What a source is.
  package enum Kind: Sendable {
    /// Qiita's API, or one that speaks as it does: `/api/v2` may stand for it.
    case qiita
    /// A file.
    case file
  }

  /// What `/api/v2` stands for: the source named `qiita`, else the first by name, among those that
  /// speak as Qiita's API; nil when there is none.
  static func qiita(of sources: [SourceBinding]) -> SourceBinding? {
    let candidates = sources.filter { $0.kind == .qiita }
    return candidates.first { $0.name == "qiita" } ?? candidates.min { $0.name < $1.name }
  }
}
