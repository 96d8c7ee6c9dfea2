package import Feed

/// A source as the proxy serves it: its name, its feeds, and what reads them.
package struct SourceBinding: Sendable {
  /// Its name in the configuration and in URLs.
  package var name: String
  /// The feeds it has.
  package var patterns: [FeedPattern]
  /// What reads them.
  package var reader: FeedReader
  /// Whether it speaks as Qiita's API, so that `/api/v2` may stand for it.
  package var isQiitas: Bool
  /// What its reader reports goes here too, to be counted.
  package var calls: UpstreamCalls

  /// A binding from its parts.
  package init(
    name: String, patterns: [FeedPattern], reader: FeedReader, isQiitas: Bool = false,
    calls: UpstreamCalls = UpstreamCalls()
  ) {
    self.isQiitas = isQiitas
    self.calls = calls
    self.name = name
    self.patterns = patterns
    self.reader = reader
  }

  /// What `/api/v2` stands for: the source named `qiita`, else the first by name, among those that
  /// speak as Qiita's API; nil when there is none.
  static func qiita(of sources: [SourceBinding]) -> SourceBinding? {
    let candidates = sources.filter(\.isQiitas)
    return candidates.first { $0.name == "qiita" } ?? candidates.min { $0.name < $1.name }
  }
}
