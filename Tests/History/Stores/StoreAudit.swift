import Feed
import Judge
import Synchronization

/// Holds the store to the order of evidence, at every write: the content of an element is what the
/// answer showed that was sent last, and an answer is written by one transaction at most.
final class StoreAudit: Sendable {
  private struct Known {
    var sentAt: Timestamp
    /// Every content that answers sent then have shown.
    var contents: [[UInt8]]
  }
  private struct State {
    var known: [String: [Identity: Known]] = [:]
    /// When something last left the store: which answer what is there is of is told by those that
    /// are sent later.
    var removedAt = Timestamp(milliseconds: 0)
    /// The feeds whose last answer was not written yet.
    var answered: Set<String> = []
  }
  private let judge: Judge
  private let time: VirtualTime
  private let state = Mutex(State())

  init(_ judge: Judge, time: VirtualTime) {
    self.judge = judge
    self.time = time
  }

  /// Notes that an answer to a call for a feed comes.
  func note(answerOf feed: FeedID) {
    state.withLock { _ = $0.answered.insert(feed.name) }
  }

  /// Notes what was written to a store, of which `reader` reads. `isHeld` of what was held back
  /// before.
  func note(_ write: FaultyStore.Write, isHeld: Bool, _ reader: any TimelineReader) {
    switch write {
    case .merges(let merges):
      let isFirst = state.withLock { $0.answered.remove(merges[0].feed.name) != nil }
      if !isFirst, !isHeld {
        judge.blame("\(merges[0].feed.name): an answer is written by two transactions")
      }
      for merge in merges {
        for seen in merge.seen { note(seen.item, merge.feed.realm, merge.sentAt, reader) }
      }
    case .item(let item, let realm, let sentAt): note(item, realm, sentAt, reader)
    case .removal: state.withLock { ($0.known, $0.removedAt) = ([:], time.now) }
    }
  }

  private func note(
    _ item: PageItem, _ realm: String, _ sentAt: Timestamp, _ reader: any TimelineReader
  ) {
    let newest = state.withLock { state -> Known? in
      guard sentAt > state.removedAt else { return nil }
      var newest = state.known[realm]?[item.id] ?? Known(sentAt: sentAt, contents: [])
      if sentAt > newest.sentAt { newest = Known(sentAt: sentAt, contents: []) }
      if sentAt == newest.sentAt { newest.contents.append(item.bytes) }
      state.known[realm, default: [:]][item.id] = newest
      return newest
    }
    guard let newest else { return }
    do throws(StoreError) {
      guard let bytes = try reader.item(item.id, realm: realm)?.bytes else { return }
      if newest.contents.contains(bytes) { return }
      judge.blame(
        "\(realm): \(String(decoding: bytes, as: UTF8.self)) is kept, though an answer sent later"
          + " showed \(newest.contents.map { String(decoding: $0, as: UTF8.self) })")
    } catch {
      judge.blame("\(realm): cannot be read, \(error)")
    }
  }
}
