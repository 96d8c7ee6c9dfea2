import Foundation
import TsugiClient

extension FeedClient {
  /// The server of this app; the key is asked for each time, since it may change.
  static let app: FeedClient = {
    // The literal is a URL.
    // swift-format-ignore: NeverForceUnwrap
    var client = FeedClient(baseURL: URL(string: "https://tsugi.example")!)
    client.headers = { ["authorization": "Bearer \(await Session.shared.key)"] }
    return client
  }()

  /// The articles, or those that a search finds, as far as a row shows them.
  func articles(matching search: String) -> Feed<QiitaItem> {
    feed(
      "qiita/items", query: search.isEmpty ? nil : search,
      fields: ["title", "user.id", "created_at"])
  }
}

/// Who is signed in.
actor Session {
  static let shared = Session()
  private(set) var key = ""

  func signIn(with key: String) { self.key = key }
}

/// Where the list lies between two runs of the app.
@MainActor enum Shelf {
  private static var file: URL {
    FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0]
      .appending(path: "articles.json")
  }

  /// The list as it was, or a new one.
  static func list() -> PagedList<QiitaItem> {
    let feed = FeedClient.app.articles(matching: "")
    let kept = try? JSONDecoder().decode(
      PagedSnapshot<QiitaItem>.self, from: Data(contentsOf: file))
    return kept.map { PagedList(feed, from: $0) } ?? PagedList(feed)
  }

  /// Keeps the list; where there is no room for it, the next run begins at the top.
  static func keep(_ list: PagedList<QiitaItem>) {
    guard let snapshot = list.snapshot() else { return }
    try? JSONEncoder().encode(snapshot).write(to: file, options: .atomic)
  }
}
