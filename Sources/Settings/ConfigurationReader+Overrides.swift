import Feed
import JSONBytes
import Upstream

/// What wins over the file, and what must go together.
extension ConfigurationReader {
  mutating func readEnvironment(into configuration: inout Configuration) {
    override(&configuration.server, "SERVER", Configuration.serverFields)
    override(&configuration.store, "STORE", Configuration.storeFields)
    override(&configuration.upstream, "UPSTREAM", Configuration.upstreamFields)
    for (place, name) in variables.unset {
      let message = "is null: neither \(name) nor \(name)_FILE is set in the environment"
      warn(place, message)
    }
    for name in variables.unknownVariables(except: Configuration.variables) {
      let question =
        Configuration.variables.closest(to: name).map { "did you mean \($0)?" }
        ?? "what is no source's has one, such as TSUGI_SERVER_PORT"
      let message = "overrides no key; \(question)"
      warn(name, message)
    }
  }

  private mutating func override<Section>(
    _ section: inout Section, _ prefix: String, _ fields: [ConfigurationField<Section>]
  ) {
    for field in fields {
      guard let form = field.variable else { continue }
      let name = Configuration.variable(prefix, field.name)
      guard let value = variables.override(name, as: form) else { continue }
      field.set(&section, value, name, &problems)
    }
  }

  mutating func read(
    _ overrides: Configuration.Overrides, into configuration: inout Configuration
  ) {
    let given: [(String, JSONTree?)] = [
      ("host", overrides.host.map { .text($0) }), ("port", overrides.port.map { .number("\($0)") }),
    ]
    for (name, value) in given {
      guard let value, let field = Configuration.serverFields.first(where: { $0.name == name })
      else { continue }
      field.set(&configuration.server, value, "--\(name)", &problems)
    }
  }

  /// Adds what no value is to blame for alone.
  mutating func check(_ configuration: Configuration) {
    let isOpen = configuration.server.apiKeys.isEmpty && isSound("server.apiKeys")
    let server = configuration.server
    if server.explorer == .all, isOpen, !server.isLoopback || !server.trustedProxies.isEmpty {
      add(
        "server.explorer",
        "all needs server.apiKeys where server.host is no loopback address or "
          + "server.trustedProxies is not empty: else everyone reads what others ask for")
    }
    for (name, source) in configuration.sources.sorted(by: { $0.key < $1.key }) {
      let place = ConfigurationReader.place(name, in: "sources")
      switch source {
      case .qiita(let qiita):
        if qiita.exposeOwner, isOpen {
          add("\(place).exposeOwner", "needs server.apiKeys: else everyone reads the owner's feeds")
        }
        check(qiita.policy, at: place)
        check(
          qiita.raw, hasToken: qiita.token != nil, isOpen: isOpen, of: configuration.server,
          at: place, bodyMegabytesMax: configuration.upstream.maxBodyMegabytes)
      case .http(let http):
        if http.recipe.credential != nil, !http.recipe.isPublic, isOpen {
          add(
            "\(place).auth",
            "needs server.apiKeys, or public where everyone may read what it is shown")
        }
        check(http.policy, at: place)
        check(
          http.raw, hasToken: http.recipe.credential != nil, isOpen: isOpen,
          of: configuration.server, at: place,
          bodyMegabytesMax: configuration.upstream.maxBodyMegabytes)
      case .merged(let merged): check(merged, in: configuration, isOpen: isOpen, at: place)
      case .file: break
      }
    }
  }

  /// Leaves out the feeds that only a credential's owner may see while everyone may ask.
  mutating func hidePrivate(in configuration: inout Configuration) {
    guard configuration.server.apiKeys.isEmpty else { return }
    for case (let name, .http(var http)) in configuration.sources {
      for list in http.recipe.lists where list.isPrivate {
        let place = "\(ConfigurationReader.place(name, in: "sources")).feeds"
        warn(
          "\(place)[\(JSONTree.quoted(list.path))]",
          "is not served: what is private needs server.apiKeys")
      }
      http.recipe.lists.removeAll(where: \.isPrivate)
      configuration.sources[name] = .http(http)
    }
  }

  private mutating func check(_ policy: Policy, at place: String) {
    if policy.freshSeconds > policy.staleSeconds, isSound("\(place).staleSeconds"),
      isSound("\(place).freshSeconds")
    {
      add("\(place).freshSeconds", "must be at most staleSeconds")
    }
  }

  /// Whether nothing was wrong with a key or its elements: else it still has its default, and no
  /// rule should speak of that.
  private func isSound(_ place: String) -> Bool {
    !problems.contains { $0.place == place || $0.place.hasPrefix("\(place)[") }
  }
}
