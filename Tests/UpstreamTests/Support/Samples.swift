import Feed
import Support

@testable import Upstream

extension FeedPattern {
  /// The source's pattern with this path.
  static func qiita(_ path: String) -> FeedPattern {
    QiitaSource.patterns.first { $0.path == path } ?? FeedPattern("", order: .value)
  }
}

extension FeedID {
  static let items = FeedID(source: "qiita", pattern: .qiita("items"), parts: [Array("items".utf8)])

  static func qiita(_ pattern: String, _ parts: String..., query: String? = nil) -> FeedID {
    FeedID(
      source: "qiita", pattern: .qiita(pattern), parts: parts.map { Array($0.utf8) },
      query: query.map { Array($0.utf8) })
  }
}

extension Result where Failure == FetchError {
  /// The error, for a comparison.
  var failure: FetchError? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension Page {
  /// The identities of the good elements, with a blank between them.
  var ids: String { items.map(\.item.id.text).joined(separator: " ") }
}
