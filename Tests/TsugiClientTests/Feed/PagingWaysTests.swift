import Foundation
import Simulator
import Support
import Testing

import struct Feed.Policy

@testable import TsugiClient

/// The ways in which apps page, over sockets from the real server over an upstream that moves with
/// every answer: nothing is shown twice, nothing that was there all the time is left out, and no
/// request is made for nothing.
@Suite(.serialized, .timeLimit(.minutes(10))) @MainActor struct PagingWaysTests {
  @Test(arguments: PagingApp.Way.allCases, ([1, 2] as [UInt64]).sample(1))
  func showsEachItemOnce(way: PagingApp.Way, seed: UInt64) async throws {
    let begin = Int64(Date().timeIntervalSince1970) - 1_000_000
    let second = HandSecond(begin)
    let world = World(
      WorldOptions(
        seed: seed, itemCount: 600, tieProbability: way == .startAfterItem ? 0.7 : 0.1,
        bodyBytes: 60, topSeconds: begin - 60))
    let drift = Drift([.insert: 3, .delete: 3, .late: 1, .touch: 3])
    var policy = Policy()
    (policy.refreshSeconds, policy.freshSeconds, policy.prefetchItems) = (0, 1, 0)
    let stand = try await ClientStand(
      world, options: Qiita.Options(drift: drift, budget: 1_000_000), policy: policy,
      clock: { second.now })
    try await ClientStand.run(stand) { stand in
      let before = stand.qiita.withQiita { $0.world.ids }
      let app = PagingApp(stand.client.feed("qiita/items", limit: 20), way)
      try await app.readToTheEnd { second.advance(by: 3) }
      let after = Set(stand.qiita.withQiita { $0.world.ids })
      let shown = app.items.map(\.id)
      #expect(Set(shown).count == shown.count)
      #expect(before.filter(after.contains).filter { !shown.contains($0) } == [])
      #expect(before.filter { !after.contains($0) }.count > 10, "it has not moved")
      #expect(!app.hasMore && app.loadsForNothing == 0)
      #expect(app.loads <= shown.count / 20 + 5)
    }
  }
}

/// An app as many are written: rows that grow, and a rule for when to ask for more.
@MainActor final class PagingApp {
  /// What makes it ask.
  enum Way: CaseIterable, CustomTestStringConvertible {
    /// The last row comes onto the screen.
    case lastRow
    /// So does the row some rows before the last.
    case threshold
    /// So does a footer that is there while there is more.
    case footer
    /// A footer, and now and then the list is pulled down.
    case pullToRefresh
    /// A footer; the next page begins after an item as it is, as Firestore's `start(after:)` takes
    /// one, among many of equal times.
    case startAfterItem

    var testDescription: String { "\(self)" }
  }

  private(set) var items: [Post] = []
  private(set) var hasMore = true
  private(set) var loads = 0
  private(set) var loadsForNothing = 0
  private let feed: Feed<Post>
  private let way: Way
  private var cursor: FeedCursor?

  init(_ feed: Feed<Post>, _ way: Way) {
    (self.feed, self.way) = (feed, way)
  }

  /// Shows row after row; `pass` is called between two.
  func readToTheEnd(_ pass: () -> Void) async throws {
    try await load()
    var row = 0
    while row < items.count {
      let item = items[row]
      row += 1
      pass()
      switch way {
      case .lastRow: if items.isLastItem(item) { try await load() }
      case .threshold: if items.isThresholdItem(offset: 5, item: item) { try await load() }
      case .footer, .startAfterItem: if row == items.count { try await load() }
      case .pullToRefresh:
        if row.isMultiple(of: 70) { row += try await refresh() }
        if row == items.count { try await load() }
      }
    }
  }

  private func load() async throws {
    guard hasMore else { return }
    let start: FeedPosition? =
      way == .startAfterItem ? items.last.map { .element(id: $0.id) } : cursor.map { .cursor($0) }
    let slice = try await feed.slice(SliceRequest(start: start.map { .after($0) }))
    loads += 1
    if slice.items.isEmpty { loadsForNothing += 1 }
    items += slice.items
    cursor = slice.endCursor
    hasMore = slice.hasMore
  }

  /// Puts what is new above the first row that is known; gives how many rows that is.
  private func refresh() async throws -> Int {
    let known = Set(items.map(\.id))
    var new: [Post] = []
    var slice = try await feed.slice(refresh: true)
    while !slice.items.contains(where: { known.contains($0.id) }), slice.hasMore {
      new += slice.items
      slice = try await feed.slice(after: slice.endCursor)
    }
    new += slice.items.prefix { !known.contains($0.id) }
    items = new + items
    return new.count
  }
}
