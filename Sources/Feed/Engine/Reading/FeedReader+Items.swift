/// One item and its freshness, for `GET …/items/{id}`.
package struct ItemReading: Hashable, Sendable {
  /// Its JSON, byte for byte as received.
  package var bytes: [UInt8]
  /// How old it is.
  package var freshness: Freshness
  /// How many upstream calls the request waited for; 0 when the store alone answered.
  package var calls = 0
}

/// Why an item is not requested upstream for a while.
struct ItemPause {
  /// Until when.
  var until: Timestamp
  /// What that means for a reader.
  var failure: ReadError
  /// Flights in a row that failed.
  var failures: Int
}

extension FeedReader {
  /// The most items that are remembered not to be asked for.
  static let itemPausesMax = 1_000

  /// A single item: as stored while that may be served, else as the upstream says. One older
  /// than `recheckSeconds` is looked at again behind the reply.
  ///
  /// Throws `.deleted` once the item is known to have gone and `.notFound` where it never was.
  /// `permit` is asked before one that is not stored is asked for.
  package func item(
    _ name: ItemName, wait: Duration, permit: OpeningPermit? = nil
  ) async throws(ReadError) -> ItemReading {
    try await retryingOnReplacedFile { () async throws(ReadError) in
      try await answer(name, wait: wait, permit: permit)
    }
  }

  private func answer(
    _ name: ItemName, wait: Duration, permit: OpeningPermit?
  ) async throws(ReadError) -> ItemReading {
    let arrivedAt = time.now
    let deadline = arrivedAt + wait
    let ask = Ask(Window(page: 1, perPage: 1), for: .reader)
    let known = try stored(name, at: arrivedAt)
    if let known, known.freshness.state != .expired {
      let isDue = arrivedAt - known.freshness.provenAt >= .seconds(policy.recheckSeconds)
      if isDue, wait > .zero, flights[.item(name)] == nil, pause(of: name, at: arrivedAt) == nil,
        budget.bears(.recheck, reserve: policy.reserveCalls, at: arrivedAt)
      {
        board(.item(name), Ask(ask.window, for: .recheck))
      }
      return known
    }
    var failure: ReadError = .timedOut
    if let pause = pause(of: name, at: arrivedAt) {
      failure = pause.failure
    } else if wait > .zero {
      switch await land(.item(name), ask, until: deadline, permit) {
      case .landed, .shown:
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

  /// Why an item is not asked for now; nil when it may be.
  private func pause(of name: ItemName, at now: Timestamp) -> ItemPause? {
    itemPauses[name].flatMap { $0.until > now ? $0 : nil }
  }

  /// Notes a failed flight: the item is not asked for again for a while, longer each time.
  func pause(_ name: ItemName, after error: FetchError, at now: Timestamp) -> ReadError {
    if itemPauses.count >= FeedReader.itemPausesMax {
      itemPauses = itemPauses.filter { $0.value.until > now }
      if itemPauses.count >= FeedReader.itemPausesMax { itemPauses.removeAll() }
    }
    let failures = (itemPauses[name]?.failures ?? 0) + 1
    let until = now + pause(after: error, failures: failures)
    let meaning = meaning(of: error, retryAt: until)
    itemPauses[name] = ItemPause(until: until, failure: meaning, failures: failures)
    return meaning
  }

  /// An item as stored.
  private func stored(_ name: ItemName, at now: Timestamp) throws(ReadError) -> ItemReading? {
    let item = try fromStore { () throws(StoreError) in
      try reader.item(name.id, realm: name.realm(of: source))
    }
    guard let item else { return nil }
    guard let bytes = item.bytes else { throw .deleted }
    let proof = Proof(
      upper: .top, lower: .bottom, provenAt: item.sentAt, count: 1, rankBelow: 1)
    return ItemReading(
      bytes: bytes,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: policy, at: now))
  }

  /// Throws `.notFound` for a feed that hangs on an item which is not there, or not for everybody
  /// to see; asks for the item where the upstream would show such a feed to us alone.
  func checkParent(
    of feed: FeedID, wait: Duration, _ permit: OpeningPermit?
  ) async throws(ReadError) {
    guard let parent = feed.parent else { return }
    guard fetcher.seesPrivate else {
      if try isGone(parent, from: reader) { throw .notFound }
      return
    }
    do throws(ReadError) {
      _ = try await item(parent, wait: wait, permit: permit)
    } catch {
      throw error == .deleted ? .notFound : error
    }
  }

  /// Whether an item is known to have gone.
  nonisolated func isGone(
    _ name: ItemName, from reader: any TimelineReader
  ) throws(ReadError) -> Bool {
    try fromStore { () throws(StoreError) in
      try reader.item(name.id, realm: name.realm(of: source)).map { $0.bytes == nil } ?? false
    }
  }
}
