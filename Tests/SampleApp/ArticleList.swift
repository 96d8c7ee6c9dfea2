import Foundation
import SwiftUI
import TsugiClient

/// The articles, newest first, or what a search finds.
struct ArticleList: View {
  @Environment(\.scenePhase) private var phase
  @State private var list = Shelf.list()
  @State private var search = ""
  @State private var isSearch = false

  var body: some View {
    List {
      if let note { Text(note) }
      PagedForEach(list) { article in
        NavigationLink(article.title) { ArticleView(id: article.id) }
      }
    }
    .paged(list)
    .task { try? await list.follow() }
    .searchable(text: $search)
    .onSubmit(of: .search) {
      isSearch = !search.isEmpty
      list.show(FeedClient.app.articles(matching: search))
    }
    .onChange(of: phase) { _, now in
      if now == .background, !isSearch { Shelf.keep(list) }
    }
    .navigationTitle("Articles")
  }

  /// What the reader should know of what is shown.
  private var note: String? {
    if list.hasNews { return "There is something new: pull to see it" }
    if let freshness = list.freshness, !freshness.isFresh, let checkedAt = freshness.checkedAt {
      return "As it was at \(checkedAt.formatted(.iso8601))"
    }
    return list.undecodable.isEmpty ? nil : "\(list.undecodable.count) articles cannot be shown"
  }
}

/// One article.
struct ArticleView: View {
  let id: String
  @State private var article: QiitaItem?
  @State private var failure: String?

  var body: some View {
    VStack {
      if let article {
        Text(article.title)
        Text(article.body ?? "")
      } else if let failure {
        Text(failure)
      } else {
        ProgressView()
      }
    }
    .task {
      do {
        article = try await FeedClient.app.item("qiita/items/\(id)")
      } catch {
        // Where the reader has gone back nobody looks.
        failure = error is CancellationError ? nil : error.localizedDescription
      }
    }
  }
}
