/// Whether an answer may be kept (RFC 9111 §3).
package enum Keeping {
  /// Whether a shared cache may keep a complete answer to a GET.
  ///
  /// `request` holds the fields that were sent upstream: `Authorization` and `Cookie` of a client
  /// make an answer its own unless it says otherwise (§3.5).
  package static func mayKeep(
    _ answer: StoredAnswer, to request: FieldList, by rules: CacheRules
  ) -> Bool {
    let (told, isTargeted, isOverruled) = rules.directives(of: answer.fields)
    guard (200...999).contains(answer.status), answer.status != 206, answer.status != 304,
      !Directives(request).has("no-store"), !told.has("private"),
      !Variants.isEndless(answer.fields)
    else { return false }
    // §5.2.2.3: a cache that knows the rules of a status ignores no-store.
    if told.has("must-understand") {
      guard understood.contains(answer.status) else { return false }
    } else if told.has("no-store") {
      return false
    }
    let isForAll = told.hasAny(["public", "s-maxage"])
    if request.has("authorization"), !isForAll, !told.has("must-revalidate") { return false }
    if request.has("cookie"), !isForAll { return false }
    let isExplicit =
      told.hasAny(["s-maxage", "max-age", "public"])
      || (!isTargeted && answer.fields.has("expires"))
      || (isOverruled && rules.freshSeconds != nil)
    return isExplicit || StoredAnswer.heuristic.contains(answer.status)
  }

  /// Final statuses whose caching is known here (RFC 9110 §15).
  private static let understood = StoredAnswer.heuristic.union([302, 303, 307])
}
