package import Feed
import SQLiteStore
import Synchronization

/// What others wrote, as it comes into the copy.
///
/// The copy gives up nothing that it can serve for what it cannot bring. So contents come first,
/// then the rows that need them; and the rows of another history before the copy begins again.
extension SharedStore {
  /// The most items whose contents are asked for in one statement.
  private static let itemsMax = 100
  /// The most feeds that are carried over into another epoch: those last read.
  private static let carriedMax = 64
  /// The most bytes of contents that are carried over with them; the rest is brought when it is
  /// read.
  private static let carriedBytesMax = 32 << 20

  /// See ``StoreSharing/news(of:)``. The contents that they need are brought, too.
  package func news(of source: String) throws(StoreError) -> StoreNews? {
    let (number, states) = try copy.copied(of: source)
    var have = SourceCopy(of: source, number: number, states: states)
    let epoch = copy.epoch
    state.withLock { state in
      have.revision = state.known[source]?.adopted ?? -1
      have.budgets = state.budgetNames.filter { $0 == source || $0.hasPrefix(source + ":") }
    }
    let news = try call("pull") { [have] () throws(StoreError) in try ledger.news(beyond: have) }
    guard var news else { return state.withLock { $0.mended.removeValue(forKey: source) } }
    try check(news.epoch)
    guard SequenceNumber.told(epoch) == news.epoch else {
      // Another history: what the copy has of this one goes.
      try adopt(news.epoch)
      return nil
    }
    guard !news.isBehind(number, states) else {
      try begin()
      return nil
    }
    if !news.purges.isEmpty { try follow(source, news.purges) }
    try complete(&news)
    let last = time.now + Ground.futureMax
    news.budgets = news.budgets.mapValues { $0.withoutFuture(after: last) }
    state.withLock { state in
      state.known[source, default: KnownSource()].adopt(news.revision)
      state.known[source]?.hear(news.number)
      if let mended = state.mended.removeValue(forKey: source) {
        news.feeds = mended.feeds + news.feeds
      }
    }
    return news
  }

  /// Adds what the copy needs to serve by news all that it served before.
  private func complete(_ news: inout StoreNews) throws(StoreError) {
    var bytes = SharedStore.carriedBytesMax
    var feeds: [StoreNews.Feed] = []
    for feed in news.feeds {
      let name: String
      switch feed {
      case .rows(let rows):
        feeds.append(.rows(checked(rows)))
        continue
      case .drop(let dropped): name = dropped
      }
      feeds.append(feed)
      do throws(StoreError) {
        // One that was made again.
        if let rows = try whole(name, &bytes) { feeds.append(.rows(rows)) }
      } catch {
        guard case .unreadable(let reason) = error else { throw error }
        news.unreadable[name] = reason
      }
    }
    news.feeds = feeds
    for (realm, ids) in try copy.lacking(news) {
      let (items, contents) = try found(ids, realm: realm)
      try copying { () throws(StoreError) in
        try copy.take(items.filter { contents[$0.id] != nil }, contents: contents)
      }
    }
  }

  /// See ``StoreSharing/take(_:)``.
  package func take(_ news: StoreNews) throws(StoreError) {
    guard isOfHere(news.epoch) else { throw .replaced }
    let isKnown = state.withLock { $0.status.numbers[news.source] == news.number }
    if isKnown, !news.changesRows, news.unreadable.isEmpty { return }
    // A content that is nowhere keeps its feed as it is.
    let lacking = try copy.lacking(news)
    var news = news
    news.items.removeAll { lacking[$0.realm]?.contains($0.id) ?? false }
    var unreadable = Set(news.unreadable.keys)
    news.feeds.removeAll { feed in
      guard case .rows(let rows) = feed, let ids = lacking[rows.feed.realm],
        rows.items.contains(where: { ids.contains($0.id) })
      else { return false }
      unreadable.insert(feed.name)
      return true
    }
    try copying { [news] () throws(StoreError) in try copy.take(news) }
    state.withLock { state in
      state.unreadable.subtract(news.feeds.map(\.name))
      state.unreadable.formUnion(unreadable)
      state.status.numbers[news.source] = news.number
    }
  }

  /// See ``StoreSharing/bring(_:realm:)``.
  package func bring(_ ids: [Identity], realm: String) throws(StoreError) -> Bool {
    let (found, contents) = try found(ids, realm: realm)
    let items = found.filter { $0.digest == nil || contents[$0.id] != nil }
    try copying { () throws(StoreError) in try copy.take(items, contents: contents) }
    return !items.isEmpty
  }

  /// Items as they are shared, with their contents. A content that is not the one its digest stands
  /// for is left out.
  private func found(
    _ ids: [Identity], realm: String
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    var (items, contents): ([SharedItem], [Identity: [UInt8]]) = ([], [:])
    for start in stride(from: 0, to: ids.count, by: SharedStore.itemsMax) {
      let part = Array(ids[start..<min(start + SharedStore.itemsMax, ids.count)])
      let found = try call("contents") { () throws(StoreError) in
        try ledger.items(part, realm: realm)
      }
      items += found.items
      contents.merge(checked(found.contents, of: found.items)) { $1 }
    }
    return (items, contents)
  }

