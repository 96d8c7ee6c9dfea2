package import Feed

/// Single items.
extension FeedReader {
  /// A single item: as stored while that may be served, else as the upstream says. One older
  /// than `recheckSeconds` is looked at again behind the reply.
  ///
  /// Throws `.deleted` once the item is known to have gone and `.notFound` where it never was.
  /// `permit` is asked before one that is not stored is asked for.
  package func item(
    _ name: ItemName, wait: Duration, permit: OpeningPermit? = nil
  ) async throws(ReadError) -> ItemReading {
    try await retryingOnReplacedFile { () async throws(ReadError) in
      try await bringing { () async throws(ReadError) in
        try await answer(name, wait: wait, permit: permit)
      }
    }
  }

  /// See ``SliceSource``.
  package func storedItem(
    _ id: Identity, in feed: FeedID
  ) async throws(ReadError) -> ItemReading {
    try await retryingOnReplacedFile { () async throws(ReadError) in
      try await bringing { () async throws(ReadError) in
        // What a feed of a private thing has is as private, and is shown where that is stored.
        if let parent = feed.parent {
          if fetcher.seesPrivate, try stored(parent, at: time.now) == nil { throw .notFound }
          if try FeedReading(feed: feed, reader: book.reader).isGone(parent) { throw .notFound }
        }
        let position = try fromStore { () throws(StoreError) in
          try book.reader.position(of: id, in: feed)
        }
        guard position != nil, let item = try stored(id, realm: feed.realm, at: time.now)
        else { throw .notFound }
        return item
      }
    }
  }

  private func answer(
    _ name: ItemName, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> ItemReading {
    let arrivedAt = time.now
    let deadline = arrivedAt + wait
    let ask = Ask(.top(1), for: .reader)
    var known: ItemReading?
    do throws(ReadError) {
      known = try stored(name, at: arrivedAt)
    } catch {
      // Before an item is said to be gone, it is looked for once more among what others know.
      guard error == .deleted, try bring(name) else { throw error }
      known = try stored(name, at: arrivedAt)
    }
    if known == nil, try bring(name) { known = try stored(name, at: arrivedAt) }
    if let known, known.freshness.state != .expired {
      let isDue = arrivedAt - known.freshness.provenAt >= .seconds(policy.recheckSeconds)
      if isDue, wait > .zero, desk.flights[.item(name)] == nil,
        desk.pause(of: .item(name), at: arrivedAt) == nil,
        desk.bears(.recheck, for: .item(name), at: arrivedAt)
      {
        board(CallDesk.Call(key: .item(name), ask: Ask(.top(1), for: .recheck)))
      }
      return known
    }
    var failure: ReadError = .timedOut
    if let pause = desk.pause(of: .item(name), at: arrivedAt) {
      failure = pause
    } else if wait > .zero {
      switch await land(.item(name), ask, until: deadline, permit) {
      case .landed, .shown, .moved:
        if var item = try stored(name, at: time.now) {
          item.calls = 1
          return item
        }
      case .failed(let error): failure = error
      }
    }
    if failure != .notFound, failure != .deleted, let known { return known }
    throw failure
  }

  /// Brings an item that others may know.
  private func bring(_ name: ItemName) throws(ReadError) -> Bool {
    guard book.store.isShared else { return false }
    return try bring([name.id], realm: name.realm(of: slices.source))
  }

  /// An item as stored.
  private func stored(_ name: ItemName, at now: Timestamp) throws(ReadError) -> ItemReading? {
    try stored(name.id, realm: name.realm(of: slices.source), at: now)
  }

  private func stored(
    _ id: Identity, realm: String, at now: Timestamp
  ) throws(ReadError) -> ItemReading? {
    let item = try fromStore { () throws(StoreError) in try book.reader.item(id, realm: realm) }
    guard let item else { return nil }
    guard let reading = ItemReading(item, by: policy, at: now) else { throw .deleted }
    return reading
  }

  /// Puts the place that an item has by its own key where a request names one that the feed has not
  /// shown. An item that is not stored costs a call.
  ///
  /// Throws `.unknownElement` where there is no such item, or the feed is not ordered by what an
  /// item says.
  func place(
    _ request: inout SliceRequest, isStart: Bool, _ permit: OpeningPermit?
  ) async throws(ReadError) {
    let feed = request.feed
    guard case .element(let id, let isAbove) = isStart ? request.start : request.end,
      feed.placesItems, let kind = feed.pattern.one
    else { throw .unknownElement(isStart: isStart) }
    let item: ItemReading
    do throws(ReadError) {
      item = try await self.item(ItemName(id, kind: kind), wait: request.wait, permit: permit)
    } catch {
      switch error {
      case .notFound, .deleted: throw .unknownElement(isStart: isStart)
      case .timedOut where request.wait == .zero: throw .unknownElement(isStart: isStart)
      default: throw error
      }
    }
    guard let key = fetcher.key(of: item.bytes, in: feed) else {
      throw .unknownElement(isStart: isStart)
    }
    let position = Position(order: key, tie: id.bytes)
    let bound = SliceRequest.Bound.cut(isAbove ? .above(position) : .below(position))
    if isStart { request.start = bound } else { request.end = bound }
  }

  /// Throws `.notFound` for a feed that hangs on an item which is not there, or not for everybody
  /// to see; asks for the item where the upstream would show such a feed to us alone.
  func checkParent(
    of feed: FeedID, wait: Duration, _ permit: OpeningPermit?
  ) async throws(ReadError) {
    guard let parent = feed.parent else { return }
    guard fetcher.seesPrivate else {
      if try FeedReading(feed: feed, reader: book.reader).isGone(parent) { throw .notFound }
      return
    }
    do throws(ReadError) {
      _ = try await item(parent, wait: wait, permit: permit)
    } catch {
      throw error == .deleted ? .notFound : error
    }
  }
}

extension ItemReading {
  /// An item as it is stored; nil where it is gone.
  init?(_ item: StoredItem, by policy: Policy, at now: Timestamp) {
    guard let bytes = item.bytes else { return nil }
    let proof = Proof(
      upper: .top, lower: .bottom, provenAt: item.sentAt, count: 1, rankBelow: 1)
    self.init(
      bytes: bytes, freshness: Freshness(of: [proof], lookedAt: nil, policy: policy, at: now))
  }
}

extension FeedID {
  /// Whether an item that the source shows by itself has a place in the feed by its own key.
  var placesItems: Bool { pattern.order == .value && pattern.one != nil }
}
