import ArgumentParser
import Feed
import Upstream

/// `tsugi status`: how a running server stands.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows a running server's feeds, budgets, calls and servers as tables.",
    discussion: """
      All stored feeds are listed while server.explorer is all, else those whose path has no \
      variable. It asks the server alone, and costs no upstream call.

      Example: tsugi status http://127.0.0.1:8080 --key-file key
      """)

  @Argument(
    help: ArgumentHelp("The server, as http://127.0.0.1:8080.", valueName: "URL"),
    transform: parseURL)
  var url: String

  @OptionGroup var access: ServerAccess

  func run() async throws {
    let client = try SliceClient.transport()
    let server = StatusClient(base: url, key: try access.key(), client: client)
    let status = try await server.status()
    await client.close()
    try StandardStream.output.write(Array(status.text.utf8)).check()
  }

  private static func parseURL(_ text: String) throws -> String {
    guard let base = BaseURL(text) else {
      throw ValidationError("an absolute http or https URL is allowed")
    }
    return base.text
  }
}
