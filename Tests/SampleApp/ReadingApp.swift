import SwiftUI
import TsugiClient

/// A small reader of articles: a list in a store on disk, a search in place, an article, a like
/// that shows immediately, what became of a link, and how old what is shown is.
///
/// It is an iOS app as source: put these files into one that takes the library, and a server's
/// address into ``FeedClient/app``. Here it is compiled, and against a stub where there is no
/// SwiftUI.
@main struct ReadingApp: App {
  var body: some Scene {
    WindowGroup { NavigationStack { ArticleList() } }
  }
}
