import Feed
import Freshness
import Support
import Synchronization

@testable import Upstream

/// A list that does not move, as an API of one shape hands it out, and its recipe.
struct ShapedAPI: Sendable, CustomStringConvertible {
  enum Way: CaseIterable {
    case pages, onePageSize, offset, item, itemShown, time, token, url, whole
  }
  enum Total: CaseIterable { case none, body, text, field, range }
  enum Nothing: CaseIterable { case array, null, noKey, noContent, notFound, badRange }

  static let recipeMax = 20
  /// When the first element was made.
  private static let newest = 1_700_000_000

  var count = 0
  var way = Way.pages
  /// The most elements of a page, whatever is asked for.
  var pageMax = ShapedAPI.recipeMax
  var isOrdered = false
  var total = Total.none
  /// What a flag says where more follows, and at the end; nil without a flag.
  var flag: (yes: String, no: String)?
  var isFlagNegated = false
  /// Whether numbered pages name the next one, in a `Link`.
  var hasLink = false
  /// What stands for the next page where none follows; nil where another token stands there, and
  /// only the flag says no; empty where the place is left out.
  var lastNext: String? = "null"
  /// Whether the recipe looks for the next page at another place.
  var missesNext = false
  var nothing = Nothing.array
  var isPartial = false
  /// Whether each place is answered with the first page.
  var isDeaf = false
  var hasMark = false

  var description: String {
    "\(way) \(count) by \(pageMax), ordered \(isOrdered), total \(total),"
      + " flag \(flag?.yes ?? "none") negated \(isFlagNegated), link \(hasLink),"
      + " last \(lastNext ?? "a token"),"
      + " misses \(missesNext), nothing \(nothing)"
  }

  /// One of a few elements of which nothing tells that they are all.
  init(_ way: Way, silent count: Int) {
    (self.way, self.count, isOrdered) = (way, count, way == .time)
  }

