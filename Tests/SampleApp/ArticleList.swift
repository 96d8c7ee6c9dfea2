import Foundation
import SwiftUI
import TsugiClient
import TsugiStore

/// The articles, newest first, or what a search finds.
struct ArticleList: View {
  @State private var list: PagedList<QiitaItem>
  @State private var search = ""

  /// A list that begins where the reader was, or at an article, as a link has it.
  init(at id: String? = nil) {
    list = PagedList(
      FeedClient.app.articles(), in: .app, at: id.map { FeedPosition.element(id: $0) })
  }

  var body: some View {
    List {
      if let note { Text(note) }
      PagedForEach(list) { article in
        NavigationLink("\(article.title) ♥ \(article.likesCount ?? 0)") {
          ArticleView(id: article.id)
        }
        Button("Like") { Task { await like(article) } }
      }
    }
    .paged(list)
    .task { try? await list.follow() }
    .searchable(text: $search)
    .onSubmit(of: .search) { list.show(FeedClient.app.articles(matching: search)) }
    .navigationTitle("Articles")
  }

  /// Shows the like immediately; where it cannot be sent the row is as it was.
  private func like(_ article: QiitaItem) async {
    let count = (article.likesCount ?? 0) + 1
    try? await list.edit(article.id) {
      $0.likesCount = count
    } sending: {
      try await Session.shared.like(article.id)
    }
  }

  /// What the reader should know of what is shown.
  private var note: String? {
    if list.place == .gone { return "The article of this link is gone; this is the next one" }
    if list.place == .notKnown { return "There is no such article; these are the newest" }
    if list.hasNews { return "There is something new: pull to see it" }
    if let freshness = list.freshness, !freshness.isFresh, let checkedAt = freshness.checkedAt {
      return "As it was at \(checkedAt.formatted(.iso8601))"
    }
    return list.undecodable.isEmpty ? nil : "\(list.undecodable.count) articles cannot be shown"
  }
}

/// One article.
struct ArticleView: View {
  @State private var article: PagedItem<QiitaItem>

  init(id: String) {
    article = PagedItem(
      id, of: FeedClient.app.articles(), at: "qiita/items/\(id)", in: .app)
  }

  var body: some View {
    VStack {
      if let shown = article.item {
        Text(shown.title)
        Text(shown.body ?? "")
      } else if let error = article.state.error {
        Text(error.localizedDescription)
      } else if article.place == .gone || article.place == .notKnown {
        Text("This article is gone")
      } else {
        ProgressView()
      }
    }
    .task { await article.load() }
  }
}
