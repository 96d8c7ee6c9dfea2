import Upstream

extension Configuration {
  /// What another configuration means to a server that runs.
  ///
  /// Most of it takes effect immediately. The rest, by the tables of keys and a source's `kind`,
  /// needs a restart: there the old value stays.
  package struct Change: Hashable, Sendable {
    /// What is in force from now on.
    package private(set) var result: Configuration
    /// The keys whose new value is in force, in the contract's order: `server.apiKeys`,
    /// `sources.qiita.freshSeconds`, `sources.fruits` for a source that came or went.
    package private(set) var applied: [String] = []
    /// The keys whose new value waits for a restart.
    package private(set) var awaitingRestart: [String] = []

    /// The change from what is in force to what was read.
    ///
    /// - Throws: what is wrong where new values would stand beside old ones: with a source that
    ///   shows its owner's feeds until the restart, the last API key cannot go.
    package init(from old: Configuration, to new: Configuration) throws(Problems) {
      result = new
      result.server = mixed(old.server, new.server, Configuration.serverFields, "server")
      result.store = mixed(old.store, new.store, Configuration.storeFields, "store")
      result.upstream = mixed(
        old.upstream, new.upstream, Configuration.upstreamFields, "upstream")
      let names = Set(old.sources.keys).union(new.sources.keys)
      for name in names.sorted() { record(name, old.sources[name], new.sources[name]) }
      var reader = ConfigurationReader(.init(environment: [:], readFile: { _ in nil }))
      reader.check(result)
      guard reader.problems.isEmpty else { throw Problems(all: reader.problems) }
    }

    private mutating func record(_ name: String, _ old: Source?, _ new: Source?) {
      let place = "sources.\(name)"
      switch (old, new) {
      case (.qiita(let old), .qiita(let new)):
        result.sources[name] = .qiita(mixed(old, new, Configuration.qiitaFields, place))
      case (.file(let old), .file(let new)):
        result.sources[name] = .file(mixed(old, new, Configuration.fileFields, place))
      case (.merged(let old), .merged(let new)):
        result.sources[name] = .merged(mixed(old, new, Configuration.mergedFields, place))
      case (.http(let old), .http(let new)):
        var mixed = mixed(old, new, Configuration.httpFields, place)
        mixed.recipe = new.recipe
        if old.recipe.lists != new.recipe.lists { applied.append("\(place).feeds") }
        result.sources[name] = .http(mixed)
      case (let old?, _?):
        // What is stored of it is of another kind, and who reads it now goes on.
        result.sources[name] = old
        awaitingRestart.append("\(place).kind")
      case (nil, _), (_, nil):
        applied.append(place)
      }
    }

    /// Notes what differs in a section: the new one, with the old value of what needs a restart.
    private mutating func mixed<Section>(
      _ old: Section, _ new: Section, _ fields: [ConfigurationField<Section>], _ place: String
    ) -> Section {
      var mixed = new
      for field in fields where !field.isSame(old, new) {
        switch field.effect {
        case .atOnce:
          applied.append("\(place).\(field.name)")
        case .atRestart:
          awaitingRestart.append("\(place).\(field.name)")
          field.copy(old, &mixed)
        }
      }
      return mixed
    }
  }
}
