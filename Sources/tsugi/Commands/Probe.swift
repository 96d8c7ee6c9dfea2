import ArgumentParser
import Bytes
import Feed
import Probe
import Settings
import Upstream

/// `tsugi probe`: looks at an API, and writes down how it is asked and read.
struct ProbeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "probe",
    abstract: "Looks at an API with at most 8 calls and prints a source's configuration.",
    discussion: """
      The URL is that of a list, as a browser shows it. The configuration goes to standard output; \
      what each key rests on goes to standard error, and so does what could not be told.

      Example: tsugi probe https://example.org/wp-json/wp/v2/posts > config.json
      """)

  @Argument(
    help: ArgumentHelp("The list, as https://example.org/api/posts.", valueName: "URL"),
    transform: parseURL)
  var url: ProbedURL

  @Option(
    help: "The most calls (2 to 50; default: \(Inquiry.callsMax)).", transform: number(in: 2...50))
  var calls = Inquiry.callsMax

  @Option(
    help: ArgumentHelp(
      "A file with a token that the API is asked with, as a bearer's.", valueName: "file"))
  var bearerFile: String?

  func run() async throws {
    let key = try bearerFile.map { try SecretFile.read($0, option: "--bearer-file") }
    let line = ProgressLine(stream: .error)
    let client = try SliceClient.transport()
    var probe = Inquiry(url, callsMax: calls, hasBearer: key != nil, tell: line.show) {
      (url, headerLines) async throws(FetchError) in
      try await client.reply(
        from: url, key: key, headerLines: ["Accept: application/json"] + headerLines)
    }
    let report: Report
    do throws(Inquiry.Failure) {
      report = try await probe.run()
    } catch {
      await client.close()
      line.clear()
      tell(probe.report)
      throw CommandError.notProbed(error)
    }
    await client.close()
    line.clear()
    tell(report)
    StandardStream.error.writeLine("\(report.callCount) calls")
    for name in report.variables {
      StandardStream.error.writeLine("set \(name), or \(name)_FILE, in the server's environment")
    }
    try StandardStream.output.write(Array(report.configuration.utf8)).check()
  }

  private func tell(_ report: Report) {
    for finding in report.findings { StandardStream.error.writeLine("\(finding)") }
  }

  private static func parseURL(_ text: String) throws -> ProbedURL {
    guard let url = ProbedURL(text) else {
      throw ValidationError("an absolute http or https URL with a path is allowed")
    }
    return url
  }
}
