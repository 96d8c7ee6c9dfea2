import Foundation
import TsugiClient

/// The hubs of an app, one for each account, item type and `fields`.
extension StoreCore {
  /// What names a hub.
  struct HubKey: Hashable {
    var scope: StoreScope
    /// The item type without its `fields`.
    var itemType: String
  }

  /// A hub of whatever type. Its lists hold it, and it holds the store: held here, too, none of
  /// them would ever go.
  struct Hub {
    weak var object: AnyObject?
    var retire: @MainActor () -> Void
  }

  /// What lists of the same items share.
  @MainActor func hub<Item: Codable & Identifiable & Sendable>(
    of feed: Feed<Item>, account: String
  ) -> ItemHub<Item> where Item.ID: Codable & Sendable {
    let itemType = String(reflecting: Item.self)
    let scope = StoreScope(feed, account: account)
    let key = HubKey(scope: scope, itemType: itemType)
    if let hub = lock.withLock({ hubs[key]?.object }) as? ItemHub<Item> { return hub }
    let hub = ItemHub<Item>(storage: StoreRoom(self, scope), coder: ItemCoder())
    hub.onChange = { [weak self, weak hub] ids, areGone in
      guard let self else { return }
      let others = lock.withLock {
        hubs.filter {
          $0.key.itemType == itemType && $0.key.scope.account == account
            && $0.key.scope.server == scope.server
        }.values.compactMap { $0.object as? ItemHub<Item> }
      }
      for other in others where other !== hub {
        if areGone { other.delete(ids) } else { other.outdate(ids) }
      }
    }
    lock.withLock {
      hubs = hubs.filter { $0.value.object != nil }
      hubs[key] = Hub(object: hub) { [weak hub] in hub?.retire() }
    }
    return hub
  }

  /// Lists of an account that are still on a screen are not kept any more.
  @MainActor func retire(_ account: String) {
    let retired = lock.withLock {
      let retired = hubs.filter { $0.key.scope.account == account }
      for key in retired.keys { hubs[key] = nil }
      return retired
    }
    for hub in retired.values { hub.retire() }
  }
}

extension StoreScope {
  /// What a feed's items are kept as.
  init<Item>(_ feed: Feed<Item>, account: String) {
    self.init(
      server: feed.client.baseURL.absoluteString, account: account,
      type: "\(String(reflecting: Item.self))[\(feed.fields.joined(separator: ","))]")
  }
}
