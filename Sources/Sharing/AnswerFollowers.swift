import Feed
import Freshness
import PostgreSQLStore
import Synchronization

/// One source's raw answers in the shared store.
struct SharedAnswers: AnswerSharing {
  let ledger: PostgreSQLLedger
  /// The source, whose changes purges are.
  let source: String
  /// What its answers are stored as: those of another configuration are others.
  let name: String

  func answers(at target: String, variantsMax: Int) throws(StoreError) -> [RawAnswer] {
    try ledger.answers(of: source, as: name, at: target, most: variantsMax)
  }

  func share(
    _ answer: RawAnswer, renewing former: RawAnswer?, at target: String, variantsMax: Int
  ) throws(StoreError) {
    try ledger.share(
      answer, renewing: former, of: source, as: name, at: target, variantsMax: variantsMax)
  }

  func purge(_ selection: AnswerSelection) throws(StoreError) -> Int {
    try ledger.purge(selection, of: source)
  }
}

/// The caches that follow other servers' purges, by source.
final class AnswerFollowers: Sendable {
  private struct Follower {
    weak var cache: (any RawCaching)?
  }
  private let followers = Mutex<[String: [Follower]]>([:])

  /// Adds a source's cache, for as long as it is used.
  func add(_ cache: any RawCaching, of source: String) {
    followers.withLock { followers in
      followers[source, default: []].removeAll { $0.cache == nil }
      followers[source]?.append(Follower(cache: cache))
    }
  }

  /// Performs purges of a source's answers, oldest first.
  func follow(_ purges: [StoreNews.Purge], of source: String) throws(StoreError) {
    let caches = followers.withLock { $0[source] ?? [] }.compactMap(\.cache)
    for purge in purges {
      let selection = AnswerSelection(text: purge.selection)
      for cache in caches { try cache.follow(selection, purgedAt: purge.at) }
    }
  }
}
