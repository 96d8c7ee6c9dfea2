private import JSONBytes

/// How an answer that is to be the whole of a list shows that it is only a page of it.
extension AnswerReader {
  /// Whether anything beside a list of `count` elements names a page after this one: a `Link`, the
  /// places that the recipe names, or a member that is called like a next page, or like a flag that
  /// more follows, and does not say no, or like a number of all elements that is greater: at the
  /// list's level or above, or in an object there, as in `{"paging": {"next": "…"}}` and
  /// `{"links": [{"rel": "next", "href": "…"}]}`.
  func namesFurther(beside list: FieldPath, count: Int, _ pages: PageRecipe) -> Bool {
    if let total = fields["X-Total-Count"].flatMap({ Int($0) }), total > count { return true }
    let named = ["X-Next-Page", "X-Next-Cursor"].compactMap { fields[$0] }
    if hasNext(pages) || text(.link("next")).map({ !NoWords.isNone($0) }) ?? false
      || named.contains(where: { !NoWords.isNone($0) })
    {
      return true
    }
    guard !list.keys.isEmpty else { return false }
    var object = body[...]
    for key in list.keys {
      guard let members = try? JSON.members(of: object) else { return false }
      let rest = members.filter { !names($0.key, key) && $0.value.count <= Further.bytesMax }
      let isNamed = rest.contains { member in
        Further.isNamed(
          name(member.key), try? JSONTree(json: Array(body[member.value])), count: count)
      }
      if isNamed { return true }
      guard let inner = members.last(where: { names($0.key, key) }) else { return false }
      object = body[inner.value]
    }
    return false
  }

  private func name(_ key: Range<Int>) -> String {
    (try? JSON.text(body[key])).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private func names(_ key: Range<Int>, _ wanted: String) -> Bool { name(key) == wanted }
}

/// The names, in small letters alone, under which APIs surely tell of the end of a list.
package enum EndNames {
  /// That nothing follows.
  package static let ends: Set<String> = ["last", "islast", "lastpage", "islastpage"]
  /// How many elements there are.
  package static let totals: Set<String> = [
    "total", "totalcount", "totalresults", "totalelements", "totalitems", "totalrecords",
    "totalhits", "nbhits", "numfound",
  ]
}

/// The names under which APIs tell of a page that follows.
private enum Further {
  /// The most bytes of a member that is looked into.
  static let bytesMax = 16 << 10
  /// How deep it is looked into.
  private static let depthMax = 3

  private static let places: Set<String> = [
    "next", "nextpage", "nextlink", "nexturl", "nexturi", "nexthref", "nextpageurl", "nextpagelink",
    "nextpagetoken", "nexttoken", "nextcursor", "nextmarker", "nextoffset", "nextrecordsurl",
    "continue", "continuation", "continuationtoken", "odatanextlink",
  ]
  private static let flags: Set<String> = [
    "more", "hasmore", "hasnext", "hasnextpage", "morepages", "hasmorepages", "istruncated",
  ]

  private static let pages: Set<String> = ["totalpages", "pagecount", "numpages", "nbpages"]

  /// Whether a member names a page that follows on one of `count` elements, or one inside of it
  /// does.
  static func isNamed(_ name: String, _ value: JSONTree?, count: Int, depth: Int = 0) -> Bool {
    guard let value, depth < depthMax else { return false }
    let plain = name.lowercased().filter { $0.isLetter }
    if places.contains(plain) { return isThere(value) }
    if flags.contains(plain) { return value == .bool(true) || isYes(value) }
    if EndNames.ends.contains(plain), value == .bool(false) { return true }
    let number = value.scalar.flatMap { Int($0) }
    if let number, EndNames.totals.contains(plain) { return number > count }
    if let number, pages.contains(plain) { return number > 1 }
    switch value {
    case .object(let members):
      return members.contains { isNamed($0.name, $0.value, count: count, depth: depth + 1) }
    case .array(let values):
      return values.contains { $0["rel"] == .text("next") || $0["relation"] == .text("next") }
    default: return false
    }
  }

  private static func isThere(_ value: JSONTree) -> Bool {
    switch value {
    case .null, .bool(false): false
    case .bool(true): true
    case .number(let text), .text(let text): !NoWords.isNone(text)
    case .array(let values): !values.isEmpty
    case .object(let members):
      members.contains { isThere($0.value) }
    }
  }

  private static func isYes(_ value: JSONTree) -> Bool {
    value.scalar.map { !NoWords.isNo($0) } ?? false
  }
}
