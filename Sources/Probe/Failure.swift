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
    /// The API does not answer to who asks; `isNamed` where a secret went with the call.
    case unknownCaller(status: Int, isNamed: Bool)
    /// The API refused a call as one too many.
    case busy(Busy)
    /// The answer is not JSON.
    case notJSON(type: String?)
    /// The answer has no array of objects that something names, and none of names.
    case noList
    /// The list has no element that would show what they are like.
    case emptyList
    /// The URL of the second page is that of another list.
    case otherList
    /// The answer may be one page of more, and no call showed another one.
    case onePage(reason: String)

    /// What to tell.
    package var description: String {
      switch self {
      case .noAnswer(let error): "no answer: \(error.reason)"
      case .unknownCaller(let status, true):
        "the answer is \(status): give a secret that the API takes"
      case .unknownCaller(let status, false):
        "the answer is \(status): say who asks by --bearer-file, --user or --header"
      case .refused(let status): "the answer is \(status): give a URL that answers 200"
      case .busy(let busy): "\(busy)"
      case .notJSON(let type?) where type.lowercased().contains("json"):
        "the answer is called \(type), and is no JSON, or not all of it: give a URL that answers "
          + "with all of it"
      case .notJSON(let type):
        "the answer is not JSON\(type.map { ", but \($0)" } ?? ""): give the URL of the API itself"
      case .noList:
        "the answer has no array of objects with an identity: give the URL of a list of some; if "
          + "these have one that is not seen here, write the recipe by hand, with its key `id`"
      case .emptyList: "the list is empty: give the URL of one that has elements"
      case .otherList: "--second is not a URL of the same list: give one that is"
      case .onePage(let reason):
        "this may be one page of more: \(reason). Give the URL of the second page as --second"
      }
    }
  }
}
