package import Feed

/// A source as the proxy serves it: its name, its feeds, and what reads them.
package final class SourceBinding: Sendable {
  /// Its name in the configuration and in URLs.
  package let name: String
  /// The feeds it has.
  package let patterns: [FeedPattern]
  /// The kinds of which it shows one by itself.
  let kinds: [ItemKind]
  /// What reads them.
  package let reader: any SliceSource
  /// What it is.
  package let kind: Kind
  /// What its reader reports goes here too, to be counted.
  package let calls: UpstreamCalls
  /// What else of its upstream it shows; nil for nothing.
  package let raw: RawSource?

  /// A binding from its parts.
  package init(
    name: String, patterns: [FeedPattern], reader: any SliceSource, kind: Kind = .qiita,
    calls: UpstreamCalls = UpstreamCalls(), raw: RawSource? = nil
  ) {
    self.raw = raw
    self.kind = kind
    self.calls = calls
    self.name = name
    self.patterns = patterns
    kinds = patterns.compactMap(\.one).reduce(into: []) { kinds, kind in
      if !kinds.contains(kind) { kinds.append(kind) }
    }
    self.reader = reader
  }

  /// Whether a feed's path with an identity behind it is an item of that feed, and neither a feed
  /// nor what the source shows by itself.
  func hasPlainElements(_ pattern: FeedPattern) -> Bool {
    let isKind = kinds.contains { [$0.word] == pattern.words }
    return !isKind
      && !patterns.contains { other in
        other.words.count == pattern.words.count + 1 && other.words.last?.hasPrefix(":") == true
          && zip(other.words, pattern.words).allSatisfy { $0 == $1 }
      }
  }

  /// The same source with other feeds, and showing other things besides.
  package func serving(_ patterns: [FeedPattern], raw: RawSource? = nil) -> SourceBinding {
    SourceBinding(
      name: name, patterns: patterns, reader: reader, kind: kind, calls: calls, raw: raw)
  }

  /// What a source is, by its word in a configuration.
  package enum Kind: String, Sendable {
    /// Qiita's API, or one that speaks as it does: `/api/v2` may stand for it.
    case qiita
    /// A file.
    case file
    /// Any other API.
    case api = "http"
    /// Feeds of other sources as one.
    case merged
  }

  /// What `/api/v2` stands for: the source named `qiita`, else the first by name, among those that
  /// speak as Qiita's API; nil when there is none.
  static func qiita(of sources: [SourceBinding]) -> SourceBinding? {
    let candidates = sources.filter { $0.kind == .qiita }
    return candidates.first { $0.name == "qiita" } ?? candidates.min { $0.name < $1.name }
  }
}
