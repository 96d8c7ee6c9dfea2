package import Feed
import Synchronization

/// What other servers write, where the store is shared.
extension FeedReader {
  /// How long a call is not claimed again that another server makes.
  static let heldInterval = Duration.milliseconds(250)
  /// After how long those are asked again who could not be reached.
  static let unreachableDuration = Duration.seconds(1)
  /// How often what is absent is brought for one request: contents may change meanwhile.
  private static let bringsMax = 3

  /// How many feeds somebody listens to here.
  package nonisolated var listenedCount: Int { slices.listenedCount }

  /// Takes in what other servers wrote of the source, and has planned again what waits for them.
  package func follow() throws(StoreError) {
    guard book.store.isShared, let news = try book.store.news(of: slices.source) else { return }
    for (_, reason) in news.unreadable.sorted(by: { $0.key < $1.key }) {
      report(.notStored(.unreadable(message: reason)))
    }
    // What is left for all servers, so that each of them says the same.
    for name in [nil] + desk.budgets.named.keys.map(Optional.some) {
      let kept = news.budgets[Budgets.keptName(of: name, in: slices.source)]
      if let kept { desk.adopt(kept, of: name) }
    }
    let changed = try book.take(news)
    for key in desk.held where key.feed.map(changed.contains) ?? false { abandon(key, .moved) }
  }

  /// Follows when a call has deleted something, so that it is gone here, too. Where the others
  /// cannot be reached, the poll of each second reports it.
  func followAfterCall() {
    guard book.hasDeleted else { return }
    book.hasDeleted = false
    _ = try? follow()
  }

  /// Follows, and goes on with what a call is for as it is stored then. Returns why it could not.
  func catchUp(with key: FlightKey) -> StoreError? {
    do throws(StoreError) {
      try follow()
      if let feed = key.feed { try book.readAgain(feed) }
      return nil
    } catch {
      report(.notStored(error))
      return error
    }
  }

  /// Follows up to a number that a client has got; where the others cannot be reached, no client
  /// knows whether there is such a number.
  func reach(_ number: SequenceNumber?, of feed: FeedID) throws(ReadError) {
    guard book.store.isShared, let number,
      try plan(for: feed).timeline.isBehind(number)
    else { return }
    do throws(StoreError) {
      try follow()
      // News bring no feed that the copy has not: one that was empty is in memory alone.
      if book[feed]?.timeline.isBehind(number) ?? false { try book.readAgain(feed) }
    } catch {
      report(.notStored(error))
      throw refusal(by: error, at: time.now)
    }
  }

  /// Follows before something is said to be gone. Returns whether the others could be asked, so
  /// that it is to be looked for again.
  func followsOnce(_ hasFollowed: inout Bool) -> Bool {
    guard book.store.isShared, !hasFollowed else { return false }
    hasFollowed = true
    return (try? follow()) != nil
  }

  /// How far the clocks of two servers may differ at most, for the later answer to be dated by
  /// the other one's.
  private static let clockErrorMax = Duration.seconds(1)

  /// The latest instant that an answer to a feed is of, where other servers may have dated it.
  func latest(of feed: FeedID) -> Timestamp? {
    book.store.isShared ? book[feed]?.timeline.latest : nil
  }

  /// When a call was sent that departed when `latest` was known, and was answered by `receivedAt`:
  /// no earlier than that, also where the clock of the server that dated it is a little ahead. A
  /// clock that is far ahead moves no other.
  static func sent(
    _ sentAt: Timestamp, after latest: Timestamp?, by receivedAt: Timestamp
  ) -> Timestamp {
    guard let latest, latest > sentAt, latest - sentAt <= clockErrorMax else { return sentAt }
    return max(sentAt, min(latest, receivedAt))
  }

  /// The most calls whose moves are remembered.
  private static let movesMax = 1_000

  /// Notes that others have written since a call was planned.
  func noteMove(of key: FlightKey) {
    let now = time.now
    if moves.count >= FeedReader.movesMax {
      moves = moves.filter { now - $0.value.at < FeedReader.heldInterval }
      if moves.count >= FeedReader.movesMax { moves.removeAll() }
    }
    moves[key] = ((moves[key]?.count ?? 0) + 1, now)
  }

  /// Waits before a call is planned again that was moved twice in a row: what moves it each time
  /// is no news. Returns whether there is time left to make it.
  func rest(before key: FlightKey, until deadline: Timestamp) async -> Bool {
    guard let move = moves[key], move.count > 1 else { return true }
    let end = move.at + FeedReader.heldInterval
    guard time.now < end else { return true }
    await time.sleep(until: min(end, deadline))
    return time.now < deadline
  }

  /// The most rows of the shared store that are reported as unreadable.
  private static let unreadableMax = 1_000

  /// Reports each row of the shared store that cannot be read once.
  static func sayingOnce(
    _ report: @escaping @Sendable (Incident) -> Void
  ) -> @Sendable (Incident) -> Void {
    let said = Mutex<Set<String>>([])
    return { incident in
      if case .notStored(.unreadable(let reason)) = incident {
        let isNew = said.withLock { $0.count < unreadableMax && $0.insert(reason).inserted }
        guard isNew else { return }
      }
      report(incident)
    }
  }

  /// Does something that reads contents, again where some had to be brought first.
  func bringing<Value>(
    _ body: () async throws(ReadError) -> Value
  ) async throws(ReadError) -> Value {
    for _ in 0..<FeedReader.bringsMax {
      do throws(ReadError) {
        return try await body()
      } catch {
        guard case .store(.absent(let ids, let realm)) = error else { throw error }
        try bring(ids, realm: realm)
      }
    }
    return try await body()
  }

  /// Brings items that are not here. Returns whether any came.
  @discardableResult
  func bring(_ ids: [Identity], realm: String) throws(ReadError) -> Bool {
    do throws(StoreError) {
      return try book.change { () throws(StoreError) in
        try book.store.bring(ids, realm: realm)
      }
    } catch {
      report(.notStored(error))
      throw refusal(by: error, at: time.now)
    }
  }
}
