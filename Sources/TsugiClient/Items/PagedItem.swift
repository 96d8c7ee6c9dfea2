public import Observation

/// One item on a screen: as it is kept, then as the server has it, with the edits on top.
///
///     @State private var article = PagedItem(id, of: feed, at: "qiita/items/\(id)")
///
/// In a store, or made beside a list of the same one, what a list learns of the item shows here.
@MainActor @Observable
public final class PagedItem<Item: Identifiable & Decodable & Sendable> where Item.ID: Sendable {
  /// What names it.
  @ObservationIgnored public let id: Item.ID
  /// Whether it is there: `found`, `gone` from the feed or everywhere, or `notKnown` to the server.
  public private(set) var place: FeedPlace
  /// What a load does.
  public private(set) var state = LoadState.idle
  /// Whether it changed since it was read, as far as lists learned, those of other `fields` too.
  public private(set) var isOutdated = false

  /// The item as the server sent it.
  private var serverItem: Item?
  private var edits = 0
  @ObservationIgnored private let feed: Feed<Item>
  @ObservationIgnored private let path: FeedPath?
  @ObservationIgnored private let hub: ItemHub<Item>
  @ObservationIgnored private let settlesWithin = PagedOptions().settlesWithin

  /// An item of a feed, by the path it has for itself (`"qiita/items/\(id)"`), or without one as
  /// the feed has it. Nothing is asked for before ``load()``.
  public convenience init(_ id: Item.ID, of feed: Feed<Item>, at path: FeedPath? = nil) {
    self.init(id, of: feed, at: path, hub: ItemHub())
  }

  /// An item that shares what is learned of it.
  package init(_ id: Item.ID, of feed: Feed<Item>, at path: FeedPath?, hub: ItemHub<Item>) {
    (self.id, self.feed, self.path, self.hub) = (id, feed, path, hub)
    let kept = hub.storage?.body(of: identityText(of: id)).flatMap { hub.coder?.decode($0) }
    serverItem = kept
    place = kept == nil ? .looking : .found
    hub.join(
      ItemHub.Member(
        owner: self, learn: { [weak self] in self?.learn($0) },
        delete: { [weak self] in self?.leave($0) },
        outdate: { [weak self] in self?.outdate($0) },
        edited: { [weak self] in self?.edits += 1 }))
  }

  /// The item as it is shown; nil while none is known, or where it is not there.
  public var item: Item? {
    _ = edits
    return serverItem.flatMap(hub.edits.shown)
  }

  /// Whether it is shown otherwise than the server sent it.
  public var isPending: Bool {
    _ = edits
    return hub.edits.isPending(id, serverItem)
  }

  /// Asks the server for it; what went wrong stands in ``state``, and what is shown stays.
  public func load() async {
    guard !state.isLoading else { return }
    state = .loading
    var asked = hub.begin()
    defer { hub.end(asked) }
    // The whole item differs from one that was cut, whatever became of an edit.
    if path != nil, !feed.fields.isEmpty { asked.tick = nil }
    do {
      let found = try await ask()
      state = .idle
      guard let found else { return (serverItem, place) = (nil, .gone) }
      if let newer = hub.newer(than: asked, of: [id])[id] {
        // A list learned of it meanwhile.
        if let newer { learn([newer]) } else { leave([id]) }
        return
      }
      learn([found])
      hub.receive([found], to: asked, from: self)
    } catch let error as TsugiError {
      state = .idle
      switch error.code {
      case .itemNotFound: (serverItem, place) = (nil, .notKnown)
      case .itemDeleted:
        leave([id])
        hub.deleted([id], to: asked, from: self)
      default: state = .failed(error, retryAfter: error.retryAfter)
      }
    } catch {
      // The task was cancelled.
      state = .idle
    }
  }

  /// Shows an edit while it is sent, and until the server has it: see
  /// ``PagedList/edit(_:_:sending:)``.
  ///
  /// - Throws: what `sending` throws; this edit, and no other, is taken back then.
  public func edit<Answer: Sendable>(
    _ change: @escaping (inout Item) -> Void, sending: () async throws -> Answer
  ) async throws -> Answer where Item: Equatable {
    try await hub.change(
      id, change, rules: (feed.client, settlesWithin), now: { [self] in serverItem },
      sending: sending)
  }

  /// The item as the server has it; nil where the feed has another in its place.
  private func ask() async throws -> Item? {
    if let path { return try await feed.client.item(path, of: Item.self) }
    let place = FeedPosition.element(id: identityText(of: id))
    let slice = try await feed.slice(SliceRequest(start: .at(place), limit: 1))
    return slice.items.first { $0.id == id }
  }

  private func learn(_ items: [Item]) {
    guard let item = items.last(where: { $0.id == id }) else { return }
    (serverItem, place, isOutdated) = (item, .found, false)
  }

  private func leave(_ ids: Set<Item.ID>) {
    guard ids.contains(id) else { return }
    (serverItem, place, isOutdated) = (nil, .gone, false)
  }

  private func outdate(_ ids: Set<Item.ID>) {
    if ids.contains(id), serverItem != nil, !isOutdated { isOutdated = true }
  }
}
