/// The (page, per_page) pair asked of the upstream. It covers the ranks
/// `(page − 1) · perPage` to `page · perPage − 1`, counted from 0 at the top.
package struct Window: Hashable, Sendable {
  /// The highest page Qiita serves; 101 is answered with 400.
  package static let pageMax = 100
  /// The most elements Qiita puts on one page.
  package static let perPageMax = 100
  /// How many elements can be reached at all: 10,000.
  package static let reachMax = pageMax * perPageMax

  /// 1 to ``pageMax``.
  package var page: Int
  /// 1 to ``perPageMax``.
  package var perPage: Int

  /// A window from its two numbers.
  package init(page: Int, perPage: Int) {
    self.page = page
    self.perPage = perPage
  }

  /// The first rank it covers, from 0 at the top.
  package var firstRank: Int { (page - 1) * perPage }
  /// The first rank below it.
  package var endRank: Int { page * perPage }
}

/// One element as the upstream gave it.
package struct PageItem: Hashable, Sendable {
  /// Its identity.
  package var id: Identity
  /// `created_at` in whole seconds since 1970; nil where the schema has none.
  package var createdAt: Int64?
  /// `updated_at` in whole seconds since 1970; nil where the schema has none.
  package var updatedAt: Int64?
  /// Its JSON, byte for byte as received.
  package var bytes: [UInt8]

  /// An element from its parts.
  package init(id: Identity, createdAt: Int64?, updatedAt: Int64?, bytes: [UInt8]) {
    self.id = id
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.bytes = bytes
  }
}

/// One upstream answer to a ``Window``.
package struct Page: Hashable, Sendable {
  /// The good elements in the upstream's order, each with its index among all it sent.
  package var items: [Slot]
  /// How many elements the array had, bad ones included.
  package var count: Int
  /// Whether the answer's `Link` has `rel="next"`.
  package var hasNext: Bool
  /// `Total-Count`: elements in the feed, not capped by what can be reached.
  package var total: Int?
  /// How many elements were left out, by what was wrong with them.
  package var faults: [ElementFault: Int]
  /// What names this state of the feed, where the upstream can tell whether it has changed.
  package var revision: UInt64?

  /// A good element and its index in the answer's array, from 0.
  package struct Slot: Hashable, Sendable {
    /// From 0; the element's rank is the window's first rank plus this.
    package var index: Int
    /// The element.
    package var item: PageItem

    /// A slot from its parts.
    package init(index: Int, item: PageItem) {
      self.index = index
      self.item = item
    }
  }

  /// A page from its parts; elements missing from `items` are bad ones that were left out.
  package init(
    items: [Slot], count: Int, hasNext: Bool, total: Int?, faults: [ElementFault: Int] = [:]
  ) {
    self.faults = faults
    self.items = items
    self.count = count
    self.hasNext = hasNext
    self.total = total
  }
}

/// What can be wrong with one element of an answer.
package enum ElementFault: String, CaseIterable, Error, Sendable {
  /// It is no object of valid JSON and UTF-8; it is left out.
  case broken
  /// It has no identity of 1 to 128 bytes; it is left out.
  case nameless
  /// It has no valid time in a feed that is ordered by it; it is left out.
  case undated
  /// Only the token's owner may see it, and the feed is not the owner's; it is left out.
  case hidden
  /// Its identity came before in the same answer; it is left out.
  case repeated
  /// It stands where its time does not belong; it is kept where its time belongs.
  case displaced
}

/// What an upstream call brought, good or not, with what its head said.
package struct Fetched<Value: Sendable>: Sendable {
  /// When the request was sent: evidence is ordered by this.
  package var sentAt: Timestamp
  /// When its answer was whole, or failed.
  package var receivedAt: Timestamp
  /// The answer's `Date` in whole seconds since 1970, by the upstream's clock.
  package var date: Int64?
  /// The answer's `Age` in seconds: how long it lay in caches.
  package var age: Int64?
  /// Redirects that were followed on the way: calls that it took besides the first.
  package var redirects: Int
  /// What the rate headers said, also on errors.
  package var budget: BudgetReading?
  /// What was asked for, or why it is not there.
  package var result: Result<Value, FetchError>

  /// An answer from its parts.
  package init(
    sentAt: Timestamp, receivedAt: Timestamp, date: Int64?, age: Int64? = nil,
    redirects: Int = 0, budget: BudgetReading?, result: Result<Value, FetchError>
  ) {
    self.redirects = redirects
    self.sentAt = sentAt
    self.receivedAt = receivedAt
    self.date = date
    self.age = age
    self.budget = budget
    self.result = result
  }
}

