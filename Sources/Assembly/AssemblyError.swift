package import Feed
import Glibc
package import HTTP

/// Why a server could not start or reload.
package enum AssemblyError: Error, Equatable {
  /// The store could not be opened.
  case store(StoreError)
  /// The server could not listen at `host`:`port`.
  case listen(ServerError, host: String, port: Int)
  /// The client for upstreams could not start.
  case noClient(FetchError)
  /// The value of the key can never work.
  case badValue(key: String, reason: String)
  /// The key of the configuration can change only with a restart.
  case needsRestart(key: String)
}

extension AssemblyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .store(let error): error.reason
    case .listen(let error, let host, let port):
      "cannot listen at \(Address(host: host, port: port)): \(AssemblyError.text(of: error))"
    case .noClient(let error): "the client cannot start: \(error.reason)"
    case .badValue(let key, let reason): "\(key): \(reason)"
    case .needsRestart(let key): "\(key) needs a restart"
    }
  }

  private static func text(of error: ServerError) -> String {
    switch error {
    case .hostUnknown: "the host is not known"
    case .systemCall(let name, let number): "\(name): \(String(cString: strerror(number)))"
    case .alreadyStarted: "it was started before"
    }
  }
}
