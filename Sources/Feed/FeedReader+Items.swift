/// An item by itself, as a reader gets it.
package struct ItemReading: Hashable, Sendable {
  /// Its JSON, byte for byte as received.
  package var bytes: [UInt8]
  /// How old it is.
  package var freshness: Freshness
}

extension FeedReader {
  /// A single item: as stored while that may be served, else as the upstream says. One older
  /// than `recheckSeconds` is looked at again behind the reply.
  ///
  /// Throws `.deleted` once the item is known to have gone and `.notFound` where it never was.
  package func item(_ id: Identity, wait: Duration) async throws(ReadError) -> ItemReading {
    try await mending { () async throws(ReadError) in try await answer(id, wait: wait) }
  }

  private func answer(
    _ id: Identity, wait: Duration
  ) async throws(ReadError) -> ItemReading {
    let arrivedAt = time.now
    let deadline = arrivedAt + wait
    let ask = Ask(Window(page: 1, perPage: 1), for: .reader)
    let known = try stored(id, at: arrivedAt)
    if let known, known.freshness.state != .expired {
      let isDue = arrivedAt - known.freshness.provenAt >= .seconds(policy.recheckSeconds)
      if isDue, wait > .zero, flights[.item(id)] == nil,
        budget.bears(.recheck, reserve: policy.reserveCalls, at: arrivedAt)
      {
        board(.item(id), Ask(ask.window, for: .recheck))
      }
      return known
    }
    if let until = absent[id], until > arrivedAt { throw .notFound }
    var failure: ReadError = .timedOut
    if wait > .zero {
      switch await land(.item(id), ask, until: deadline) {
      case .landed: if let item = try stored(id, at: time.now) { return item }
      case .failed(let error): failure = error
      }
    }
    if failure != .notFound, failure != .deleted, let known { return known }
    throw failure
  }

  /// An item as stored.
  private func stored(_ id: Identity, at now: Timestamp) throws(ReadError) -> ItemReading? {
    let item: StoredItem?
    do throws(StoreError) {
      item = try reader.item(id, realm: itemsRealm)
    } catch {
      throw .store(error)
    }
    guard let item else { return nil }
    guard let bytes = item.bytes else { throw .deleted }
    let proof = Proof(
      upper: .top, lower: .bottom, provenAt: item.sentAt, count: 1, rankBelow: 1)
    return ItemReading(
      bytes: bytes,
      freshness: Freshness(of: [proof], lookedAt: nil, policy: policy, at: now))
  }
}
