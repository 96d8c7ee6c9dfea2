package import Feed
import Support
import Synchronization

/// A store whose writes fail on demand, as on a disk that is full or breaks; reading goes on. One
/// that is damaged can be renewed: then it is over another store, if there is a next one.
package final class FaultyStore:
  TimelineStore, LoneStore, StoreHousekeeping, StoreHealth, UnbufferedStore
{
  private let current: Mutex<any FeedStore>
  private let failure = Mutex<StoreError?>(nil)
  private let readFailure = Mutex<StoreError?>(nil)
  private let next: (@Sendable () -> any FeedStore)?
  private let failing: @Sendable () -> StoreError?
  private let onWrite: @Sendable (Write) -> Void

  /// Something that was written of elements.
  package enum Write {
    /// What an answer showed.
    case merges([Merge])
    /// An element by itself.
    case item(PageItem, realm: String, sentAt: Timestamp)
    /// Elements have left the store, or may have.
    case removal
  }

  /// A store over another, which works, and after it over those that `next` makes. Writes also
  /// fail while `failing` says how; `onWrite` is told what was written.
  package init(
    over base: any FeedStore, next: (@Sendable () -> any FeedStore)? = nil,
    failing: @escaping @Sendable () -> StoreError? = { nil },
    onWrite: @escaping @Sendable (Write) -> Void = { _ in }
  ) {
    self.failing = failing
    current = Mutex(base)
    self.next = next
    self.onWrite = onWrite
  }

  var base: any FeedStore { current.withLock { $0 } }

  /// From now on every write fails so; none does where it is nil.
  package func fail(with error: StoreError?) {
    failure.withLock { $0 = error }
  }

  /// From now on no timeline can be read, nor what changed in it, nor which feeds there are, which
  /// fails so; all can where it is nil.
  package func failReading(with error: StoreError?) {
    readFailure.withLock { $0 = error }
  }

  fileprivate func readTimeline() throws(StoreError) {
    if let error = readFailure.withLock({ $0 }) { throw error }
  }

  private func write() throws(StoreError) {
    if let error = failure.withLock({ $0 }) ?? failing() { throw error }
  }

  /// As a store in a file does that was replaced.
  private func check(_ timeline: Timeline) throws(StoreError) {
    guard timeline.epoch.isEmpty || timeline.epoch == epoch else { throw .replaced }
  }

  package var epoch: String { base.epoch }

  package var contentChanges: UInt64 { base.contentChanges }

  package var load: StoreLoad { base.load }

  package var isDamaged: Bool { failure.withLock { $0?.isDamage } ?? base.isDamaged }

  package func renew(from epoch: String) throws(StoreError) -> String? {
    guard let next else { return try base.renew(from: epoch) }
    guard epoch == self.epoch else { return nil }
    current.withLock { $0 = next() }
    fail(with: nil)
    return "aside"
  }

  package func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    try readTimeline()
    return try base.timeline(of: feed)
  }

  package func known(
    in feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    try base.known(in: feed, below: upper, above: lower)
  }

  package func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    try base.known(in: feed, ids: ids)
  }

  package func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64 {
    try write()
    for merge in merges { try check(merge.timeline) }
    let sequence = try base.commit(merges, budget: budget)
    onWrite(.merges(merges))
    return sequence
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
    onWrite(.item(item, realm: realm, sentAt: sentAt))
  }

  package func delete(
    _ ids: [Identity], realm: String, sentAt: Timestamp
  ) throws(StoreError) -> [String: Int64] {
    try write()
    defer { onWrite(.removal) }
    return try base.delete(ids, realm: realm, sentAt: sentAt)
  }

  package func feeds() throws(StoreError) -> [StoredFeed] {
    try readTimeline()
    return try base.feeds()
  }

  package func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail? {
    try base.foot(of: name, limit: limit)
  }

  package func contentBytes(of name: String) throws(StoreError) -> Int64 {
    try base.contentBytes(of: name)
  }

  package func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) {
    try write()
    try check(timeline)
    try base.cut(name, below: cut, leaving: timeline)
    onWrite(.removal)
  }

  package func drop(_ name: String) throws(StoreError) {
    try write()
    try base.drop(name)
    onWrite(.removal)
  }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    try write()
    try base.note(reads)
  }

  package func sweep(_ sweep: Sweep) throws(StoreError) -> Bool {
    try write()
    defer { onWrite(.removal) }
    return try base.sweep(sweep)
  }

  package func shrink() throws(StoreError) -> Bool {
    try write()
    return try base.shrink()
  }

  package func makeReader() throws(StoreError) -> any TimelineReader {
    try FollowingReader(self)
  }

  package func check() throws(StoreError) {
    try write()
    try base.check()
  }
}

/// Reads from whatever a faulty store is over.
private final class FollowingReader: TimelineReader {
  private let store: FaultyStore
  private var present: any TimelineReader

  init(_ store: FaultyStore) throws(StoreError) {
    self.store = store
    present = try store.base.makeReader()
  }

  private func reader() throws(StoreError) -> any TimelineReader {
    if present.epoch != store.epoch { present = try store.base.makeReader() }
    return present
  }

  var epoch: String { (try? reader().epoch) ?? "" }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    try reader().elements(of: feed, below: upper, above: lower, limit: limit)
  }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    try reader().lastElements(
      of: feed, below: upper, above: lower, limit: limit)
  }

  func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) throws(StoreError) -> Bool {
    try reader().hasElement(of: feed, below: upper, above: lower)
  }

  func position(
    at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Position? {
    try reader().position(at: offset, of: feed, below: upper, above: lower)
  }

  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    try reader().position(of: id, in: feed)
  }

  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) throws(StoreError) -> ChangeReading {
    try store.readTimeline()
    return try reader().changes(of: feed, after: number, limit: limit, learned: learned)
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    try reader().item(id, realm: realm)
  }
}