  /// One of all shapes that say somewhere whether more follows.
  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func pick<Choice>(_ choices: [Choice], _ fallback: Choice) -> Choice {
      choices.randomElement(using: &random) ?? fallback
    }
    count = pick([0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 19, 20, 21, 40, 41, 60, 97, 120], 0)
    way = pick(Way.allCases, .pages)
    pageMax = pick([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 19] + Array(repeating: 20, count: 12), 20)
    isOrdered = way == .time || random.chance(50) && way != .whole
    total = pick(Total.allCases, .none)
    if random.chance(40) {
      flag = pick(
        [
          ("true", "false"), ("1", "0"), (#""yes""#, #""no""#), (#""True""#, #""False""#),
          ("7", "0"),
        ],
        ("true", "false"))
      isFlagNegated = random.chance(30)
      if isFlagNegated, let said = flag { flag = (said.no, said.yes) }
    }
    hasLink = random.chance(40)
    lastNext = pick(
      ["null", #""""#, "0", #""0""#, "false", "[]", "{}", "-1", #""None""#, #""null""#, ""], "null")
    if flag != nil, random.chance(30) { lastNext = nil }
    missesNext = random.chance(15) && flag == nil && [.token, .url].contains(way)
    if missesNext { pageMax = pick([10, 20], 20) }
    nothing = pick(Nothing.allCases, .array)
    if nothing == .badRange { total = .range }
    if nothing == .noKey, total == .none || total == .field { nothing = .null }
    isPartial = random.chance(30)
    hasMark = random.chance(10)
    // A whole list that is a page says so in some way.
    if way == .whole, flag == nil, total == .none { hasLink = true }
  }

  /// The keys of the feed in a recipe.
  var feed: String {
    let by =
      switch way {
      case .pages, .whole: #""size":"size""#
      case .onePageSize: #""accept":"none""#
      case .offset: #""by":"offset","size":"size""#
      case .item: #""by":"item","at":"after","size":"size""#
      case .itemShown: #""by":"item","at":"after","includes":true,"size":"size""#
      case .time: #""by":"time","at":"until","includes":true,"size":"size""#
      case .token:
        #""by":"next","at":"token","next":"\#(missesNext ? "nxt" : "next")","size":"size""#
      case .url: #""by":"next","next":"\#(missesNext ? "nxt" : "next")","size":"size""#
      }
    let said =
      switch total {
      case .none: ""
      case .body, .text: #","total":"total""#
      case .field: #","total":"header:X-Total""#
      case .range: #","total":"header:Content-Range""#
      }
    let more = flag == nil ? "" : #","more":"\#(isFlagNegated ? "!" : "")more""#
    let order =
      isOrdered ? #","order":"-at","time":"seconds""# : way == .whole ? #","order":"whole""# : ""
    let pages = #"{\#(by),"max":20,"beyond":[404]\#(said)\#(more)}"#
    return #""items":{"items":"items"\#(order),"pages":\#(pages)}"#
  }

  /// Whether the recipe is right in that every element can be asked for, and pages are large
  /// enough for that: some elements of each stand in the one above.
  var isWalkable: Bool {
    switch way {
    case .whole: false
    case .pages, .onePageSize: pageMax == ShapedAPI.recipeMax
    case .offset: pageMax > (isOrdered ? 2 : 4)
    case .item, .itemShown, .time: !isNarrow
    case .token, .url: !missesNext && pageMax > 1
    }
  }
  /// Whether its only page does not have the place where others name the next.
  var isSilent: Bool { [.token, .url].contains(way) && lastNext == "" && count <= pageMax }

  /// Whether an answer holds hardly more than the elements that it was asked for by, where ranks
  /// are only estimated: two of them may be taken for two that end at one place.
  var isNarrow: Bool { [.item, .itemShown, .time].contains(way) && pageMax <= 4 }

  /// The elements' identities.
  var ids: [Identity] { (0..<count).map { Identity("i\($0)") } }

  /// The answer to a URL.
  func answer(to url: String) -> (status: Int, fields: FieldList, body: [UInt8]) {
    let query = url.split(separator: "?").dropFirst().first ?? ""
    var asked: [Substring: Int] = [:]
    for pair in query.split(separator: "&") {
      let halves = pair.split(separator: "=")
      if halves.count == 2 { asked[halves[0]] = Int(halves[1].drop { $0 == "i" }) }
    }
    let size = min(pageMax, asked["size"] ?? pageMax)
    let from =
      switch way {
      case _ where isDeaf: 0
      case .pages, .onePageSize: ((asked["page"] ?? 1) - 1) * size
      case .offset: asked["offset"] ?? 0
      case .item: asked["after"].map { $0 + 1 } ?? 0
      case .itemShown: asked["after"] ?? 0
      case .time: asked["until"].map { max(0, ShapedAPI.newest - $0 + 6) / 7 } ?? 0
      case .token, .url: asked["token"] ?? 0
      case .whole: 0
      }
    let shown = min(from, count)..<min(from + size, count)
    return answer(showing: shown, hasMore: shown.upperBound < count)
  }

  private func answer(
    showing shown: Range<Int>, hasMore: Bool
  ) -> (status: Int, fields: FieldList, body: [UInt8]) {
    var fields = FieldList()
    var status = isPartial && hasMore ? 206 : 200
    var members: [String] = []
    let items = shown.map { #"{"id":"i\#($0)","at":\#(ShapedAPI.newest - 7 * $0)}"# }
    members.append(#""items":[\#(items.joined(separator: ","))]"#)
    if shown.isEmpty {
      switch nothing {
      case .array: break
      case .null: members = [#""items":null"#]
      case .noKey: members = []
      case .noContent: status = 204
      case .notFound: status = 404
      case .badRange: status = 416
      }
    }
    switch total {
    case .none: break
    case .body: members.append(#""total":\#(count)"#)
    case .text: members.append(#""total":"\#(count)""#)
    case .field: fields.append(line: Array("X-Total: \(count)".utf8))
    case .range:
      let range = shown.isEmpty ? "*" : "\(shown.lowerBound)-\(shown.upperBound - 1)"
      fields.append(line: Array("Content-Range: items \(range)/\(count)".utf8))
    }
    if let flag { members.append(#""more":\#(hasMore ? flag.yes : flag.no)"#) }
    let next = shown.upperBound
    if way == .token || way == .url {
      let named = way == .token ? "\"\(next)\"" : #""?token=\#(next)&size=20""#
      let last = lastNext ?? named
      if hasMore || !last.isEmpty { members.append(#""next":\#(hasMore ? named : last)"#) }
    } else if hasLink, hasMore {
      fields.append(line: Array("Link: </api/items?page=2>; rel=next".utf8))
    }
    let text = (hasMark ? "\u{FEFF}" : "") + "{\(members.joined(separator: ","))}"
    return (status, fields, [204, 404, 416].contains(status) ? [] : Array(text.utf8))
  }
}

/// Fetches a shaped list without a socket, as ``ListFetcher`` reads it.
struct ShapedFetcher: PageFetcher {
  let api: ShapedAPI
  let recipe: Recipe
  let list: ListRecipe
  let readers: ListReaders
  let clock: any TimeSource
  let given = SeenPages()
  let calls = Calls()

  /// How often it was asked.
  final class Calls: Sendable {
    let count = Atomic<Int>(0)
  }

  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    let now = clock.now
    calls.count.add(1, ordering: .relaxed)
    let result = Result { () throws(FetchError) -> Page in
      let url = try ListURL(recipe, list).text(of: window, feed)
      let answer = api.answer(to: url)
      var reader = AnswerReader(
        body: ByteOrderMark.removed(from: answer.body), fields: answer.fields, url: url)
      if reader.isNothing(answer.status, list.pages.beyond) {
        reader.isBare = true
      } else if let error = FetchError(
        status: answer.status, answer: Answer(head: nil, body: .success([])),
        fields: answer.fields, now: now.seconds)
      {
        throw error
      }
      guard let readers = readers[list.path] else { throw .notFound }
      return try readers.page(reader, to: window, of: feed, at: recipe.baseURL, given: given)
    }
    return Fetched(
      sentAt: now, receivedAt: now, date: now.seconds, budget: nil, result: result)
  }

  func item(_ name: ItemName) async -> Fetched<PageItem> {
    let now = clock.now
    return Fetched(
      sentAt: now, receivedAt: now, date: now.seconds, budget: nil, result: .failure(.notFound))
  }

  func mark(of item: PageItem, in feed: FeedID) -> String? {
    ListURL(recipe, list).mark(of: item)
  }

  func mark(of key: Int64, in feed: FeedID) -> String? { ListURL(recipe, list).mark(of: key) }
}
