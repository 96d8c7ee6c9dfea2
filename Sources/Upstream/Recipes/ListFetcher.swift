private import Bytes
package import Feed
import Freshness

/// Asks an API by its ``Recipe`` for pages and single items.
///
/// `Upstream` is the room of the page fetchers: how a window becomes a URL, how an answer becomes
/// a `Page` or a `FetchError`. It does not retry, count calls or keep anything: that is the
/// engine's. Read next: `UpstreamClient` (the HTTP client), `ElementReader` (what is read of an
/// element), `FetchError+Answer` (which error it is), `Recipe` (what an API is).
package struct ListFetcher: PageFetcher {
  private let client: UpstreamClient
  private let clock: any TimeSource
  private let recipe: Recipe
  private let lists: ListReaders
  private let kinds: [ItemKind: TextTemplate]
  private let headerLines: [String]
  private let limits: TransferLimits
  private let remembered: RememberedPages?
  private let given = SeenPages()

  /// A fetcher of one source. Several may share a client; the credential, if any, goes to the base
  /// URL's origin only.
  package init(
    _ recipe: Recipe, client: UpstreamClient, clock: any TimeSource,
    limits: TransferLimits = TransferLimits()
  ) {
    self.client = client
    self.clock = clock
    self.recipe = recipe
    self.limits = limits
    kinds = recipe.kinds
    lists = ListReaders(recipe)
    var lines = recipe.headers.map { "\($0.name): \($0.value)" }
    if !recipe.headers.contains(where: { $0.name.lowercased() == "accept" }) {
      lines.insert("Accept: application/json", at: 0)
    }
    headerLines = lines + (recipe.credential?.headerLine.map { [$0] } ?? [])
    remembered = recipe.rate.unchanged == .free ? RememberedPages() : nil
  }

  /// Whether it asks with a credential that is not public, and so may be shown what others may not
  /// see.
  package var seesPrivate: Bool { recipe.credential != nil && recipe.qiita != nil }

  /// The most elements of a feed that comes whole. A page of any other has no more than were
  /// asked for: ranks are counted by that.
  package static let wholeCountMax = 10_000

  package func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    guard let list = lists[feed.pattern.path] else { return failed(.notFound) }
    let url: String
    do throws(FetchError) {
      url = try self.url(list.recipe).text(of: window, feed)
    } catch {
      return failed(error)
    }
    let known = window.isTop ? remembered?[url] : nil
    let fetched = await fetch(url, known: known, beyond: list.recipe.pages.beyond) {
      answer throws(FetchError) in
      let page = try list.page(
        answer, to: window, of: feed, at: recipe.baseURL, given: given,
        pace: WorkPace(client.pause))
      if window.isTop, let tag = answer.fields["ETag"] { remembered?.keep(page, tag, of: url) }
      return page
    }
    switch fetched.result {
    case .failure(.notFound), .failure(.rejected): given.noteBelow(nil, to: window, of: feed)
    default: break
    }
    return fetched
  }

  package func item(_ name: ItemName) async -> Fetched<PageItem> {
    guard let one = kinds[name.kind],
      let list = recipe.lists.first(where: { $0.kind == name.kind && $0.one != nil })
        ?? recipe.lists.first,
      let reader = lists[list.path]?.one
    else { return failed(.notFound) }
    let path = one.filled(value: { _ in percentEncoded(name.id.bytes) })
    let url = ListURL(recipe, list).text(path: path)
    return await fetch(url, known: nil) { answer throws(FetchError) in
      try item(name, from: answer.body, reader)
    }
  }

  package func mark(of item: PageItem, in feed: FeedID) -> String? {
    guard let list = lists[feed.pattern.path] else { return nil }
    return url(list.recipe).mark(of: item)
  }

  package func mark(of key: Int64, in feed: FeedID) -> String? {
    guard let list = lists[feed.pattern.path] else { return nil }
    return url(list.recipe).mark(of: key)
  }

  private func url(_ list: ListRecipe) -> ListURL {
    ListURL(recipe, list, fraction: given.fraction(of: list.path))
  }

  package func key(of content: [UInt8], in feed: FeedID) -> Int64? {
    guard let list = lists[feed.pattern.path] else { return nil }
    do throws(ElementFault) { return try list.one.item(in: content[...]).key } catch { return nil }
  }

  private func failed<Value>(_ error: FetchError) -> Fetched<Value> {
    let now = clock.now
    return Fetched(sentAt: now, receivedAt: now, date: nil, budget: nil, result: .failure(error))
  }

  private func fetch<Value: Sendable>(
    _ url: String, known: RememberedPages.Entry?, beyond: [Int]? = nil,
    read: (AnswerReader) throws(FetchError) -> Value
  ) async -> Fetched<Value> {
    let sentAt = clock.now
    let condition = known.map { ["If-None-Match: \($0.tag)"] } ?? []
    let request = GetRequest(url: url, headerLines: headerLines + condition)
    let answer = await client.get(request, limits: limits)
    let receivedAt = clock.now
    let fields = answer.head?.fields ?? FieldList()
    let date = fields["Date"].flatMap { HTTPDate.parse($0, now: receivedAt.seconds) }
    let now = date ?? receivedAt.seconds
    // Of a body that did not come whole nothing is read.
    let whole = AnswerReader(
      body: ByteOrderMark.removed(from: (try? answer.body.get()) ?? []), fields: fields,
      url: answer.url)
    let reading = BudgetReading(
      whole, recipe.rate, now: Budget.clock(date: date, receivedAt: receivedAt))
    let result = Result { () throws(FetchError) -> Value in
      if let head = answer.head, head.status == 304, let page = known?.page as? Value {
        return page
      }
      if let beyond, let status = answer.head?.status, whole.isNothing(status, beyond) {
        return try read(AnswerReader(body: [], fields: fields, url: answer.url, isBare: true))
      }
      try check(answer, isSpent: reading?.remaining == 0, now: now)
      _ = try answer.body.get()
      return try read(whole)
    }
    var fetched = Fetched(
      sentAt: sentAt, receivedAt: receivedAt, date: date, age: fields.number("Age"),
      redirects: answer.redirects, budget: reading, result: result)
    if answer.redirects > 0 { fetched.movedTo = recipe.baseURL.path(of: answer.url) }
    return fetched
  }

  /// What the status says comes before what became of the body: a cut 502 is a 502.
  private func check(_ answer: Answer, isSpent: Bool, now: Int64) throws(FetchError) {
    guard let head = answer.head else { return }
    if let error = FetchError(
      status: head.status, answer: answer, fields: head.fields,
      rules: RefusalRules(
        isQiitas: recipe.qiita != nil, statuses: recipe.rate.refused, isSpent: isSpent),
      now: now)
    {
      throw error
    }
  }

  /// The item asked for. A tag or a person asked for in other letter case than their own may be
  /// shown all the same, and is then what was asked for.
  private func item(
    _ name: ItemName, from body: [UInt8], _ reader: ElementReader
  ) throws(FetchError) -> PageItem {
    var item: PageItem
    do throws(ElementFault) {
      item = try reader.item(in: trimmed(body))
    } catch {
      if error == .hidden { throw .notFound }
      throw .malformed(reason: "not the item asked for")
    }
    let isNamed = recipe.qiita != nil && QiitaDialect.hasNames(name.kind)
    // A path does not say whether an identity is a number or a text.
    guard
      item.id.bytes == name.id.bytes
        || isNamed && ASCII.equalsIgnoringCase(item.id.bytes, name.id.bytes)
    else { throw .malformed(reason: "not the item asked for") }
    item.id = name.id
    return item
  }

  /// The value without the white space around it, as an element of an array is cut out.
  private func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
    guard let last = body.lastIndex(where: { !isSpace($0) }) else { return [] }
    return body[...last].drop(while: isSpace)
  }
}
