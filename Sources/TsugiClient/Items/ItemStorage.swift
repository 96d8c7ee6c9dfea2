package import Foundation

/// Where items of one type, account and `fields` are kept, with the lists of them: plain values
/// between the client and a store. Nothing here waits for a write.
package protocol ItemStorage: AnyObject, Sendable {
  /// Keeps items as they are now.
  func put(_ items: [StoredItem])
  /// Forgets items, in all lists too.
  func delete(_ identities: [String])
  /// Keeps a list as it is now.
  func put(_ list: KeptList, of feed: String)
  /// Keeps which rows are on the screen, the top first.
  func put(screen: [String], of feed: String)
  /// A list is on no screen any more.
  func leave(_ feed: String)
  /// A list, with the items of the rows around the reader.
  func list(of feed: String) -> StoredList?
  /// An item.
  func body(of identity: String) -> Data?
  /// The items that are there of these.
  func bodies(of identities: [String]) async -> [String: Data]
  /// Waits until all is written.
  func flush() async
}

/// That a list is on a screen, as long as this is there.
final class Seat: Sendable {
  private let storage: any ItemStorage
  private let feed: String

  init?(_ storage: (any ItemStorage)?, _ feed: String) {
    guard let storage else { return nil }
    (self.storage, self.feed) = (storage, feed)
  }

  deinit { storage.leave(feed) }
}

/// An item to be kept; it is written as JSON where it is stored.
package struct StoredItem: Sendable {
  /// What names it.
  package let identity: String
  /// Its JSON; nil where it has none.
  package let body: @Sendable () -> Data?

  /// An item from its parts.
  package init(identity: String, body: @escaping @Sendable () -> Data?) {
    self.identity = identity
    self.body = body
  }
}

/// A list as a store has it.
package struct StoredList: Sendable {
  /// Its rows, in segments.
  package var list: KeptList
  /// The segments of which the items are there.
  package var window: Range<Int>
  /// The items of these segments.
  package var bodies: [String: Data]

  /// A list from its parts.
  package init(list: KeptList, window: Range<Int>, bodies: [String: Data]) {
    self.list = list
    self.window = window
    self.bodies = bodies
  }
}

/// A list's rows and what is known of its ends, as plain values.
package struct KeptList: Hashable, Sendable {
  /// What one slice brought.
  package struct Segment: Hashable, Sendable {
    /// The items' identities, in feed order.
    package var ids: [String]
    /// The places of its ends.
    package var start, end: String
    /// What had changed when it was read.
    package var seq: String?
    /// Whether there is a gap between it and the segment above.
    package var hasGapAbove: Bool

    /// A segment from its parts.
    package init(ids: [String], start: String, end: String, seq: String?, hasGapAbove: Bool) {
      self.ids = ids
      self.start = start
      self.end = end
      self.seq = seq
      self.hasGapAbove = hasGapAbove
    }
  }

  /// The most items that are kept of one list.
  package static let itemsMax = 1_000

  /// The segments, in feed order.
  package var segments: [Segment]
  /// Where to ask for changes.
  package var since: String?
  /// The place of the top.
  package var topPlace: String?
  /// The item at the top of the screen.
  package var resume: String?
  /// What else is known, as JSON.
  package var head: Data

  /// A list from its parts.
  package init(
    segments: [Segment], since: String?, topPlace: String?, resume: String?, head: Data
  ) {
    self.segments = segments
    self.since = since
    self.topPlace = topPlace
    self.resume = resume
    self.head = head
  }

  /// What is kept of its ends.
  struct Head: Codable {
    var mayHaveNews, mayGoOn, hasMore, hasPrevious: Bool
    var endReason: FeedEndReason?
    var total: FeedTotal?
    var freshness: FeedFreshness?
  }

  /// The head of a list of which items were taken out above or below.
  package static func head(_ head: Data, cutAbove: Bool, cutBelow: Bool) -> Data {
    guard cutAbove || cutBelow, var cut = try? JSONDecoder().decode(Head.self, from: head) else {
      return head
    }
    cut.hasPrevious = cut.hasPrevious || cutAbove
    if cutBelow { (cut.hasMore, cut.endReason) = (true, nil) }
    return (try? JSONEncoder.stable().encode(cut)) ?? head
  }
}

