import ArgumentParser
import Settings

/// Where the configuration comes from, now and at each reload.
struct ConfigurationInput: Sendable {
  /// The file it is read from; nil for none.
  let path: String?
  let overrides: Configuration.Overrides
  let demo: Demo?

  /// Reads it, or says what is wrong and ends with the code for that.
  func load() throws(ExitCode) -> Configuration {
    adapted(try Configuration.load(path, overrides: overrides))
  }

  /// Reads it again; blocks.
  ///
  /// - Throws: `CommandError` or `Configuration.Problems`.
  func read() throws -> Configuration {
    adapted(try Configuration.read(at: path, overrides: overrides))
  }

  private func adapted(_ configuration: Configuration) -> Configuration {
    var configuration = configuration
    demo?.apply(to: &configuration)
    return configuration
  }
}
