import Feed

/// The key by which requests share a flight: at most one flight for each key.
enum FlightKey: Hashable {
  case feed(FeedID)
  case item(ItemName)
  /// A page that is only shown, and changes nothing.
  case window(FeedID, Window)
  /// What is in no feed, by path and query. The number distinguishes it from other calls for the
  /// same: who asks sees to it that one is enough.
  case errand(target: String, number: UInt64)

  /// The feed that is asked for; nil for an item.
  var feed: FeedID? {
    switch self {
    case .feed(let feed), .window(let feed, _): feed
    case .item, .errand: nil
    }
  }

  /// Its path at the upstream, without what follows a `?`.
  var path: String {
    switch self {
    case .feed(let feed), .window(let feed, _): feed.path
    case .item(let name): name.path
    case .errand(let target, _): String(target.prefix { $0 != "?" })
    }
  }

  /// The name of the rate limit that it counts in; nil for the source's.
  var budget: String? { feed?.pattern.budget }

  /// The call as those who share a store know it.
  func shared(of source: String) -> SharedCall {
    let (key, changed): (String, FeedID?) =
      switch self {
      case .feed(let feed): ("feed \(feed.name)", feed)
      case .item(let name): ("item \(name.path)", nil)
      case .window(let feed, let window): ("window \(feed.name) \(window)", nil)
      // What it brings each server keeps for itself.
      case .errand(let target, let number): ("errand \(number) \(target)", nil)
      }
    return SharedCall(source: source, key: key, feed: changed, budget: budget)
  }
}

/// One upstream call that several requests wait on.
struct Flight {
  let ask: Ask
  /// The page that was named when it was sent; nil until then, and for what is in no feed.
  var window: Window?
  /// What is looked at next, when it has landed.
  var next: ArraySlice<Ask> = []
  /// Who waits for it, in the order in which they came.
  var waiters: [UInt64] = []
  /// When it was sent; nil while it is queued, or another server makes the same call.
  var sentAt: Timestamp?
  /// Whether it was sent.
  var isSent: Bool { sentAt != nil }
  /// When an opening was taken for it, or is to be when it is sent.
  var openedAt: Timestamp?
  /// Whether it is for an item of which nothing is known.
  var isForUnknown = false
}

/// The result of a flight for one waiting request.
enum FlightResult {
  /// The answer is stored. A window's evidence comes with it.
  case landed(Evidence?)
  /// The page asked for, which is not stored.
  case shown(Page, sentAt: Timestamp)
  /// It was not made: what is stored is other by now, and what is needed is to be planned again.
  case moved
  /// It brought nothing, or the waiter's time was over.
  case failed(ReadError)
}
