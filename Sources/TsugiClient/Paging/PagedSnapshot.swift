/// A list as it was, to be kept on disk and begun from, immediately and without a network.
///
///     if let snapshot = list.snapshot() {                               // when the app leaves
///       try JSONEncoder().encode(snapshot).write(to: file, options: .atomic)
///     }
///     let list = PagedList(feed, from: try JSONDecoder().decode(…, from: kept))
///
/// It is what was read of one feed of one server, and knows its ``feed``: a list of another one
/// begins empty. A store keeps all lists without this.
public struct PagedSnapshot<Item: Identifiable & Codable & Sendable>: Codable, Sendable
where Item.ID: Codable & Sendable {
  /// The form that is written.
  static var version: Int { 2 }

  /// The items, in feed order.
  public let items: [Item]
  /// The item at the top of the screen, to scroll to; nil where none was seen.
  public let place: Item.ID?

  /// The name of the feed it is of; empty where it was kept by a version that did not say.
  public let feed: String

  /// How the items hang together.
  struct Segment: Codable, Hashable, Sendable {
    var start: FeedCursor
    var end: FeedCursor
    var count: Int
    var hasGapAbove: Bool
    var seq: SequenceNumber?
  }

  let version: Int
  let segments: [Segment]
  let since: SequenceNumber?
  let topPlace: FeedCursor?
  /// Whether it is to be looked whether something came above, and below.
  let mayHaveNews: Bool
  let mayGoOn: Bool
  let hasMore: Bool
  let hasPrevious: Bool
  let endReason: FeedEndReason?
  let total: FeedTotal?
  let freshness: FeedFreshness?
}

extension PagedSnapshot {
  /// Reads what was kept.
  ///
  /// - Throws: `DecodingError` for what is no snapshot of this form: begin without one then.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    guard (1...Self.version).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "is of another form")
    }
    let items = try container.decode([Item].self, forKey: .items)
    let segments = try container.decode([Segment].self, forKey: .segments)
    guard segments.allSatisfy({ (0...items.count).contains($0.count) }),
      segments.reduce(0, { $0 + $1.count }) == items.count,
      Set(items.map(\.id)).count == items.count
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .segments, in: container, debugDescription: "do not fit the items")
    }
    (self.items, self.segments) = (items, segments)
    feed = version == 1 ? "" : try container.decode(String.self, forKey: .feed)
    place = try container.decodeIfPresent(Item.ID.self, forKey: .place)
    since = try container.decodeIfPresent(SequenceNumber.self, forKey: .since)
    topPlace = try container.decodeIfPresent(FeedCursor.self, forKey: .topPlace)
    mayHaveNews = try container.decode(Bool.self, forKey: .mayHaveNews)
    mayGoOn = try container.decode(Bool.self, forKey: .mayGoOn)
    hasMore = try container.decode(Bool.self, forKey: .hasMore)
    hasPrevious = try container.decode(Bool.self, forKey: .hasPrevious)
    endReason = try container.decodeIfPresent(FeedEndReason.self, forKey: .endReason)
    total = try container.decodeIfPresent(FeedTotal.self, forKey: .total)
    freshness = try container.decodeIfPresent(FeedFreshness.self, forKey: .freshness)
  }
}

extension PagedList where Item: Codable, Item.ID: Codable {
  /// The list as it is, with about `maxItems` items around what is on the screen; nil while
  /// nothing is loaded.
  public func snapshot(maxItems: Int = 200) -> PagedSnapshot<Item>? {
    state.snapshot(maxItems: maxItems, feed: feed.name)
  }

  /// A list that goes on from a snapshot of the same feed; with one of another it begins empty.
  ///
  /// It shows what was kept from the beginning on. Once started it refreshes: what came meanwhile
  /// is put above, or where that is too much, above a gap. Without a network it stays as it is, and
  /// ``refreshState`` says so; where the server does not know its places any more, it begins again.
  public convenience init(
    _ feed: Feed<Item>, from snapshot: PagedSnapshot<Item>, options: PagedOptions = PagedOptions()
  ) {
    guard snapshot.feed.isEmpty || snapshot.feed == feed.name else {
      self.init(feed, options: options)
      return
    }
    self.init(
      feed,
      state: PagedState(
        from: snapshot, options: options, limit: feed.limit, backoff: feed.client.backoff))
  }
}

extension PagedState where Item: Codable, Item.ID: Codable {
  /// The list as it is, without what is farthest from the reader.
  func snapshot(maxItems: Int, feed: String) -> PagedSnapshot<Item>? {
    guard isLoaded, !needsReset else { return nil }
    let place = visible.indices(in: content).map { content.items[$0.lowerBound].id }
    var kept = self
    // A view that shows no row but the footer says nothing of where the reader is.
    (kept.isFooterVisible, kept.isKept) = (false, false)
    kept.trim(to: max(0, maxItems), margin: 0, isAbove: true)
    let segments = kept.content.segments.map { segment in
      PagedSnapshot<Item>.Segment(
        start: segment.start, end: segment.end, count: segment.count,
        hasGapAbove: segment.gapAbove != nil, seq: segment.seq)
    }
    return PagedSnapshot(
      items: kept.content.items, place: place ?? resumesAt, feed: feed,
      version: PagedSnapshot<Item>.version, segments: segments, since: keptSince,
      topPlace: topPlace, mayHaveNews: keptNews, mayGoOn: mayGoOn || endLook != nil,
      hasMore: kept.hasMore, hasPrevious: kept.hasPrevious, endReason: kept.endReason, total: total,
      freshness: freshness)
  }

  /// A list that goes on from what was kept.
  init(
    from snapshot: PagedSnapshot<Item>, options: PagedOptions = PagedOptions(), limit: Int = 20,
    backoff: Backoff = Backoff(), window: Int = VisibleRows<Item>.windowDefault
  ) {
    self.init(options: options, limit: limit, backoff: backoff, window: window)
    var rest = snapshot.items[...]
    for segment in snapshot.segments {
      let piece = PagedItems<Item>.Piece(
        items: Array(rest.prefix(segment.count)), start: segment.start, end: segment.end,
        seq: segment.seq)
      rest = rest.dropFirst(segment.count)
      let count = content.segments.count
      content.replace(
        count..<count, with: [piece], gapAbove: segment.hasGapAbove ? nextNumber() : nil)
    }
    (isLoaded, wantsRefresh, resumesAt) = (true, true, snapshot.place)
    (since, topPlace) = (snapshot.since, snapshot.topPlace)
    (mayHaveNews, mayGoOn) = (snapshot.mayHaveNews, snapshot.mayGoOn)
    (hasMore, hasPrevious) = (snapshot.hasMore, snapshot.hasPrevious)
    (endReason, total, freshness) = (snapshot.endReason, snapshot.total, snapshot.freshness)
  }
}

extension PagedSnapshot {
  /// The same as plain values; nil where it cannot be.
  package var kept: KeptList? {
    PagedState(from: self).kept
  }
}
