private import Bytes
internal import Feed
import Freshness

/// How a window of a list is written as a URL.
struct ListURL {
  private let recipe: Recipe
  private let list: ListRecipe
  private let fraction: Int?

  /// The URLs of a list, of whose keys so many digits behind the dot were seen.
  init(_ recipe: Recipe, _ list: ListRecipe, fraction: Int? = nil) {
    (self.recipe, self.list, self.fraction) = (recipe, list, fraction)
  }

  /// `…/items?page=2&per_page=100&query=tag%3ASwift`
  ///
  /// - Throws: `.malformed` where what the answer before named as the next leads elsewhere.
  func text(of window: Window, _ feed: FeedID) throws(FetchError) -> String {
    let pages = list.pages
    // A later window of a list that comes whole would be the same again.
    let window =
      feed.pattern.order == .whole
      ? feed.pattern.paging.top(perPage: feed.pattern.paging.perPageMax) : window
    if case .mark(let mark?, _) = window.address, pages.by == .next, pages.at == nil {
      return try sized(following(mark, in: feed), for: window)
    }
    var parameters = list.isAskedPlainly(recipe) ? [] : paging(window)
    let values = values(in: feed)
    // What says where a page begins is never said twice.
    let paging = Set(parameters.map(\.name))
    parameters += list.query.filter { !paging.contains($0.name) }.map { parameter in
      let value = parameter.value.filled(
        literal: { percentEncoded($0.utf8) }, value: { values[$0] ?? "" })
      return (parameter.name, value)
    }
    for pair in (feed.parameters ?? "").split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let allowed = list.allow.first { percentEncoded($0.name.utf8) == halves[0] }
      guard let allowed else { continue }
      parameters.removeAll { $0.name == allowed.upstreamName }
      parameters.append((allowed.upstreamName, String(halves[1])))
    }
    if let segment = window.segment, !segment.isInside, let past = pages.past {
      let bound = percentEncoded(
        past.text(of: segment.keyMax, in: feed.pattern.unit, form: list.time).utf8)
      if let index = parameters.firstIndex(where: { $0.name == past.at }) {
        parameters[index].value += "%20" + bound
      } else {
        parameters.append((past.at, bound))
      }
    }
    let path = list.upstreamPath?.filled(value: { values[$0] ?? "" }) ?? feed.path
    return text(path: path, parameters)
  }

  /// The URL of something below the base; values are percent-encoded.
  func text(path: String, _ parameters: [(name: String, value: String)] = []) -> String {
    var parameters = parameters
    if case .query(let name, let value) = recipe.credential {
      parameters.append((name, percentEncoded(value.text.utf8)))
    }
    let query = parameters.map { "\(percentEncoded($0.name.utf8))=\($0.value)" }
      .joined(separator: "&")
    let slash = path.isEmpty ? recipe.baseURL.slashes : path == "/" ? "" : "/"
    return "\(recipe.baseURL.text)\(slash)\(path)" + (query.isEmpty ? "" : "?\(query)")
  }

  /// What of an item names the place below it, as it is written in a request; nil where the list
  /// is not asked for so.
  func mark(of item: PageItem) -> String? {
    let pages = list.pages
    guard pages.by == .item else { return nil }
    guard let path = pages.value, path != list.id else { return written(item.id.text) }
    let reader = AnswerReader(body: item.bytes, fields: FieldList())
    return path.inside(list.item).map { FieldPath(keys: $0) }
      .flatMap { reader.text(.body($0)) }.map(written)
  }

  /// What names the place at which a key begins. One that is not included must be passed by one, so
  /// that all of it comes, and one of which elements show only a part as well: an API may know more
  /// of an instant than the whole second that it shows.
  func mark(of key: Int64) -> String? {
    guard list.isByKey else { return nil }
    let isInstant = list.time.unit == .milliseconds
    let second = isInstant ? KeyUnit.milliseconds.second(of: key).map { $0 * 1_000 } : nil
    let isWhole = second.map { fraction.map { $0 == 0 } ?? ($0 == key) } ?? false
    let (start, step) = isWhole ? (second ?? key, Int64(1_000)) : (key, 1)
    let isPassed = !list.pages.includes || start < key || fraction ?? 0 > 3
    return written(list.time.text(of: isPassed ? start + step : start, isWhole: isWhole))
  }

  private func written(_ value: String) -> String {
    list.pages.write?.filled(value: { _ in value }) ?? value
  }

  /// The parameters that say where a window begins and how many elements it has.
  private func paging(_ window: Window) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    if let place = place(of: window) { parameters.append(place) }
    if let name = list.pages.inside, window.segment?.isInside == true,
      case .page(let page) = window.address
    {
      parameters.append((name, "\(page - 1 + list.pages.firstNumber)"))
    }
    if let size = list.pages.size { parameters.append((size, "\(window.perPage)")) }
    return parameters
  }

  /// The parameter that says where a window begins; nil where the top needs none.
  private func place(of window: Window) -> (name: String, value: String)? {
    let pages = list.pages
    guard let name = pages.atName else { return nil }
    if let segment = window.segment, segment.isInside {
      return mark(of: segment.keyMax).map { (name, percentEncoded($0.utf8)) }
    }
    let number: Int
    switch window.address {
    case .page(let page) where pages.by == .offset: number = (page - 1) * window.perPage
    case .page(let page): number = page - 1
    case .offset(let offset): number = offset
    case .mark(let mark, _):
      return (mark ?? pages.start).map { (name, percentEncoded($0.utf8)) }
    }
    let place = "\(number + pages.firstNumber)"
    let written = pages.write?.filled { $0 == "size" ? "\(window.perPage)" : place }
    return (name, percentEncoded((written ?? place).utf8))
  }

  /// The values of the variables in a feed's path, percent-encoded.
  private func values(in feed: FeedID) -> [String: String] {
    let parts = feed.path.split(separator: "/", omittingEmptySubsequences: false)
    let pairs = zip(feed.pattern.words, parts).filter { $0.0.hasPrefix(":") }
    return Dictionary(
      pairs.map { (String($0.0.dropFirst()), String($0.1)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// A URL that an answer named as the next, where it lies below the base.
  private func following(_ mark: String, in feed: FeedID) throws(FetchError) -> String {
    guard mark.utf8.count <= Window.markBytesMax,
      let url = recipe.baseURL.resolved(mark, against: "\(recipe.baseURL.text)/\(feed.path)")
    else { throw .malformed(reason: "the next page is said to be elsewhere") }
    guard case .query(let name, _)? = recipe.credential else { return url }
    let isGiven = url.split(separator: "?", maxSplits: 1).dropFirst().contains { query in
      query.split(separator: "&").contains { $0.hasPrefix("\(percentEncoded(name.utf8))=") }
    }
    return isGiven ? url : recipe.credential?.added(to: url) ?? url
  }

  /// A URL with the size of a window in it, where it carries one: that of the page above. What
  /// counts pages counts them in that size.
  private func sized(_ url: String, for window: Window) -> String {
    let halves = url.split(separator: "?", maxSplits: 1)
    guard let size = list.pages.size, !list.pages.isCounted, halves.count == 2 else { return url }
    let pairs = halves[1].split(separator: "&", omittingEmptySubsequences: false).map { pair in
      let name = pair.prefix { $0 != "=" }
      let isSize = BaseURL.decoded(Array(name.utf8)).elementsEqual(size.utf8)
      return isSize && name.count < pair.count ? "\(name)=\(window.perPage)" : String(pair)
    }
    return "\(halves[0])?\(pairs.joined(separator: "&"))"
  }
}
