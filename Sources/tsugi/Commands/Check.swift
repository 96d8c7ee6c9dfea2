import ArgumentParser
import Settings

/// `tsugi check`: what `serve` would run with.
struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the resolved configuration, secrets hidden, or all that is wrong with it.",
    discussion: """
      With --probe it also asks each upstream, twice for a feed, whether its recipe holds: what \
      was seen goes to standard error, and a recipe that does not hold ends the command with 1.

      Example: tsugi check --config config.json
      Example: tsugi check --probe --feed github/repos/apple/swift/issues
      """)

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: config.json where there is one).")
  var path: String?

  @Flag(help: "Try the recipes of the configuration against their upstreams.")
  var probe = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "With --probe: try this feed of a pattern that has variables.", valueName: "SOURCE/PATH"))
  var feed: [String] = []

  func validate() throws {
    guard probe || feed.isEmpty else { throw ValidationError("--feed needs --probe") }
  }

  func run() async throws {
    let configuration = try Configuration.load(path)
    for warning in configuration.warnings.map(\.description) + configuration.missingFiles {
      StandardStream.error.writeLine("warning: \(warning)")
    }
    try StandardStream.output.write(Array(configuration.resolved().utf8)).check()
    guard probe else { return }
    let trials = RecipeTrials(feeds: feed, stream: .error)
    guard try await trials.hold(in: configuration) else { throw ExitCode.failure }
  }
}
