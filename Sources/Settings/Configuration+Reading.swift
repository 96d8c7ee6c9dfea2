extension Configuration {
  /// What the command line says; it wins over the environment and the file.
  package struct Overrides: Hashable, Sendable {
    /// `--host`, for `server.host`.
    package var host: String?
    /// `--port`, for `server.port`.
    package var port: Int?

    /// What was given, nil for what was not.
    package init(host: String? = nil, port: Int? = nil) {
      self.host = host
      self.port = port
    }
  }

  /// Reads a configuration: the defaults, over them the file, the environment and the flags.
  ///
  /// - `${NAME}` anywhere inside a text value is the environment variable; one that is not set, or
  ///   empty, is the trimmed content of the file that `NAME_FILE` names. Without either, a token
  ///   is none and anything else a problem. Nothing escapes a `${`, and what is put in is not
  ///   looked at again.
  /// - `TSUGI_SERVER_DRAIN_SECONDS` overrides `server.drainSeconds`, and so each of `variables`;
  ///   an empty one says nothing, and a list's has commas between its texts. Another variable that
  ///   begins with `TSUGI_` is one of `warnings`, unless the file uses it or Kubernetes writes it
  ///   for a service (`TSUGI_SERVICE_HOST`).
  /// - A source's `kind` left out is `qiita`. `sources` left out is one source, `qiita`. A `token`
  ///   left out is `${QIITA_TOKEN}`, but only for Qiita's own address: another has to be trusted
  ///   with it by name.
  /// - Paths that do not begin with `/` begin in `baseDirectory`, wherever they were set.
  ///
  /// - Parameters:
  ///   - json: The file's bytes, `{}` for none; at most `bytesMax`.
  ///   - environment: The variables by name.
  ///   - overrides: What the command line says.
  ///   - name: What the file is called, for what is wrong with its JSON.
  ///   - baseDirectory: The file's directory; empty leaves paths as they are.
  ///   - readFile: The bytes of the file at a path, nil when it cannot be read. Called only for
  ///     `NAME_FILE` variables.
  /// - Throws: everything that is wrong.
  package static func read(
    _ json: [UInt8], environment: [String: String] = [:], overrides: Overrides = Overrides(),
    named name: String? = nil, baseDirectory: String = "",
    readFile: @escaping (String) -> [UInt8]? = { _ in nil }
  ) throws(Problems) -> Configuration {
    var reader = ConfigurationReader(.init(environment: environment, readFile: readFile))
    var configuration = Configuration()
    reader.readFile(json, named: name, into: &configuration)
    reader.readEnvironment(into: &configuration)
    reader.read(overrides, into: &configuration)
    reader.check(configuration)
    reader.hidePrivate(in: &configuration)
    guard reader.problems.isEmpty else { throw Problems(all: reader.problems) }
    configuration.warnings = reader.warnings
    configuration.resolvePaths(in: baseDirectory)
    return configuration
  }

  private mutating func resolvePaths(in directory: String) {
    let prefix = directory.isEmpty || directory.hasSuffix("/") ? directory : directory + "/"
    func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : prefix + path }
    store.path = resolved(store.path)
    for case (let name, .file(var file)) in sources {
      file.path = resolved(file.path)
      sources[name] = .file(file)
    }
  }
}
