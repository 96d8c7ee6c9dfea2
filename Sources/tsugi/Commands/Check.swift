import ArgumentParser
import Settings

/// `tsugi check`: what `serve` would run with.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the resolved configuration, secrets hidden, or all that is wrong with it.",
    discussion: "Example: tsugi check --config config.json")

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: config.json where there is one).")
  var path: String?

  func run() throws {
    let configuration = try Configuration.load(path)
    for warning in configuration.warnings.map(\.description) + configuration.missingFiles {
      StandardStream.error.writeLine("warning: \(warning)")
    }
    try StandardStream.output.write(Array(configuration.resolved().utf8)).check()
  }
}
