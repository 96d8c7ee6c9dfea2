#if canImport(SwiftUI)
  public import SwiftUI

  /// The rows of a list in sections: items side by side that have one key.
  ///
  ///     List {
  ///       PagedSections(list, by: \.day) { item in
  ///         Text(item.title)
  ///       } header: { day in
  ///         Text(day)
  ///       }
  ///     }
  ///     .paged(list)
  ///
  /// Everything else is as in ``PagedForEach``, with its plain views for what is no item.
  public struct PagedSections<
    Item: Identifiable & Decodable & Sendable, Key: Hashable & Sendable, Content: View, Header: View
  >: View where Item.ID: Sendable {
    private let list: PagedList<Item>
    private let key: (Item) -> Key
    private let content: (Item) -> Content
    private let header: (Key) -> Header

    /// The rows of a list in sections.
    ///
    /// - Parameters:
    ///   - key: what items of a section have in common.
    ///   - content: an item's row.
    ///   - header: what stands above a section.
    public init(
      _ list: PagedList<Item>, by key: @escaping (Item) -> Key,
      @ViewBuilder content: @escaping (Item) -> Content,
      @ViewBuilder header: @escaping (Key) -> Header
    ) {
      self.list = list
      self.key = key
      self.content = content
      self.header = header
    }

    /// What failed at the top, the sections, and what comes below them.
    public var body: some View {
      PagedFrame(
        list: list, loading: { ProgressView() },
        failure: { _, retry in Button("Try Again", action: retry) }, empty: { EmptyView() }
      ) {
        ForEach(list.sections(by: key)) { section in
          Section {
            ForEach(section.rows) { row in
              PagedRowView(list: list, row: row, content: content) { gap, fill in
                PagedGapRow(gap: gap, fill: fill)
              }
            }
          } header: {
            header(section.key)
          }
        }
      }
    }
  }
#endif
