import Bytes
import HTTP
import Proxy
import Settings

extension ServerSettings {
  /// What a configuration says of the server itself.
  init(_ configuration: Configuration) {
    self.init()
    let server = configuration.server
    address = Address(host: server.host, port: server.port)
    loops = Processors.count
    memory = MemoryShares(ofBytes: MemoryLimit.ofThisProcess)
    limits.connections = server.maxConnections
    limits.headDeadline = .seconds(server.headerSeconds)
    limits.idleTime = .seconds(server.idleSeconds)
    wait = .milliseconds(configuration.upstream.waitMilliseconds)
    drain = .seconds(server.drainSeconds)
    publicURL = server.publicURL
    requestsPerMinute = server.requestsPerMinute
    newFeedsPerMinute = server.newFeedsPerMinute
    trustedProxies = server.trustedProxies
    gate.apiKeys = server.apiKeys.map { Array($0.text.utf8) }
    gate.allowedHosts = ServerSettings.hosts(server)
    if server.explorer != .off { page = { .shared } }
    tellsOperator = server.explorer == .all
    storeLimits.bytes = configuration.store.bytesMax
    storeLimits.feeds = configuration.store.maxFeeds
    gate.allowedOrigins = Set(server.allowedOrigins)
    gate.publicOrigin = server.publicOrigin
  }

  /// What `Host` may say. Where only this machine can connect, a name that is not its own is one
  /// that a web page has made to point here (DNS rebinding).
  private static func hosts(_ server: Configuration.Server) -> Set<String> {
    guard server.allowedHosts.isEmpty, server.isLoopback else { return Set(server.allowedHosts) }
    let isIPv6 = server.host.contains(":")
    let own = isIPv6 ? "[\(server.host)]" : server.host
    return Set(["localhost", "127.0.0.1", "[::1]", own, server.publicHost].compactMap(\.self))
  }
}
