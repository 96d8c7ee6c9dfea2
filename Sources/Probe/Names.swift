/// What APIs call things, the most common first: as counted over the manifests of 501 connectors.
enum Names {
  /// How many elements a page shall have.
  static let size = [
    "limit", "per_page", "page_size", "pagesize", "pageSize", "size", "perPage", "hitsPerPage",
    "count", "rows", "maxResults", "max_results", "page[size]", "$top", "first", "num", "n",
    "pageLimit", "results_per_page", "per-page",
  ]
  /// How many elements stand above.
  static let offset = ["offset", "skip", "start", "startAt", "from", "$skip", "page[offset]"]
  /// The number of the page.
  static let page = ["page", "page_number", "pageNumber", "pageNo", "page[number]", "p"]
  /// The element above.
  static let item = [
    "starting_after", "after", "max_id", "start_cursor", "after_id", "cursor", "last_id", "before",
    "id_before", "before_id", "start_after", "startAfter",
  ]
  /// The instant above.
  static let time = [
    "before", "until", "created_before", "to", "todate", "end_date", "max_date", "end",
    "published_before", "end_time",
  ]
  /// What the page above told.
  static let token = ["cursor", "page_token", "pageToken", "token", "next_token", "after", "next"]
  /// Where the page that follows is told.
  static let next: Set = [
    "next", "nextpage", "nextpagetoken", "nextcursor", "nexttoken", "nextlink", "nexturl",
    "nextpageurl", "continuation", "continuationtoken", "cursor", "after", "nextmarker",
    "@odata.nextlink",
  ]
  /// That something follows.
  static let more: Set = ["hasmore", "hasnext", "hasnextpage", "more", "moreavailable"]
  /// That nothing follows.
  static let last: Set = ["islast", "islastpage", "last", "lastpage", "end", "isend"]
  /// How many elements there are.
  static let total: Set = [
    "total", "totalcount", "count", "totalresults", "nbhits", "totalelements", "totalitems",
    "numfound", "totalrecords", "totalhits", "resultcount", "found", "value",
  ]
  /// Fields that tell the same.
  static let totalFields = [
    "X-Total-Count", "X-Total", "Total-Count", "X-WP-Total", "X-Pagination-Total-Count",
  ]
  /// Where elements stand.
  static let items: Set = [
    "data", "items", "results", "hits", "records", "entries", "list", "children", "value",
    "content", "docs", "objects", "elements", "rows", "nodes", "articles", "posts",
  ]
  /// What names an element, the best first.
  static let identity = [
    "id", "uuid", "_id", "objectid", "guid", "key", "sha", "number", "slug",
    "name", "doi", "ts", "url", "uri", "href", "link",
  ]
  /// When something came to be, the best first.
  static let created = ["creat", "publish", "post", "insert", "added", "date", "time", "ts", "at"]
  /// When something was changed.
  static let changed = ["updat", "modif", "edit", "chang", "activ", "bump", "touch", "last"]
  /// What a secret in a URL is called, in lower case.
  static let secrets: Set = [
    "access_token", "api_key", "apikey", "api-key", "key", "token", "auth", "auth_token", "secret",
  ]

  /// Whether a parameter says where or how much.
  static func isPaging(_ name: String, _ value: String) -> Bool {
    let isNumber = !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber && (size + offset + page).contains(name)
  }

  /// The name without what writers differ in: `next_page_token`, `nextPageToken`.
  static func folded(_ name: String) -> String {
    name.lowercased().filter { !"_-".contains($0) }
  }
}
