#if canImport(SwiftUI)
  public import SwiftUI

  /// The rows of a list, for a `List`, a `LazyVStack` or whatever makes rows as they are seen.
  ///
  ///     List {
  ///       PagedForEach(list) { item in Text(item.title) }
  ///     }
  ///     .paged(list)
  ///
  /// It reports to the list which rows are seen, and shows a row for what is no item: that
  /// something is loaded, that it failed, that there is nothing, that a gap is there. Each has a
  /// plain view unless another is given. Everything else is ``PagedList``'s.
  public struct PagedForEach<
    Item: Identifiable & Decodable & Sendable, Content: View, Loading: View, Failure: View,
    Empty: View, Gap: View
  >: View where Item.ID: Sendable {
    private let list: PagedList<Item>
    private let content: (Item) -> Content
    private let loading: () -> Loading
    private let failure: (TsugiError, @escaping @MainActor () -> Void) -> Failure
    private let empty: () -> Empty
    private let gap: (PagedGap, @escaping @MainActor () -> Void) -> Gap

    /// The rows of a list.
    ///
    /// - Parameters:
    ///   - content: an item's row.
    ///   - loading: shown while something is on its way.
    ///   - failure: shown with what went wrong, and what tries it again.
    ///   - empty: shown where the list is loaded and holds nothing.
    ///   - gap: shown where unknown items may lie, with what fills it.
    public init(
      _ list: PagedList<Item>,
      @ViewBuilder content: @escaping (Item) -> Content,
      @ViewBuilder loading: @escaping () -> Loading = { ProgressView() },
      @ViewBuilder failure: @escaping (TsugiError, @escaping @MainActor () -> Void) -> Failure = {
        _, retry in Button("Try Again", action: retry)
      },
      @ViewBuilder empty: @escaping () -> Empty = { EmptyView() },
      @ViewBuilder gap: @escaping (PagedGap, @escaping @MainActor () -> Void) -> Gap = {
        gap, fill in PagedGapRow(gap: gap, fill: fill)
      }
    ) {
      self.list = list
      self.content = content
      self.loading = loading
      self.failure = failure
      self.empty = empty
      self.gap = gap
    }

    /// What failed at the top, the items and gaps, and what comes below them.
    public var body: some View {
      PagedFrame(list: list, loading: loading, failure: failure, empty: empty) {
        ForEach(list.rows) { row in
          PagedRowView(list: list, row: row, content: content, gap: gap)
        }
      }
    }
  }

  /// A row that reports when it is seen.
  struct PagedRowView<
    Item: Identifiable & Decodable & Sendable, Content: View, Gap: View
  >: View where Item.ID: Sendable {
    let list: PagedList<Item>
    let row: PagedRow<Item>
    let content: (Item) -> Content
    let gap: (PagedGap, @escaping @MainActor () -> Void) -> Gap

    var body: some View {
      switch row {
      case .item(let item):
        content(item)
          .onAppear { list.appeared(item) }
          .onDisappear { list.disappeared(item) }
      case .gap(let hole):
        gap(hole) { list.fill(hole) }
      }
    }
  }

  /// What a list shows above and below its rows.
  struct PagedFrame<
    Item: Identifiable & Decodable & Sendable, Rows: View, Loading: View, Failure: View, Empty: View
  >: View where Item.ID: Sendable {
    let list: PagedList<Item>
    let loading: () -> Loading
    let failure: (TsugiError, @escaping @MainActor () -> Void) -> Failure
    let empty: () -> Empty
    @ViewBuilder let rows: () -> Rows

    var body: some View {
      if list.isLoaded, let error = list.refreshState.error { failure(error, list.retry) }
      if list.canLoadPrevious { row(list.previousState) }
      rows()
      footer
    }

    @ViewBuilder private var footer: some View {
      if !list.isLoaded {
        row(list.refreshState)
      } else if list.canLoadMore {
        // One view whatever it shows: it appears once, and stays while there is more.
        ZStack { row(list.moreState) }
          .onAppear { list.footerAppeared() }
          .onDisappear { list.footerDisappeared() }
      } else if list.items.isEmpty {
        empty()
      }
    }

    @ViewBuilder private func row(_ state: LoadState) -> some View {
      if let error = state.error {
        failure(error, list.retry)
      } else {
        loading()
      }
    }
  }

  /// A gap as a row that fills it when it is pressed.
  public struct PagedGapRow: View {
    private let gap: PagedGap
    private let fill: @MainActor () -> Void

    /// A row of a gap, and what fills it.
    public init(gap: PagedGap, fill: @escaping @MainActor () -> Void) {
      self.gap = gap
      self.fill = fill
    }

    /// A button, or that it is being filled.
    public var body: some View {
      if gap.state.isLoading {
        ProgressView()
      } else {
        Button("Load What Is Missing", action: fill)
      }
    }
  }

  extension View {
    /// Starts a list when this view is shown, refreshes it when it is pulled, has it catch up when
    /// the app comes back to the front, and tries again what failed when the network is back.
    public func paged<Item: Identifiable & Decodable & Sendable>(
      _ list: PagedList<Item>
    ) -> some View where Item.ID: Decodable & Sendable {
      PagedView(list: list, content: self)
    }
  }
#endif
