import ArgumentParser
import Feed
import Settings
import Upstream

/// `tsugi health`: whether a running server is ready, for a container's health check.
struct Health: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Asks a running server whether it is ready; ends with 0 if so, else with 1.",
    discussion: "Example: tsugi health --url http://127.0.0.1:8080")

  /// How long the server may take, all in all: less than a container's usual five seconds, so that
  /// the reason is still printed.
  static let timeout = Duration.seconds(4)

  @Option(
    help: "Where the server is (default: this machine, at TSUGI_SERVER_PORT or 8080).",
    transform: parseURL)
  var url: HealthURL?

  func run() async throws {
    let url = self.url ?? HealthURL(environment: Environment.variables)
    var limits = TransferLimits()
    limits.connectTimeout = Health.timeout
    limits.totalTimeout = Health.timeout
    let reply: Reply
    do {
      let client = try UpstreamClient(version: Tsugi.version)
      reply = try await client.reply(from: "\(url.text)/readyz", limits: limits)
    } catch {
      throw CommandError.noAnswer(error)
    }
    guard reply.status == 200 else { throw CommandError.refused(reply) }
  }

  private static func parseURL(_ text: String) throws -> HealthURL {
    guard let base = BaseURL(text) else {
      throw ValidationError("an absolute http or https URL is allowed")
    }
    return HealthURL(text: base.text)
  }
}

/// Where a server is, without a slash at its end.
struct HealthURL {
  let text: String

  init(text: String) {
    self.text = text
  }

  /// The server of this machine that runs with the same environment.
  init(environment: [String: String]) {
    let environment = environment.filter { $0.key == "TSUGI_SERVER_PORT" }
    // On a port that `serve` refuses nothing is healthy, and `serve` has said why.
    let configuration = try? Configuration.read(Array("{}".utf8), environment: environment)
    self.init(text: "http://127.0.0.1:\(configuration?.server.port ?? 8080)")
  }
}
