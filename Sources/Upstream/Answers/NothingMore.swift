/// How an answer says whether more follows on its page: every way in which APIs say "no".
extension AnswerReader {
  /// Whether more follows. A flag that says no, where the answer has it, is believed against all
  /// that names a next page: many APIs name one on the last page as well.
  func hasNext(_ pages: PageRecipe) -> Bool {
    if let more = pages.more, isStated(more.place) { return holds(more) }
    // A link stands there without a target as well, and says by that alone that a page follows.
    var isLink = false
    if case .link = pages.next { isLink = pages.by != .next }
    let isNamed = isLink ? hasPlace(pages.next) : next(pages) != nil
    // An answer without a body has no flag that could say "not the last".
    return isNamed || !isBare && pages.more.map(holds) ?? false
  }

  /// What names the page that follows; nil where nothing does.
  func next(_ pages: PageRecipe) -> String? {
    text(pages.next).flatMap { NoWords.isNone($0) ? nil : $0 }
  }

  /// Whether a condition holds: what stands there says neither no nor nothing.
  func holds(_ condition: PageRecipe.Condition) -> Bool {
    let says: Bool
    if case .body(let path) = condition.place, let range = path.range(in: body[...]),
      "[{".utf8.contains(body[range].first ?? 0)
    {
      says = !NoWords.isNothing(body[range])
    } else {
      says = text(condition.place).map { !NoWords.isNo($0) } ?? false
    }
    return says != condition.isNegated
  }

  /// Whether an answer says something at a place, be it "no"; `null` is nothing.
  private func isStated(_ place: AnswerPlace) -> Bool {
    guard case .body(let path) = place else { return hasPlace(place) }
    return path.range(in: body[...]).map { !body[$0].elementsEqual("null".utf8) } ?? false
  }

  /// Whether a flag of an answer says that nothing follows.
  func saysNoMore(_ pages: PageRecipe) -> Bool {
    pages.more.map { isStated($0.place) && !holds($0) } ?? false
  }
}

/// The words by which an API says that there is nothing, or "no".
package enum NoWords {
  /// Whether a token or a URL is none: no API names a page by these, and many say by them that none
  /// follows.
  package static func isNone(_ text: String) -> Bool { none.contains(plain(text)) }

  /// Whether a flag says no.
  static func isNo(_ text: String) -> Bool {
    let plain = plain(text)
    return none.contains(plain) || ["no", "n", "f", "off"].contains(plain)
  }

  /// Whether a JSON value is nothing: `null`, `false`, and what is empty.
  static func isNothing(_ value: ArraySlice<UInt8>) -> Bool {
    let plain = value.filter { !" \t\r\n".utf8.contains($0) }.prefix(6)
    return ["null", "false", "\"\"", "[]", "{}"].contains { $0.utf8.elementsEqual(plain) }
  }

  private static let none: Set<String> = [
    "", "0", "0.0", "-1", "false", "null", "none", "nil", "undefined", "nan", "[]", "{}", "#",
  ]

  private static func plain(_ text: String) -> String {
    String(text.lowercased().filter { !$0.isWhitespace }.prefix(16))
  }
}
