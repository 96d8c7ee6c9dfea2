package import Bytes
package import Feed

/// Asks Qiita, or whatever speaks its API v2, for pages and single items.
///
/// `Upstream` is the room of the page fetchers: how a window becomes a URL, how an answer becomes
/// a `Page` or a `FetchError`. It does not retry, count calls or keep anything: that is the
/// engine's. Read next: `UpstreamClient` (the HTTP client), `ElementReader` (what is read of an
/// item), `FetchError+Answer` (errors told apart), `QiitaSource` (which feeds there are).
package struct QiitaFetcher: PageFetcher {
  private let client: UpstreamClient
  private let clock: any TimeSource
  private let base: BaseURL
  private let headerLines: [String]
  private let limits: TransferLimits
  /// Whether it asks with a token, and so is shown the private items of the token's owner.
  package let seesPrivate: Bool

  /// A fetcher of one source. Several may share a client; the token, if any, goes to `base`'s
  /// origin only.
  package init(
    client: UpstreamClient, clock: any TimeSource, base: BaseURL, token: Secret? = nil,
    limits: TransferLimits = TransferLimits()
  ) {
    self.client = client
    self.clock = clock
    self.base = base
    self.limits = limits
    seesPrivate = token != nil
    headerLines = ["Accept: application/json"] + (token.map { [$0.authorizationLine] } ?? [])
  }

  /// The most elements of a feed that comes whole. A page of any other has no more than were
  /// asked for: ranks are counted by that.
  package static let wholeCountMax = 10_000

  package func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    let isWhole = feed.pattern.order == .whole
    let countMax = isWhole ? QiitaFetcher.wholeCountMax : window.perPage
    return await fetch(url(of: window, feed)) { body, fields throws(FetchError) in
      try Page(
        body: body, fields: fields, pattern: feed.pattern, countMax: countMax,
        pace: WorkPace(client.pause))
    }
  }

  package func item(_ name: ItemName) async -> Fetched<PageItem> {
    await fetch("\(base.text)/\(name.path)") { body, _ throws(FetchError) in
      try item(name, from: body)
    }
  }

  /// `…/items?page=2&per_page=100&query=tag%3ASwift`
  private func url(of window: Window, _ feed: FeedID) -> String {
    // Where all comes at once, the documented parameters are missing but harmless; a later
    // window of it would be the same again.
    let window =
      feed.pattern.order == .whole
      ? feed.pattern.paging.top(perPage: feed.pattern.paging.perPageMax) : window
    let query = feed.query.map { "&query=\($0)" } ?? ""
    return "\(base.text)/\(feed.path)?page=\(window.page)&per_page=\(window.perPage)\(query)"
  }

  private func fetch<Value: Sendable>(
    _ url: String, read: ([UInt8], HeaderFields) throws(FetchError) -> Value
  ) async -> Fetched<Value> {
    let sentAt = clock.now
    let request = GetRequest(url: url, headerLines: headerLines)
    let answer = await client.get(request, limits: limits)
    let receivedAt = clock.now
    let fields = answer.head?.fields ?? HeaderFields()
    let date = fields["Date"].flatMap { HTTPDate.parse($0, now: receivedAt.seconds) }
    let result = Result { () throws(FetchError) in
      try check(answer, now: date ?? receivedAt.seconds)
      return try read(try answer.body.get(), fields)
    }
    return Fetched(
      sentAt: sentAt, receivedAt: receivedAt, date: date, age: fields.number("Age"),
      redirects: answer.redirects, budget: BudgetReading(fields), result: result)
  }

  /// What the status says comes before what became of the body: a cut 502 is a 502.
  private func check(_ answer: Answer, now: Int64) throws(FetchError) {
    guard let head = answer.head else { return }
    if let error = FetchError(
      status: head.status, answer: answer, fields: head.fields, now: now)
    {
      throw error
    }
  }

  /// The item asked for. A tag or a person asked for in other letter case than their own may be
  /// shown all the same, and is then what was asked for.
  private func item(_ name: ItemName, from body: [UInt8]) throws(FetchError) -> PageItem {
    let reader = ElementReader(identityPath: ["id"], needsKey: false)
    var item: PageItem
    do throws(ElementFault) {
      item = try reader.item(in: trimmed(body))
    } catch {
      throw .malformed(reason: "not the item asked for")
    }
    guard
      item.id == name.id
        || (hasNames(name.kind) && ASCII.equalsIgnoringCase(item.id.bytes, name.id.bytes))
    else { throw .malformed(reason: "not the item asked for") }
    guard !PrivateMark.stands(in: item.bytes[...]) else { throw .notFound }
    item.id = name.id
    return item
  }

  /// Whether identities of a kind are names that people type.
  private func hasNames(_ kind: ItemKind) -> Bool { kind == "tags" || kind == "users" }

  /// The value without the white space around it, as an element of an array is cut out.
  private func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in " \t\r\n".utf8.contains(byte) }
    guard let last = body.lastIndex(where: { !isSpace($0) }) else { return [] }
    return body[...last].drop(while: isSpace)
  }
}
