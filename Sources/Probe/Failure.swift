package import Feed
package import Upstream

extension Inquiry {
  /// What a call brings: a GET of a URL with header lines.
  package typealias Call =
    (_ url: String, _ headerLines: [String]) async throws(FetchError) -> Reply

  /// Why nothing can be written down, and the one thing that helps.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first call brought no answer.
    case noAnswer(FetchError)
    /// The first call brought an error.
    case refused(status: Int)
    /// The answer is not JSON.
    case notJSON(type: String?)
    /// The answer has no array of objects that something names.
    case noList
    /// The URL of the second page is that of another list.
    case otherList
    /// The answer may be one page of more, and no call showed another one.
    case onePage(reason: String)

    /// What to tell.
    package var description: String {
      switch self {
      case .noAnswer(let error): "no answer: \(error.reason)"
      case .refused(401), .refused(403), .refused(407):
        "the API wants to know who asks: give --bearer-file, --user or --header"
      case .refused(let status): "the answer is \(status)"
      case .notJSON(let type): "the answer is not JSON\(type.map { ", but \($0)" } ?? "")"
      case .noList: "the answer has no array of objects with an identity"
      case .otherList: "--second is not a URL of the same list"
      case .onePage(let reason):
        "this may be one page of more: \(reason). Give the URL of the second page as --second"
      }
    }
  }
}