/// The rate headers of one answer, by the upstream's clock.
package struct BudgetReading: Hashable, Sendable {
  /// `Rate-Limit`: calls an hour.
  package var limit: Int
  /// `Rate-Remaining`: calls left until the reset.
  package var remaining: Int
  /// `Rate-Reset`: seconds since 1970, measured by the answer's own `Date`.
  package var resetSeconds: Int64

  /// A reading from its parts.
  package init(limit: Int, remaining: Int, resetSeconds: Int64) {
    self.limit = limit
    self.remaining = remaining
    self.resetSeconds = resetSeconds
  }
}

/// Why an upstream call brought nothing that can be used.
package enum FetchError: Error, Hashable, Sendable {
  /// Nothing: the feed is still in the state that was named.
  case unchanged
  /// 429, or 403 whose `type` is `rate_limit_exceeded`. `retryAfterSeconds` where it was sent.
  case rateLimited(retryAfterSeconds: Int?)
  /// 401, or 403 of another type: this feed is refused, not the source.
  case refused(status: Int)
  /// 404: the feed or item is not there.
  case notFound
  /// 400 or another 4xx: the upstream does not take what was asked.
  case rejected(status: Int)
  /// 5xx. `retryAfterSeconds` where it was sent.
  case serverError(status: Int, retryAfterSeconds: Int? = nil)
  /// No connection, a reset, a TLS failure or the like; `reason` in libcurl's words.
  case unreachable(reason: String)
  /// The total time, or the low-speed limit, was passed.
  case timedOut
  /// The body was over the limit of `limitBytes`.
  case tooLarge(limitBytes: Int)
  /// The body ended before its announced length, or its gzip stream did not end.
  case cut
  /// The answer is not what the contract of the upstream says: not JSON, not an array.
  case malformed(reason: String)
}

/// Asks one upstream. Calls are neither cached, repeated nor counted here.
package protocol PageFetcher: Sendable {
  /// Asks for one window of a feed. Where its ``Page/revision`` would be `known` again, the answer
  /// may be `.unchanged` instead.
  func page(_ window: Window, of feed: FeedID, unlessStill known: UInt64?) async -> Fetched<Page>

  /// Asks for one window of a feed.
  func page(_ window: Window, of feed: FeedID) async -> Fetched<Page>

  /// Asks for something that the source shows by itself.
  func item(_ name: ItemName) async -> Fetched<PageItem>

  /// Whether the upstream shows it what others may not see, as to the owner of a token: then feeds
  /// that hang on an item are shown only once the item was.
  var seesPrivate: Bool { get }
}

extension PageFetcher {
  /// Without a token it sees what everybody sees.
  package var seesPrivate: Bool { false }

  /// Asks for one window of a feed, whatever is known of it.
  package func page(
    _ window: Window, of feed: FeedID, unlessStill known: UInt64?
  ) async -> Fetched<Page> {
    await page(window, of: feed)
  }
}

extension FetchError {
  /// What happened, as a word that stays the same: for metrics, and for who searches a log.
  package var word: String {
    switch self {
    case .unchanged: "unchanged"
    case .rateLimited: "rate_limited"
    case .refused: "refused"
    case .notFound: "not_found"
    case .rejected: "rejected"
    case .serverError: "server_error"
    case .unreachable: "unreachable"
    case .timedOut: "timed_out"
    case .tooLarge: "too_large"
    case .cut: "cut"
    case .malformed: "malformed"
    }
  }

  /// What happened, for people.
  package var reason: String {
    switch self {
    case .unchanged: "nothing has changed"
    case .rateLimited(let seconds): "no calls are left\(Self.retry(after: seconds))"
    case .refused(let status): "it answered \(status): the feed is refused"
    case .notFound: "it answered 404: there is nothing"
    case .rejected(let status): "it answered \(status): it does not take what was asked"
    case .serverError(let status, let seconds): "it answered \(status)\(Self.retry(after: seconds))"
    case .unreachable(let reason), .malformed(let reason): reason
    case .timedOut: "it took too long"
    case .tooLarge(let limitBytes): "more than \(limitBytes) bytes"
    case .cut: "the answer ended too early"
    }
  }

  private static func retry(after seconds: Int?) -> String {
    seconds.map { ", to be asked again after \($0) s" } ?? ""
  }
}
