import Foundation
import TsugiClient

/// Whose items and lists, of which type: what shares nothing with any other.
struct StoreScope: Hashable, Sendable {
  var server: String
  var account: String
  /// The item type with its `fields`.
  var type: String
}

/// What names an item, or a list, in a store.
struct StoreKey: Hashable, Sendable {
  var scope: StoreScope
  var name: String
}

/// What is to be written, each thing once.
struct StoreChanges: Sendable {
  /// The most items that wait; more are not kept, as while the disk is full for long.
  static let itemsMax = 10_000

  /// Items as they are; nil for one that is gone.
  var items: [StoreKey: (@Sendable () -> Data?)?] = [:]
  /// Lists as they are; nil for one that is to be removed.
  var lists: [StoreKey: KeptList?] = [:]
  /// The rows on the screen, the top first.
  var screens: [StoreKey: [String]] = [:]

  var isEmpty: Bool { items.isEmpty && lists.isEmpty && screens.isEmpty }

  /// Takes in what happened later.
  mutating func merge(_ later: StoreChanges) {
    items.merge(later.items) { _, new in new }
    lists.merge(later.lists) { _, new in new }
    screens.merge(later.screens) { _, new in new }
    if items.count > Self.itemsMax { items = later.items }
  }

  /// Forgets an account.
  mutating func remove(account: String) {
    items = items.filter { $0.key.scope.account != account }
    lists = lists.filter { $0.key.scope.account != account }
    screens = screens.filter { $0.key.scope.account != account }
  }
}
