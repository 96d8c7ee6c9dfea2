package import Feed
import Synchronization

/// A store whose writes fail on demand, as on a disk that is full or breaks; reading goes on.
package final class FaultyStore: TimelineStore {
  private let base: any TimelineStore
  private let failure = Mutex<StoreError?>(nil)

  /// A store over another, which works.
  package init(over base: any TimelineStore) {
    self.base = base
  }

  /// From now on every write fails so; none does where it is nil.
  package func fail(with error: StoreError?) {
    failure.withLock { $0 = error }
  }

  private func write() throws(StoreError) {
    if let error = failure.withLock({ $0 }) { throw error }
  }

  package var epoch: String { base.epoch }

  package var load: StoreLoad { base.load }

  package func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    try base.timeline(of: feed)
  }

  package func known(
    in feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    try base.known(in: feed, below: upper, above: lower)
  }

  package func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    try base.known(in: feed, ids: ids)
  }

  package func commit(_ merge: Merge, budget: Budget?) throws(StoreError) -> Int64 {
    try write()
    return try base.commit(merge, budget: budget)
  }

  package func budget(of source: String) throws(StoreError) -> Budget? {
    try base.budget(of: source)
  }

  package func keep(_ budget: Budget, of source: String) throws(StoreError) {
    try write()
    try base.keep(budget, of: source)
  }

  package func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    try write()
    try base.keep(item, realm: realm, sentAt: sentAt)
  }

  package func delete(
    _ id: Identity, realm: String, sentAt: Timestamp
  ) throws(StoreError) -> [(feed: String, sequence: Int64)] {
    try write()
    return try base.delete(id, realm: realm, sentAt: sentAt)
  }

  package func feeds() throws(StoreError) -> [StoredFeed] { try base.feeds() }

  package func foot(of name: String, limit: Int) throws(StoreError) -> Foot? {
    try base.foot(of: name, limit: limit)
  }

  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {
    try write()
    try base.cut(name, below: cut, leaving: timeline)
  }

  package func drop(_ name: String) throws(StoreError) {
    try write()
    try base.drop(name)
  }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    try write()
    try base.note(reads)
  }

  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool {
    try write()
    return try base.sweep(sweep)
  }

  package func shrink() throws(StoreError) -> Bool {
    try write()
    return try base.shrink()
  }

  package func makeReader() throws(StoreError) -> any TimelineReader { try base.makeReader() }

  package func check() throws(StoreError) {
    try write()
    try base.check()
  }
}
