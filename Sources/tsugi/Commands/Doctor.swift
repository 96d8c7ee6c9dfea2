import ArgumentParser
import Settings

/// `tsugi doctor`: whether a server could run here, and what to do where not.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks the configuration and all that a server needs, one line each.",
    discussion: """
      It looks at the configuration, the store, the port, the shared store, each source's upstream \
      (one call) or file, the budget and the clock, and changes nothing. Each line is ok, note or \
      FAIL with what to do. It ends with 0 if nothing failed, with 78 for the configuration, else \
      with 1. It may be run beside the server.

      Example: tsugi doctor --config config.json
      """)

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: config.json where there is one).")
  var path: String?

  func run() async throws {
    let path = Configuration.place(path)
    let configuration: Configuration
    do {
      configuration = try Configuration.read(at: path, overrides: .init())
    } catch {
      let problems = (error as? Configuration.Problems)?.all.map(\.description) ?? ["\(error)"]
      for problem in problems {
        try tell(Finding(state: .failed, subject: "configuration", text: problem))
      }
      throw Configuration.badCode
    }
    try tell(Finding(state: .ok, subject: "configuration", text: path ?? "the defaults"))
    for warning in configuration.warnings {
      try tell(Finding(state: .note, subject: "configuration", text: "\(warning)"))
    }
    var outcome = StandardStream.Outcome.written
    let findings = try await Examination(configuration: configuration).run { finding in
      if outcome == .written { outcome = StandardStream.output.writeLine(finding.line) }
    }
    try outcome.check()
    guard findings.areSound else { throw ExitCode.failure }
  }

  private func tell(_ finding: Finding) throws {
    try StandardStream.output.writeLine(finding.line).check()
  }
}
