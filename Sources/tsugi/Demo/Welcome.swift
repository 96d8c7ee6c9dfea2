import HTTP
import Settings
import Upstream

/// What to try first, for a person who has just started the server.
struct Welcome {
  /// Where it is, where to look, what to ask, and what else there is.
  let lines: [String]
  /// The address of the page that shows the feeds; nil where it is switched off.
  let page: String?

  /// What to try at a server that listens at an address.
  init(_ address: Address, _ configuration: Configuration, isDemo: Bool) {
    let server = "http://\(Self.reachable(address))"
    let key = configuration.server.apiKeys.isEmpty ? "" : " -H \"Authorization: Bearer $KEY\""
    let sources = configuration.sources.sorted { $0.key < $1.key }
    // Of several a numbered one shows more than a file does.
    let shown = sources.first { if case .qiita = $0.value { true } else { false } } ?? sources.first
    let feed = shown.map { name, source in
      switch source {
      case .qiita: "/v1/\(name)/items?limit=3&fields=title"
      case .file, .merged: "/v1/\(name)/items?limit=3"
      case .http(let http):
        // One whose name a stranger can complete.
        http.recipe.lists.first { $0.variables.isEmpty }.map { "/v1/\(name)/\($0.path)?limit=3" }
          ?? "/v1"
      }
    }
    // One that a person can add to without knowing of keys.
    let files = sources.compactMap { name, source in
      if case .file(let file) = source, file.list.order == .whole { (name, file.path) } else { nil }
    }
    let rest =
      if isDemo, let (name, path) = files.first {
        "Edit \(path), and \(server)/v1/\(name)/items follows."
      } else {
        "What else there is: curl\(key) \(server)/v1"
      }
    page = configuration.server.explorer == .off ? nil : "\(server)/"
    lines =
      ["", "  Tsugi is at \(server); Ctrl-C ends it."]
      + (page.map { ["  Look: \($0) in a browser"] } ?? [])
      + ["  Try: curl\(key) \"\(server)\(feed ?? "/v1")\"", "  \(rest)", ""]
  }

  /// A server that listens on every address is reached at the loopback address.
  static func reachable(_ address: Address) -> Address {
    let loopback = ["0.0.0.0": "127.0.0.1", "::": "::1"][address.host]
    return Address(host: loopback ?? address.host, port: address.port)
  }
}
