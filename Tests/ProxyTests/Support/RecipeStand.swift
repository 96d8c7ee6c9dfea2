import Assembly
import HTTP
import History
import Settings

@testable import Proxy

/// The whole server in process over one source, `s`, that is configured by JSON. Its clock is
/// quick, so that a pause of the server is short.
final class RecipeStand {
  let client: Client
  private let directory: TemporaryDirectory
  private let node: Node

  /// Starts everything with a new store. Throws ``Configuration/Problems`` where the source is
  /// refused.
  convenience init(_ source: String) async throws {
    try await self.init(sources: #"{"s":\#(source)}"#)
  }

  /// The same with several sources, and where a directory is given, with the store in it.
  init(sources: String, in directory: TemporaryDirectory? = nil) async throws {
    let json = #"{"sources":\#(sources)}"#
    var configuration = try Configuration.read(Array(json.utf8))
    self.directory = try directory ?? TemporaryDirectory("tsugi")
    configuration.store.path = self.directory.path + "/tsugi.sqlite"
    configuration.server.port = 0
    var options = NodeOptions.test(time: QuickClock())
    options.adjust = {
      ($0.loops, $0.limits.drainGrace, $0.wait) = (1, .zero, .seconds(3))
    }
    node = try await Node(configuration, options)
    client = Client(port: try await node.start().port)
  }

  /// Returns once this time has gone by on the server's clock. Throws where the task is cancelled.
  func wait(for time: Duration) async throws { try await QuickClock().sleep(for: time) }

  /// Stops everything; the store goes with the stand.
  func stop() async {
    await node.drain()
  }
}