extension PagedState {
  /// The list as plain values, without what is beyond the most that is kept, farthest from the
  /// reader; nil while there is none.
  var kept: KeptList? {
    guard isLoaded, !needsReset else { return nil }
    var rest = content.items[...].map(\.id)[...]
    let inMemory = content.segments.map { segment in
      defer { rest = rest.dropFirst(segment.count) }
      return Shelved(
        ids: Array(rest.prefix(segment.count)), start: segment.start, end: segment.end,
        seq: segment.seq, hasGapAbove: segment.gapAbove != nil)
    }
    var all = shelf.above + inMemory + shelf.below
    if !shelf.above.isEmpty, shelf.hasGapBetween, !inMemory.isEmpty {
      all[shelf.above.count].hasGapAbove = true
    }
    var ends = (
      hasPrevious: shelf.above.isEmpty ? hasPrevious : shelf.hasPrevious,
      hasMore: shelf.below.isEmpty ? hasMore : shelf.hasMore,
      endReason: shelf.below.isEmpty ? endReason : shelf.endReason
    )
    let reader = visible.indices(in: content).map { content.items[$0.lowerBound].id } ?? resumesAt
    var count = all.reduce(0) { $0 + $1.ids.count }
    while count > KeptList.itemsMax, all.count > 1 {
      let place = all.firstIndex { segment in
        reader.map(segment.ids.contains) ?? true
      }
      if let place, place > all.count / 2 {
        count -= all.removeFirst().ids.count
        all[0].hasGapAbove = false
        ends.hasPrevious = true
      } else {
        count -= all.removeLast().ids.count
        (ends.hasMore, ends.endReason) = (true, nil)
      }
    }
    let head = KeptList.Head(
      mayHaveNews: keptNews,
      mayGoOn: mayGoOn || endLook != nil, hasMore: ends.hasMore, hasPrevious: ends.hasPrevious,
      endReason: ends.endReason, total: total, freshness: freshness)
    return KeptList(
      segments: all.map { segment in
        KeptList.Segment(
          ids: segment.ids.map(identityText), start: segment.start.rawValue,
          end: segment.end.rawValue, seq: segment.seq?.rawValue, hasGapAbove: segment.hasGapAbove)
      }, since: keptSince?.rawValue, topPlace: topPlace?.rawValue,
      resume: reader.map(identityText),
      // Dates, texts and numbers: encoding them cannot fail.
      head: (try? JSONEncoder.stable().encode(head)) ?? Data())
  }

  /// A list that goes on from what a store has; nil where that cannot be read.
  init?(
    _ stored: StoredList, coder: ItemCoder<Item>, options: PagedOptions, limit: Int,
    backoff: Backoff
  ) {
    guard let head = try? JSONDecoder().decode(KeptList.Head.self, from: stored.list.head) else {
      return nil
    }
    self.init(options: options, limit: limit, backoff: backoff)
    for (number, segment) in stored.list.segments.enumerated() {
      let ids = segment.ids.compactMap(coder.id)
      guard ids.count == segment.ids.count else { return nil }
      let shelved = Shelved(
        ids: ids, start: FeedCursor(rawValue: segment.start),
        end: FeedCursor(rawValue: segment.end),
        seq: segment.seq.map(SequenceNumber.init), hasGapAbove: segment.hasGapAbove)
      if number < stored.window.lowerBound {
        shelf.above.append(shelved)
      } else if number >= stored.window.upperBound {
        shelf.below.append(shelved)
      } else {
        let items = segment.ids.compactMap { stored.bodies[$0].flatMap(coder.decode) }
        guard items.map(\.id) == ids else { return nil }
        let isFirst = content.segments.isEmpty
        if isFirst { shelf.hasGapBetween = segment.hasGapAbove && number > 0 }
        let count = content.segments.count
        content.replace(
          count..<count,
          with: [
            PagedItems.Piece(items: items, start: shelved.start, end: shelved.end, seq: shelved.seq)
          ], gapAbove: segment.hasGapAbove && !isFirst ? nextNumber() : nil)
      }
    }
    since = stored.list.since.map(SequenceNumber.init)
    topPlace = stored.list.topPlace.map(FeedCursor.init)
    (isLoaded, isKept, wantsRefresh, opensByChanges) = (true, true, true, since != nil)
    (mayHaveNews, mayGoOn) = (head.mayHaveNews, head.mayGoOn)
    (shelf.hasMore, shelf.hasPrevious, shelf.endReason) =
      (head.hasMore, head.hasPrevious, head.endReason)
    hasMore = head.hasMore || !shelf.below.isEmpty
    if !hasMore { endReason = head.endReason }
    hasPrevious = head.hasPrevious || !shelf.above.isEmpty
    (total, freshness) = (head.total, head.freshness)
    resumesAt = stored.list.resume.flatMap(coder.id).flatMap {
      content.index(of: $0) != nil ? $0 : nil
    }
  }
}
