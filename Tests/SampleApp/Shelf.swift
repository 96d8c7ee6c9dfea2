import Foundation
import TsugiClient
import TsugiStore

extension FeedClient {
  /// The server of this app; the key is asked for each time, since it may change.
  // The literal is a URL.
  // swift-format-ignore: NeverForceUnwrap
  static let app = FeedClient(
    baseURL: URL(string: "https://tsugi.example")!,
    headers: { ["authorization": "Bearer \(await Session.shared.key)"] })

  /// The articles, or those that a search finds.
  func articles(matching search: String = "") -> Feed<QiitaItem> {
    feed("qiita/items", query: search.isEmpty ? nil : search)
  }
}

extension FeedStore {
  /// All that this app has loaded, on disk.
  static let app = FeedStore()
}

/// Who is signed in, and what the app asks of the API itself.
actor Session {
  static let shared = Session()
  private(set) var key = ""

  func signIn(with key: String) { self.key = key }

  /// Signs out, and removes what was kept.
  func signOut() async {
    key = ""
    await FeedStore.app.removeAll()
  }

  /// Likes an article; the API of the upstream takes it, and not the server of the feeds.
  func like(_ id: String) async throws {
    guard !key.isEmpty else { throw CancellationError() }
  }
}