  /// Rows with those of their contents that are the ones their digests stand for.
  func checked(_ rows: SharedRows) -> SharedRows {
    var rows = rows
    rows.contents = checked(rows.contents, of: rows.items)
    return rows
  }

  private func checked(
    _ contents: [Identity: [UInt8]], of items: [SharedItem]
  ) -> [Identity: [UInt8]] {
    let digests = Dictionary(items.map { ($0.id, $0.digest) }) { $1 }
    let checked = contents.filter { digests[$0] == .some(SharedItem.digest(of: $1)) }
    count("broughtBytes", by: checked.values.reduce(0) { $0 + $1.count })
    return checked
  }

  /// A feed with all its rows, and those contents that are here or that it takes to serve what is
  /// served here now; nil where there is none. `bytes` is what contents may still take.
  private func whole(_ name: String, _ bytes: inout Int) throws(StoreError) -> SharedRows? {
    let rows = try call("bring") { () throws(StoreError) in try ledger.feed(name) }
    guard var rows else { return nil }
    var news = StoreNews(source: rows.feed.source, number: 0, epoch: copy.epoch)
    news.feeds = [.rows(rows)]
    var contents = try copy.image(of: name)?.contents ?? [:]
    contents.merge(rows.contents) { $1 }
    for (realm, ids) in try copy.lacking(news) {
      contents.merge(try found(ids, realm: realm).contents) { $1 }
    }
    rows.contents = [:]
    let digests = Dictionary(rows.items.map { ($0.id, $0.digest) }) { $1 }
    let elements = rows.elements.sorted { $0.known.position > $1.known.position }
    for id in elements.map(\.known.id) {
      guard bytes > 0, let content = contents[id],
        digests[id] == .some(SharedItem.digest(of: content))
      else { continue }
      rows.contents[id] = content
      bytes -= content.count
    }
    return rows
  }

  /// Sees to it that the next news make the copy of a feed what is shared: brings one that is not
  /// here, and where no news can, since the ledger has lost some, begins another epoch.
  func meet(_ ground: Ground, by feed: FeedID) throws(StoreError) {
    guard try copy.state(of: feed.name) != nil else {
      state.withLock { $0.absent[feed.name] = nil }
      _ = try timeline(of: feed)
      return
    }
    guard ground.number <= (try copy.number(of: feed.source)) else { return }
    var bytes = SharedStore.carriedBytesMax
    guard let rows = try whole(feed.name, &bytes),
      state.withLock({ $0.unreadable.contains(feed.name) })
    else { return try begin() }
    // The news of it were left out, since it could not be read then.
    var news = StoreNews(
      source: feed.source, number: try copy.number(of: feed.source), epoch: ground.epoch)
    news.feeds = [.drop(feed.name), .rows(rows)]
    state.withLock { [news] in $0.mended[feed.source] = news }
  }

  /// Begins the copy again where it is of another history, with the feeds that were last read.
  /// Until these have come, the copy stays as it is.
  func adopt(_ epoch: String) throws(StoreError) {
    guard !isOfHere(epoch) else { return }
    let isFirst = state.withLock { state in
      defer { state.isAdopting = true }
      return !state.isAdopting
    }
    guard isFirst else { throw .unreachable(message: "another history is being taken over") }
    defer { state.withLock { $0.isAdopting = false } }
    let carried = try carried()
    state.withLock { state in
      (state.underway, state.calls, state.known) = ([:], [:], [:])
      (state.absent, state.landing) = ([:], [:])
      (state.unreadable, state.mended) = ([], [:])
    }
    try copy.begin(epoch)
    for rows in carried {
      var news = StoreNews(source: rows.feed.source, number: 0, epoch: epoch)
      news.feeds = [.rows(rows)]
      try copy.take(news)
    }
  }

  private func carried() throws(StoreError) -> [SharedRows] {
    var bytes = SharedStore.carriedBytesMax
    var carried: [SharedRows] = []
    let feeds = try copy.feeds().sorted { $0.readAt > $1.readAt }
    for feed in feeds.prefix(SharedStore.carriedMax) {
      do throws(StoreError) {
        if let rows = try whole(feed.name, &bytes) { carried.append(rows) }
      } catch {
        // One that cannot be read is none that can be carried.
        guard case .unreadable = error else { throw error }
      }
    }
    return carried
  }
}

extension StoreNews {
  /// Whether a copy of these states knows more than the shared store: then that has lost something.
  fileprivate func isBehind(_ number: Int64, _ states: [String: SharedState]) -> Bool {
    if self.number < number || isDiverged { return true }
    return feeds.contains { feed in
      guard case .rows(let rows) = feed, let here = states[rows.feed.name] else { return false }
      return rows.feed.version < here.version
        || rows.feed.version == here.version && rows.feed.stamp != here.stamp
    }
  }
}
