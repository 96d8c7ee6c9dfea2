/// What a view reports of its rows.
extension PagedList {
  /// The rows on the screen, by their indices in ``items``: for a view that knows them all, instead
  /// of ``appeared(_:)`` and ``disappeared(_:)``.
  public func visible(_ range: Range<Int>) {
    let shown = shown
    guard shown.inserted > 0 || !shown.removed.isEmpty else { return send(.visible(range)) }
    visible(shown.items[range.clamped(to: shown.items.indices)].map(\.id))
  }

  /// The rows on the screen, by their ids.
  public func visible(_ ids: some Sequence<Item.ID>) { send(.visibleIDs(Array(ids))) }

  /// A row came onto the screen. It costs the same however long the list is.
  public func appeared(_ item: Item) { send(.appeared(item.id)) }

  /// A row left the screen. A call is not necessary, but makes exact what may be dropped.
  public func disappeared(_ item: Item) { send(.disappeared(item.id)) }

  /// The row below the last item came onto the screen: once the list is started, more is loaded as
  /// long as it is there.
  public func footerAppeared() { send(.footer(isVisible: true)) }

  /// The row below the last item left the screen.
  public func footerDisappeared() { send(.footer(isVisible: false)) }
}
