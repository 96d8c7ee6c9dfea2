package import Feed
package import HTTP
package import Logging
import Synchronization

/// The proxy as a whole: sources and a store in, HTTP out.
///
/// This target joins the domain and HTTP: routes, parameters, rendering, errors, validators and
/// the configuration. A test starts it in process, on a port of its own, exactly as the command
/// line does. ``Gateway`` is where a request is answered; read it next.
package final class ProxyServer: Sendable {
  private let gateways: Gateways
  private let server: Server
  private let drainTime: Mutex<Duration>

  /// A server over sources and the store they share. Nothing listens yet.
  package init(
    _ settings: ServerSettings, sources: [SourceBinding], store: any FeedStore,
    time: any TimeSource = SystemTime(), logger: Logger
  ) {
    drainTime = Mutex(settings.drain)
    var limits = settings.limits
    limits.heldBytes = settings.memory.heldBytes
    // No body means anything here: all are read and dropped.
    limits.keepsBodies = false
    let state = ServerState(
      store: store, time: time, logger: logger, accessLog: settings.accessLog,
      loops: settings.loops, memory: settings.memory,
      waitingMax: settings.waitingMax ?? max(1, settings.limits.connections * 3 / 4))
    let gateways = Gateways(Service(settings, sources: sources, state))
    self.gateways = gateways
    var configuration = ServerOptions(
      address: settings.address, loops: settings.loops, limits: limits,
      errorResponse: { refusal, fields in
        let id = RequestID.of(fields)
        var response = Response(Rejection(refusal), requestID: id)
        response.fields.append("X-Request-Id", id)
        gateways.service.gate.setBrowserHeaders(&response, origin: fields["Origin"])
        state.metrics.count(refused: response.status)
        return response
      })
    configuration.noteShortage = { [heldBytes = limits.heldBytes] in
      logger.warning(
        "connections are reset: more waits for slow clients than may be held",
        metadata: ["bytes": "\(heldBytes)"])
    }
    server = Server(configuration) { gateways.make(for: $0) }
    state.metrics.observe(server)
  }

  /// Binds and starts; clients can connect when it returns. Returns the address it got.
  package func start() throws(ServerError) -> Address {
    try server.start()
  }

  /// Goes by other settings from now on, and serves these sources: all but `address`, `loops`,
  /// `waitingMax` and, of `limits`, all but the two times, which stay as they are. Called by one at
  /// a time. Requests in progress go on as they began; once this returns, no answer is given again
  /// that was made before.
  package func adopt(_ settings: ServerSettings, sources: [SourceBinding]) async {
    drainTime.withLock { $0 = settings.drain }
    server.setPatience(head: settings.limits.headDeadline, idle: settings.limits.idleTime)
    let former = gateways.service
    await gateways.adopt(Service(settings, sources: sources, former.state, after: former))
  }

  /// Stops accepting, finishes requests in progress within the drain time, and returns.
  package func drain() async {
    gateways.service.state.beginDraining()
    await server.stop(drain: drainTime.withLock { $0 })
    gateways.close()
  }
}
