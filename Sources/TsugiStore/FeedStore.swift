public import Foundation
public import TsugiClient

/// One store on disk for all lists of an app: an item once, so that lists, details and searches
/// agree, and all that was loaded can be read without a network.
///
///     let store = FeedStore()
///     let list = PagedList(feed, in: store)
///
/// This is a handle: copies share the file. It is a cache: what is lost of it is loaded again. What
/// it does is decided in `StoreCore`, its tables are in `StoreTables`; lists use it by
/// `ItemStorage`.
public struct FeedStore: Sendable {
  /// What a process may do with the file.
  public enum Access: Sendable {
    /// Reads and writes: the app.
    case readWrite
    /// Reads beside a writer, and makes and writes nothing: an extension, a widget.
    case readOnly
  }

  let core: StoreCore
  private let account: String

  /// A store in a file, which is made where there is none.
  ///
  /// A file of ours that is damaged, or of another version, is begun again. A file of another stays
  /// as it is, and the store is in memory, as where no file can be made; `log` hears of each.
  ///
  /// - Parameters:
  ///   - url: the file; an extension's lies in the container of its app group.
  ///   - maxBytes: the most bytes of its pages in use. What was used least goes first.
  public init(
    at url: URL = Self.defaultFile, maxBytes: Int = 64 << 20, access: Access = .readWrite,
    log: (@Sendable (FeedEvent) -> Void)? = nil
  ) {
    self.init(StoreCore(url, maxBytes: maxBytes, access: access, log: log))
  }

  init(_ core: StoreCore, account: String = "") {
    (self.core, self.account) = (core, account)
  }

  /// The file of an app that names none: in its caches, named for its bundle.
  public static var defaultFile: URL {
    let folder =
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return folder.appending(path: "\(name).tsugi.sqlite")
  }

  /// A store without a file, for tests and previews.
  public static func inMemory(maxBytes: Int = 64 << 20) -> FeedStore {
    FeedStore(StoreCore(nil, maxBytes: maxBytes, access: .readWrite, log: nil))
  }

  /// Whether it is in a file; in memory it ends with the process.
  public var isPersistent: Bool { core.isPersistent }

  /// The bytes of the pages in use, without the log.
  public var usedBytes: Int { core.usedBytes }

  /// The same file for another account, which shares nothing with this one. The first one's name is
  /// empty.
  public func account(_ name: String) -> FeedStore {
    FeedStore(core, account: name)
  }

  /// The first items of a feed's list as they are kept, up to a gap: for a widget.
  public func items<Item>(of feed: Feed<Item>, limit: Int = 20) async -> [Item]
  where Item: Codable & Identifiable, Item.ID: Codable & Sendable {
    let (room, coder) = room(of: feed)
    let segments = core.list(StoreKey(scope: room.scope, name: feed.name))?.segments ?? []
    let upToGap = segments.prefix { $0 == segments.first || !$0.hasGapAbove }
    let ids = Array(upToGap.flatMap(\.ids).prefix(max(0, limit)))
    let bodies = await room.bodies(of: ids)
    return ids.compactMap { bodies[$0].flatMap(coder.decode) }
  }

  /// An item as it is kept.
  public func item<Item>(_ id: Item.ID, of feed: Feed<Item>) async -> Item?
  where Item: Codable & Identifiable, Item.ID: Codable & Sendable {
    let (room, coder) = room(of: feed)
    let identity = identityText(of: id)
    return await room.bodies(of: [identity])[identity].flatMap(coder.decode)
  }

  /// Takes a snapshot of a feed, as one that an older version of the app kept, where no list of the
  /// feed is kept yet. False where it is of another feed, or one is kept.
  public func keep<Item>(_ snapshot: PagedSnapshot<Item>, of feed: Feed<Item>) async -> Bool
  where Item: Codable & Identifiable, Item.ID: Codable & Sendable {
    let (room, coder) = room(of: feed)
    guard core.access == .readWrite, snapshot.feed.isEmpty || snapshot.feed == feed.name,
      core.list(StoreKey(scope: room.scope, name: feed.name)) == nil, let kept = snapshot.kept
    else { return false }
    room.put(
      snapshot.items.map { item in
        StoredItem(identity: identityText(of: item.id)) { coder.encode(item) }
      })
    room.put(kept, of: feed.name)
    await flush()
    return true
  }

  /// Waits until all that lists have learned is written, or cannot be. `.paged(_:)` calls it when
  /// the app leaves.
  public func flush() async { await core.flush() }

  /// Removes what was used least until no more than so many bytes are in use, of all accounts.
  public func trim(toBytes bytes: Int) async { await core.trim(toBytes: bytes) }

  /// Removes a feed's list; its items stay as long as there is room.
  public func remove<Item>(_ feed: Feed<Item>) async
  where Item: Codable & Identifiable, Item.ID: Codable & Sendable {
    let key = StoreKey(scope: StoreScope(feed, account: account), name: feed.name)
    core.put { $0.lists[key] = .some(nil) }
    await flush()
  }

  /// Removes all of this account: no byte of it is left in the file or its log. Lists that are
  /// still on a screen are not kept any more.
  public func removeAll() async { await core.removeAll(of: account) }

  private func room<Item>(of feed: Feed<Item>) -> (StoreRoom, ItemCoder<Item>)
  where Item: Codable & Identifiable, Item.ID: Codable & Sendable {
    (StoreRoom(core, StoreScope(feed, account: account)), ItemCoder())
  }

  /// What is kept of a feed, for a list of it.
  @MainActor func kept<Item: Codable & Identifiable & Sendable>(
    _ feed: Feed<Item>
  ) -> PagedList<Item>.Kept where Item.ID: Codable & Sendable {
    let hub = core.hub(of: feed, account: account)
    return PagedList<Item>.Kept(hub: hub, list: hub.storage?.list(of: feed.name))
  }

  /// What lists of a feed's items share.
  @MainActor func hub<Item: Codable & Identifiable & Sendable>(
    of feed: Feed<Item>
  ) -> ItemHub<Item> where Item.ID: Codable & Sendable {
    core.hub(of: feed, account: account)
  }
}

extension PagedList where Item: Codable, Item.ID: Codable {
  /// A list in a store: it shows what is kept from the beginning on, and goes on from there without
  /// a request. Once started it asks what changed; without a network all that is kept can be read.
  ///
  /// One that begins at a place shows what is kept where that is the place of a row there. Else it
  /// begins empty, and only its items are kept.
  public convenience init(
    _ feed: Feed<Item>, in store: FeedStore, at place: FeedPosition? = nil,
    options: PagedOptions = PagedOptions()
  ) {
    self.init(feed, at: place, options: options) { store.kept($0) }
  }
}

extension PagedItem where Item: Codable, Item.ID: Codable {
  /// An item in a store: it shows what is kept of it, and agrees with the lists there.
  public convenience init(
    _ id: Item.ID, of feed: Feed<Item>, at path: FeedPath? = nil, in store: FeedStore
  ) {
    self.init(id, of: feed, at: path, hub: store.hub(of: feed))
  }
}
