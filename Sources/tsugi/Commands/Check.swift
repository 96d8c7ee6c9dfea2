import ArgumentParser
import Feed
import Settings

/// `tsugi check`: what `serve` would run with.
struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the resolved configuration, secrets hidden, or all that is wrong with it.",
    discussion: """
      The configuration goes to standard output; rates that are assumed, what has no effect, and \
      "ok" go to standard error. --quiet prints only what is wrong.

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

  @Flag(name: .shortAndLong, help: "Print only what is wrong.")
  var quiet = false

  func validate() throws {
    guard probe || feed.isEmpty else { throw ValidationError("--feed needs --probe") }
  }

  func run() async throws {
    let configuration = try Configuration.load(path)
    if !quiet {
      for note in configuration.notes { StandardStream.error.writeLine(note) }
      try StandardStream.output.write(Array(configuration.resolved().utf8)).check()
    }
    if probe {
      let trials = RecipeTrials(feeds: feed, stream: .error)
      guard try await trials.hold(in: configuration) else { throw ExitCode.failure }
    }
    if !quiet { StandardStream.error.writeLine("ok") }
  }
}

extension Configuration {
  /// How old each merged source's top may be, where its parts differ.
  private var mergedAges: [String] {
    mergedSources.compactMap { name, merged -> String? in
      let seconds = merged.parts.values.filter { !$0.isOptional }
        .compactMap { sources[$0.source]?.freshSeconds }
      guard let most = seconds.max(), let least = seconds.min(), most > least else { return nil }
      return "sources.\(name): its top is up to \(most) s old, the freshSeconds of its slowest part"
    }
  }

  /// What is worth a word and not wrong: what has no effect, what is missing, what is assumed.
  fileprivate var notes: [String] {
    let rates = sources.sorted { $0.key < $1.key }.compactMap { name, source -> String? in
      guard let rate = source.allowance, let key = rate.assumedFor else { return nil }
      return "\(key): \(rate.words) are assumed until the API states its rate"
    }
    return (warnings.map(\.description) + missingFiles).map { "warning: \($0)" } + rates
      + mergedAges
  }
}
