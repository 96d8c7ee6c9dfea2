import Foundation
public import TsugiClient

extension PagedList {
  /// A list of these items that stays as it is and asks for nothing: for a preview, or the picture
  /// of a view in a test.
  ///
  ///     #Preview { ArticleList(list: .preview([article], moreState: .loading)) }
  ///
  /// There is more below the items where `moreState` is not `idle`.
  public static func preview(
    _ items: [Item], moreState: LoadState = .idle, refreshState: LoadState = .idle
  ) -> PagedList<Item> {
    // A scheme and a host make a URL.
    let url = URL(string: "https://preview.invalid") ?? URL(filePath: "/")
    let client = FeedClient(baseURL: url, transport: ScriptedTransport())
    return PagedList(
      pictureOf: items, client.feed("preview/items"), more: moreState, top: refreshState)
  }
}
