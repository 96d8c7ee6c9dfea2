internal import Feed
private import JSONBytes

/// What Qiita's API has that no recipe can say.
package struct QiitaDialect: Hashable, Sendable {
  /// Qiita's API.
  package init() {}

  /// What it shows by itself without a list of its own.
  static let kinds: [ItemKind: TextTemplate] =
    TextTemplate("comments/{id}").map { ["comments": $0] } ?? [:]

  /// The list of all articles: what leaves it is deleted.
  private static let all = "items"

  /// Only articles are confirmed to be gone: that a person or a tag left a list proves nothing.
  /// Keys are whole seconds, as stored cursors have them; what hangs on a private article is as
  /// private.
  func adapt(_ pattern: inout FeedPattern) {
    pattern.unit = .seconds
    if pattern.one.map(QiitaDialect.hasNames) == true { pattern.one = nil }
    pattern.listsAll = pattern.path == QiitaDialect.all
    let isBelow = pattern.words.count > 2 && pattern.words[0] == QiitaDialect.all
    if isBelow { pattern.hangsOn = ItemKind(QiitaDialect.all) }
  }

  /// Whether only the token's owner may see it: an item that says `"private":true`.
  ///
  /// Qiita shows it where a request has the owner's token, and all requests have that.
  /// So it is taken in the owner's own feeds and nowhere else.
  static let privateMark = FieldPath(key: "private")

  /// Whether identities of a kind are names that people type, in any letter case.
  static func hasNames(_ kind: ItemKind) -> Bool { kind == "tags" || kind == "users" }

  /// Qiita answers 403 to a spent budget and to what it refuses; only the body's `type` differs.
  static func isSpent(_ body: [UInt8]) -> Bool {
    do throws(JSONError) {
      guard let range = try JSON.member("type", of: body[...]) else { return false }
      return try JSON.text(body[range]).elementsEqual("rate_limit_exceeded".utf8)
    } catch {
      return false
    }
  }
}
