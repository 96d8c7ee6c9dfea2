import Feed
import Freshness
import Settings
import Support

@testable import Upstream

extension FeedPattern {
  /// The source's pattern with this path.
  static func qiita(_ path: String) -> FeedPattern {
    Presets.qiita.patterns.first { $0.path == path } ?? FeedPattern("", order: .value)
  }
}

extension Page {
  /// A page of one of the source's lists, from an answer's body.
  init(qiita path: String, _ body: [UInt8]) throws(FetchError) {
    guard let list = ListReaders(Presets.qiita)[path] else { throw .notFound }
    self = try list.page(AnswerReader(body: body, fields: FieldList()), countMax: 100)
  }
}

extension FeedID {
  static let items = FeedID(source: "qiita", pattern: .qiita("items"), parts: [Array("items".utf8)])

  static func qiita(_ pattern: String, _ parts: String..., query: String? = nil) -> FeedID {
    let feed = FeedID(
      source: "qiita", pattern: .qiita(pattern), parts: parts.map { Array($0.utf8) })
    return query.map { feed.searched(for: Array($0.utf8)) } ?? feed
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
