import Bytes
import Feed
import Wire

/// A page as Qiita's API has it: `page` and `per_page`, each 1 to 100, and unknown parameters
/// ignored. `startAfter`, which our own links carry, is where the page before it ended: it leads,
/// and the number is only counted on. A position that is none, or can no longer be found, is
/// ignored like any other unknown parameter: then the number leads.
struct QiitaPage {
  /// How many items a page has by default.
  static let perPageDefault = 20
  /// The most items of a page.
  static let perPageMax = 100
  /// The highest page; 101 is answered with 400.
  static let pageMax = 100
  /// What is shown by itself.
  static let kinds: [ItemKind] = ["items", "users", "tags", "comments"]

  /// The feed.
  private(set) var feed: FeedID
  /// The page and its size.
  let window: Window
  /// Where the page before it ended; nil when its number alone says where it begins.
  private(set) var after: SliceRequest.Bound?
  /// The feed's last number by the cursor.
  private var told: Int64?
  /// What its links begin with: scheme and host, or the server's public URL.
  let origin: String

  /// Reads a page of a feed, or of what a search finds in it.
  init(
    _ parameters: QiitaParameters, of feed: FeedID, origin: String
  ) throws(Rejection) {
    let search = feed.pattern.parameters.contains("query") ? try parameters.value("query") : nil
    guard search?.count ?? 0 <= SliceQuery.queryBytesMax else { throw QiitaPage.refusal }
    let feed = search.flatMap { $0.isEmpty ? nil : feed.searched(for: $0) } ?? feed
    let page = try QiitaPage.number(parameters.value("page"), unless: 1, max: QiitaPage.pageMax)
    let perPage = try QiitaPage.number(
      parameters.value("per_page"), unless: QiitaPage.perPageDefault, max: QiitaPage.perPageMax)
    window = Window(page: page, perPage: perPage)
    let cursor = try parameters.value(SliceParameter.startAfter.rawValue)
    let reading = cursor.flatMap {
      QiitaPage.reading(String(decoding: $0, as: UTF8.self), in: feed)
    }
    after = reading?.bound(isAbove: false)
    told = reading?.told
    self.feed = feed
    self.origin = origin
  }

  /// The same page of the feed in the order in which it is served: there its number leads.
  func served(as feed: FeedID) -> QiitaPage {
    var page = self
    (page.feed, page.after, page.told) = (feed, nil, nil)
    return page
  }

  private static func reading(_ cursor: String, in feed: FeedID) -> Cursor.Reading? {
    do throws(Cursor.Failure) {
      return try Cursor.reading(cursor, in: feed)
    } catch {
      // Whatever is wrong with it, the page's number is there.
      return nil
    }
  }

  private static func number(_ value: [UInt8]?, unless: Int, max: Int) throws(Rejection) -> Int {
    guard let value else { return unless }
    guard value.allSatisfy({ $0 &- 0x30 < 10 }),
      let number = Int(String(decoding: value, as: UTF8.self)),
      (1...max).contains(number)
    else { throw refusal }
    return number
  }

  private static let refusal = Rejection(.badRequest, "page and per_page are 1 to 100.")

  /// What the engine is asked.
  func request(waiting wait: Duration, isNoCache: Bool) -> SliceRequest {
    var request = byNumber(waiting: wait)
    if let after {
      request.page = nil
      request.start = after
      request.told = told
    } else if request.page == nil {
      request.refreshes = isNoCache
    }
    return request
  }

  /// What the engine is asked where the number alone leads.
  func byNumber(waiting wait: Duration) -> SliceRequest {
    // Where one call brings everything there are no pages.
    let isWhole = feed.pattern.order == .whole
    var request = SliceRequest(
      feed: feed, limit: isWhole ? feed.pattern.paging.reachMax : window.perPage, wait: wait)
    if !isWhole, window.page > 1 { request.page = window }
    request.fillsUp = true
    return request
  }

  /// `Link` (RFC 8288), as Qiita has it: first and last always, prev and next where there is such a
  /// page. The total gives the last one, even where it is one that is not answered.
  func link(for slice: Slice) -> String? {
    guard feed.pattern.order != .whole else { return nil }
    var links = ["<\(url(of: 1))>; rel=\"first\""]
    if window.page > 1 { links.append("<\(url(of: window.page - 1))>; rel=\"prev\"") }
    if slice.hasMore, window.page < QiitaPage.pageMax {
      let last = slice.isUnplaced ? nil : slice.items.last
      let after = last.map { item in
        let cursor = Cursor.text(
          at: item.position, in: feed, lineage: slice.lineage, trail: slice.trail,
          told: slice.told)
        return "&\(SliceParameter.startAfter.rawValue)=\(cursor)"
      }
      links.append("<\(url(of: window.page + 1))\(after ?? "")>; rel=\"next\"")
    }
    if let total = slice.total?.value {
      let last = max(1, (total + window.perPage - 1) / window.perPage)
      links.append("<\(url(of: last))>; rel=\"last\"")
    }
    return links.joined(separator: ", ")
  }

  private func url(of page: Int) -> String {
    let search = feed.parameters.map { "&\($0)" } ?? ""
    return "\(origin)\(QiitaPage.path)\(feed.path)?page=\(page)&per_page=\(window.perPage)\(search)"
  }

  /// Where the API is, as at Qiita.
  static let path = "/api/v2/"
}

/// The parameters of a query as Qiita reads them: of several of one name the last counts, and
/// unknown ones are passed over.
struct QiitaParameters {
  private let text: String

  /// The parameters in what follows the `?`.
  init(_ text: String?) {
    self.text = text ?? ""
  }

  /// The decoded value of a parameter; nil when it was not sent.
  func value(_ name: String) throws(Rejection) -> [UInt8]? {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")).reversed() {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard PercentCoding.decoded(pair[..<equals], plusIsSpace: true) == Array(name.utf8) else {
        continue
      }
      guard let value = PercentCoding.decoded(pair[equals...].dropFirst(), plusIsSpace: true) else {
        throw Rejection(.badRequest, "The query is not percent-encoded UTF-8.")
      }
      return value
    }
    return nil
  }
}
