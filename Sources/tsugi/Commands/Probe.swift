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
      the evidence for each key, and what is not known, go to standard error. If nothing is \
      proven, only the calls are printed, and what would help. A call that the API refuses for \
      its rate limit is repeated once, after at most a minute.

      Example: tsugi probe https://example.org/wp-json/wp/v2/posts > config.json
      """)

  @Argument(
    help: ArgumentHelp("The list, as https://example.org/api/posts.", valueName: "URL"),
    transform: parseURL)
  var url: ListAddress

  @Option(
    help: ArgumentHelp(
      "The second page, as https://example.org/api/posts?at=2: it shows the parameter's name.",
      valueName: "URL"), transform: parseURL)
  var second: ListAddress?

  @Option(
    help: "The most calls (2 to 50; default: \(Inquiry.callsMax)).", transform: number(in: 2...50))
  var calls = Inquiry.callsMax

  @Option(
    help: ArgumentHelp(
      "A file with a token that the API is asked with, as a bearer's.", valueName: "file"))
  var bearerFile: String?

  @Option(
    help: ArgumentHelp("User and password for basic authentication.", valueName: "name:password"))
  var user: String?

  @Option(
    help: ArgumentHelp("A header of each call; may be repeated.", valueName: "Name: value"))
  var header: [String] = []

  func run() async throws {
    let headers = try callHeaders()
    let line = ProgressLine(stream: .error)
    let client = try SliceClient.transport()
    var inquiry = Inquiry(
      url, second: second, callsMax: calls, headers: headers, tell: line.show
    ) { (url, headerLines) async throws(FetchError) in
      try await client.reply(from: url, headerLines: headerLines)
    }
    let report: Report
    do throws(Inquiry.Failure) {
      report = try await inquiry.run()
    } catch {
      await client.close()
      line.clear()
      for call in inquiry.report.calls { StandardStream.error.writeLine("tried \(call)") }
      tell(inquiry.report)
      throw CommandError.notProbed(error)
    }
    await client.close()
    line.clear()
    tell(report)
    StandardStream.error.writeLine("\(report.calls.count) calls")
    for name in report.variables {
      StandardStream.error.writeLine("set \(name), or \(name)_FILE, in the server's environment")
    }
    for line in report.advice { StandardStream.error.writeLine(line) }
    try StandardStream.output.write(Array(report.configuration.utf8)).check()
  }

  private func callHeaders() throws -> CallHeaders {
    var headers = CallHeaders(
      bearer: try bearerFile.map { try SecretFile.read($0, option: "--bearer-file") })
    do throws(CallHeaders.Fault) {
      if let user { try headers.add(user: user) }
      for header in header { try headers.add(header: header) }
    } catch {
      throw ValidationError("\(error)")
    }
    return headers
  }

  private func tell(_ report: Report) {
    for finding in report.findings { StandardStream.error.writeLine("\(finding)") }
    guard !report.open.isEmpty else { return }
    let questions = report.open.joined(separator: "; ")
    let want = "for want of calls (try --calls \(min(50, 2 * calls)))"
    let reason = report.busy.map { "since \($0)" } ?? want
    StandardStream.error.writeLine("open \(reason): \(questions)")
  }

  private static func parseURL(_ text: String) throws -> ListAddress {
    guard let url = ListAddress(text) else {
      throw ValidationError("an absolute http or https URL with a path is allowed")
    }
    return url
  }
}
