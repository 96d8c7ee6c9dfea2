private import Upstream

/// What APIs call things, the most common first: as counted over the manifests of 501 connectors.
enum Names {
  /// How many elements a page is to have.
  static let size = [
    "limit", "per_page", "page_size", "pagesize", "pageSize", "size", "perPage", "hitsPerPage",
    "count", "rows", "maxResults", "max_results", "page[size]", "$top", "first", "num", "n",
    "pageLimit", "results_per_page", "per-page", "_limit", "_size", "page[limit]", "take",
    "page-size", "itemsPerPage", "pagelen", "ps", "resultRecordCount", "$limit",
    "pagination[pageSize]", "hits", "max", "display",
  ]
  /// How many elements stand above.
  static let offset = [
    "offset", "skip", "start", "startAt", "from", "$skip", "page[offset]", "resultOffset",
    "startIndex", "index", "$offset",
  ]
  /// The number of the page.
  static let page = ["page", "p", "page_number", "pageNumber", "pageNo", "page[number]"]
  /// What else it is called, folded: known where it is shown, and not tried.
  static let lesserPage = ["pageindex", "pageidx", "pagenum", "currentpage"]
  /// The element above.
  static let item = [
    "starting_after", "after", "max_id", "marker", "start_cursor", "after_id", "cursor", "last_id",
    "before",
    "id_before", "before_id", "start_after", "startAfter",
  ]
  /// The instant above.
  static let time = [
    "before", "until", "created_before", "to", "todate", "end_date", "max_date", "end",
    "published_before", "end_time",
  ]
  /// What the page above gave.
  static let token = [
    "cursor", "page_token", "pageToken", "token", "next_token", "after", "next",
    "page-token", "continuationToken", "pagination_token", "start_cursor", "page[after]",
    "page[cursor]", "pagination[cursor]", "pagination.cursor", "from",
  ]
  /// Where the next page is named, besides all that have `next` in them.
  static let next: Set = [
    "continuation", "continue", "continuationtoken", "cursor", "after", "scrollid",
    "resumptiontoken",
  ]
  /// Words of which one stands in the name of a header field that names it.
  static let nextFields = ["next", "continuation", "cursor"]
  /// That something follows.
  static let more: Set = [
    "hasmore", "hasnext", "hasnextpage", "more", "moreavailable", "istruncated", "truncated",
  ]
  /// That nothing follows.
  static let last = EndNames.ends.union(["end", "isend"])
  /// How many elements there are.
  static let total = EndNames.totals.union(["count", "resultcount", "found", "value"])
  /// Words of which one stands in any other name of a total.
  static let totalWords = ["total", "count", "found", "hits", "records", "results", "matched"]
  /// Where elements stand.
  static let items: Set = [
    "data", "items", "results", "hits", "records", "entries", "list", "children", "value",
    "content", "docs", "objects", "elements", "rows", "nodes", "articles", "posts",
  ]
  /// What stands beside the one object that an element wraps, folded.
  static let wrapping: Set = ["kind", "type", "cursor", "object", "class", "entity", "rel"]
  /// What names an element, the best first.
  static let identity = ["id", "uuid", "_id", "pk", "objectid", "guid", "uid", "key"]
  /// What describes an element and may come twice.
  static let describing = "name"
  /// What may name an element where no field ends as an identity of its own does, the best first.
  static let lesserIdentity = [
    "number", "slug", "code", "sku", "isbn", "reference", "ref", "login", "username", "handle",
    "doi", "uri", describing, "sha", "hash", "ts", "url", "href", "link", "permalink", "email",
  ]
  /// How the name of an identity ends, besides `id`, folded.
  static let identityEnds = ["number", "code", "key", "slug", "sku", "ref", "hash", "uuid", "guid"]
  /// How it ends as it is written.
  static let numberEnds = ["No", "_no", "Nr", "_nr"]
  /// When something came to be, the best first.
  static let created = ["creat", "publish", "post", "insert", "added", "date", "time", "ts", "at"]
  /// When something was changed.
  static let changed = ["updat", "modif", "edit", "chang", "activ", "bump", "touch", "last"]
  /// How the name of the time begins at which something ends, folded.
  static let ended = [
    "end", "complet", "finish", "clos", "expir", "due", "resolv", "done", "stop", "cancel",
    "delet", "archiv",
  ]
  /// What a secret in a URL is called, folded.
  static let secrets: Set = [
    "accesskey", "accesstoken", "apikey", "apitoken", "appid", "appkey", "applicationid",
    "applicationkey", "auth", "authtoken", "clientid", "clientsecret", "key", "password",
    "privatetoken", "secret", "subscriptionkey", "token", "wskey", "xapikey",
  ]

  /// Whether a parameter says where or how much.
  static func isPaging(_ parameter: Parameter) -> Bool {
    let isNumber =
      !parameter.value.isEmpty && parameter.value.utf8.allSatisfy { (0x30...0x39).contains($0) }
    let plain = [folded(parameter.name), folded(inner(parameter.name))]
    return isNumber
      && (size + offset + page + lesserPage).contains { plain.contains(folded($0)) }
  }

  /// The name in the brackets of what speaks of pages: `pageSize` for `pagination[pageSize]`.
  private static func inner(_ name: String) -> Substring {
    let outer = name.prefix { $0 != "[" }
    return ["page", "pagination", "paging"].contains(outer.lowercased())
      ? name.dropFirst(outer.count + 1).prefix { $0 != "]" } : name[...]
  }

  /// Whether a name may say how many elements a page has.
  static func isSize(_ name: String) -> Bool {
    let plain = folded(name)
    return size.contains { folded($0) == plain } || plain.hasSuffix("limit")
      || plain.hasSuffix("size")
  }

  /// Whether a name may say how many elements stand above.
  static func isOffset(_ name: String) -> Bool {
    let plain = folded(name)
    return offset.contains { folded($0) == plain } || plain.hasSuffix("offset")
      || plain.hasSuffix("skip")
  }

  /// Whether a name may say the number of a page.
  static func isPage(_ name: String) -> Bool {
    let plain = folded(name)
    return (page + lesserPage).contains { folded($0) == plain } || plain.hasSuffix("page")
  }

  /// The name without what writers differ in: `next_page_token`, `nextPageToken`, `$skip`.
  static func folded(_ name: some StringProtocol) -> String {
    name.lowercased().filter { !"_-$[].".contains($0) }
  }
}
