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
    gate.allowedHosts = Set(server.allowedHosts)
    gate.allowedOrigins = Set(server.allowedOrigins)
  }
}
