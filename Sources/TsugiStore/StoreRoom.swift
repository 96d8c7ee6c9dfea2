import Foundation
import TsugiClient

/// The items of one account, type and `fields` in a store, with the lists of them.
final class StoreRoom: ItemStorage {
  private let core: StoreCore
  let scope: StoreScope

  init(_ core: StoreCore, _ scope: StoreScope) {
    (self.core, self.scope) = (core, scope)
  }

  private func key(_ name: String) -> StoreKey { StoreKey(scope: scope, name: name) }

  func put(_ items: [StoredItem]) {
    core.put { changes in
      for item in items { changes.items[key(item.identity)] = .some(item.body) }
    }
  }

  func delete(_ identities: [String]) {
    core.put { changes in
      for identity in identities { changes.items[key(identity)] = .some(nil) }
    }
  }

  func put(_ list: KeptList, of feed: String) {
    core.put { $0.lists[key(feed)] = .some(list) }
  }

  func put(screen: [String], of feed: String) {
    core.put(screen: screen, of: key(feed))
  }

  func leave(_ feed: String) { core.leave(key(feed)) }

  /// The list, with so many of its segments around the reader as are read before it is shown.
  func list(of feed: String) -> StoredList? {
    guard let list = core.list(key(feed)) else { return nil }
    let segments = list.segments
    let reader = segments.firstIndex { list.resume.map($0.ids.contains) ?? false } ?? 0
    guard !segments.isEmpty else { return StoredList(list: list, window: 0..<0, bodies: [:]) }
    var window = reader..<reader + 1
    var bodies = core.bodies(segments[reader].ids, of: scope)
    while true {
      let rows = segments[window].reduce(0) { $0 + $1.ids.count }
      let bytes = bodies.values.reduce(0) { $0 + $1.count }
      // Below the reader first: that is where most read on.
      let next =
        window.upperBound < segments.count
        ? window.upperBound : window.lowerBound > 0 ? window.lowerBound - 1 : nil
      guard let next, rows + segments[next].ids.count <= StoreReader.rowsMax,
        bytes < StoreReader.bytesMax
      else { break }
      bodies.merge(core.bodies(segments[next].ids, of: scope)) { first, _ in first }
      window = min(next, window.lowerBound)..<max(next + 1, window.upperBound)
    }
    return StoredList(list: list, window: window, bodies: bodies)
  }

  func body(of identity: String) -> Data? { core.body(key(identity)) }

  @concurrent func bodies(of identities: [String]) async -> [String: Data] {
    core.bodies(identities, of: scope)
  }

  func flush() async { await core.flush() }
}
