import Proxy
import Settings
import Testing

@testable import Assembly

/// What a configuration says of the server itself.
@Suite struct ServerSettingsTests {
  /// A web page whose name turns to the loopback address is not this server's own.
  @Test func onlyItsOwnNamesReachALoopbackServer() {
    var configuration = Configuration()
    let own: Set = ["localhost", "127.0.0.1", "[::1]"]
    #expect(ServerSettings(configuration).gate.allowedHosts == own)
    configuration.server.host = "127.0.0.9"
    #expect(ServerSettings(configuration).gate.allowedHosts == own.union(["127.0.0.9"]))
    configuration.server.host = "::ffff:127.0.0.1"
    #expect(ServerSettings(configuration).gate.allowedHosts == own.union(["[::ffff:127.0.0.1]"]))
    configuration.server.publicURL = "https://API.example:81/feeds"
    #expect(ServerSettings(configuration).gate.allowedHosts.contains("api.example:81"))
    #expect(ServerSettings(configuration).gate.publicOrigin == "https://api.example:81")
    for (url, origin) in [
      ("https://API.example:443/x", "https://api.example"), ("HTTP://a.b", "http://a.b"),
      ("http://[::1]:80", "http://[::1]"),
    ] {
      configuration.server.publicURL = url
      #expect(ServerSettings(configuration).gate.publicOrigin == origin)
    }
    configuration.server.allowedHosts = ["api.example"]
    #expect(ServerSettings(configuration).gate.allowedHosts == ["api.example"])
    configuration.server.allowedHosts = []
    configuration.server.host = "0.0.0.0"
    #expect(ServerSettings(configuration).gate.allowedHosts.isEmpty)
  }

  @Test(arguments: [
    (Configuration.Explorer.off, false, false), (.feeds, true, false), (.all, true, true),
  ])
  func thePageShowsWhatIsSaid(explorer: Configuration.Explorer, page: Bool, all: Bool) {
    var configuration = Configuration()
    configuration.server.explorer = explorer
    let settings = ServerSettings(configuration)
    #expect((settings.page != nil) == page && settings.tellsOperator == all)
  }
}
