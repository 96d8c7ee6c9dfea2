import Feed
import HTTP

/// Why a command could not do what it was asked; the process ends with 1.
enum CommandError: Error, Equatable {
  /// A file could not be opened or read.
  case unreadable(path: String, reason: String)
  /// A directory for the demo's store could not be made.
  case noDirectory(reason: String)
  /// The store could not be opened.
  case store(StoreError)
  /// The server could not listen at `host`:`port`.
  case listen(ServerError, host: String, port: Int)
  /// The client for upstreams could not start.
  case noClient(FetchError)
  /// What stands at a key of the configuration is well-formed, but cannot be used.
  case unusable(key: String)
  /// What stands at a key of the configuration can be had only by a restart.
  case needsRestart(key: String)
  /// The server asked did not answer.
  case noAnswer(FetchError)
  /// The server asked answered with an error.
  case refused(status: Int, code: String?, detail: String)
  /// What the server answered is not a slice.
  case notASlice
  /// What the server answered does not say how a feed stands.
  case notAStatus
  /// The server's `next` leads to another server, or back to where it stands.
  case lostWay(next: String)
  /// Standard output, or a file of the demo, does not take any more.
  case unwritable(reason: String)
}

extension CommandError: CustomStringConvertible {
  var description: String {
    switch self {
    case .unreadable(let path, let reason): "cannot read \(path): \(reason)"
    case .noDirectory(let reason): "cannot make a directory for the demo's store: \(reason)"
    case .store(let error): error.reason
    case .listen(let error, let host, let port):
      "cannot listen at \(Address(host: host, port: port)): \(CommandError.text(of: error))"
    case .noClient(let error): "the client cannot start: \(error.reason)"
    case .unusable(let key): "\(key) cannot be used"
    case .needsRestart(let key): "\(key) needs a restart"
    case .noAnswer(let error): "the server did not answer: \(error.reason)"
    case .refused(let status, let code, let detail):
      "the server answered \(status)\(code.map { " \($0)" } ?? ""): \(detail)"
    case .notASlice: "the server's answer is not a slice of a feed"
    case .notAStatus: "the server's answer does not say how the feed stands"
    case .lostWay(let next): "the server's next leads nowhere: \(next)"
    case .unwritable(let reason): "cannot write: \(reason)"
    }
  }

  private static func text(of error: ServerError) -> String {
    switch error {
    case .hostUnknown: "the host is not known"
    case .systemCall(let name, let number): "\(name): \(SystemError.text(number))"
    case .alreadyStarted: "it was started before"
    }
  }
}
