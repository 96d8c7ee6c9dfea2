import Assembly
import Feed
import Probe
import Upstream

/// Why a command failed; the process exits with 1.
enum CommandError: Error, Equatable {
  /// A file could not be opened or read.
  case unreadable(path: String, reason: String)
  /// A directory for the demo's store could not be made.
  case noDirectory(reason: String)
  /// The server could not be put together, or not start.
  case assembly(AssemblyError)
  /// The server asked did not answer.
  case noAnswer(FetchError)
  /// The server asked answered with an error.
  case refused(status: Int, code: String?, detail: String)
  /// What the server answered is not a slice.
  case notASlice
  /// What the server answered does not say how a feed stands.
  case notAStatus
  /// What the server answered is not what a Tsugi says of itself.
  case notATsugi
  /// The server's `next` leads to another server, or back to where it stands.
  case lostWay(next: String)
  /// An API could not be looked at.
  case notProbed(Inquiry.Failure)
  /// A page is to be opened that the configuration switches off.
  case noPage
  /// Standard output, or a file of the demo, does not take any more.
  case unwritable(reason: String)
}

extension CommandError: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .noDirectory(let reason): "cannot make a directory for the demo's store: \(reason)"
    case .assembly(let error): "\(error)"
    case .noAnswer(let error): "the server did not answer: \(error.reason)"
    case .refused(let status, let code, let detail):
      "the server answered \(status)\(code.map { " \($0)" } ?? ""): \(detail)"
        + (status == 401 ? " --key-file names a file with one of the server's API keys." : "")
    case .notASlice: "the server's answer is not a slice of a feed"
    case .notAStatus: "the server's answer is not a feed's status"
    case .notATsugi: "what answers there is no Tsugi"
    case .lostWay(let next): "the server's next leads nowhere: \(next)"
    case .notProbed(let failure): "nothing to write down: \(failure)"
    case .noPage: "--open needs a page, and server.explorer is off: feeds and all have one"
    case .unwritable(let reason): "cannot write: \(reason)"
    }
  }
}
