package import HTTP

/// The settings of the server; the sources have their own.
package struct ServerSettings: Sendable {
  /// Where to listen; port 0 lets the system choose.
  package var address = Address(host: "127.0.0.1", port: 8080)
  /// Event loops: one per core.
  package var loops = 1
  /// The bounds on what peers can make grow.
  package var limits = Limits()
  /// How much of the memory is held for peers.
  package var memory = MemoryShares()
  /// How long a request waits for the upstream by default.
  package var wait = Duration.seconds(5)
  /// How long requests in progress may take to finish.
  package var drain = Duration.seconds(10)
  /// The most requests that wait for the upstream, one more is answered 503; nil for three
  /// quarters of the connections: so some are left for what is stored, however slow the upstream
  /// has become.
  package var waitingMax: Int?
  /// The page at `/`, called when it is asked for; nil where there is none.
  package var page: (@Sendable () -> ExplorerPage)?
  /// Whether what only an operator needs is sent: the server's state, upstream calls, stored feeds.
  package var tellsOperator = false
  /// The program's version.
  package var version = ""
  /// How much may be stored.
  package var storeLimits = StoreLimits()
  /// What only a demo answers, past `/demo/`; nil where this is none.
  package var demo: (@Sendable (Request) -> Response)?
  /// Who may ask.
  package var gate = Gate()
  /// Requests one address may make a minute; 0 is no limit.
  package var requestsPerMinute = 0
  /// Feeds not yet stored, and places never read, that one address may open a minute; 0 is no
  /// limit.
  package var newFeedsPerMinute = 60
  /// Counts an opening of an address at all servers that share a store, at so many a minute: nil
  /// where it may be made, else how long the address has to wait. It blocks, and is called on the
  /// queue of a source. Nil where no servers share.
  package var sharedOpenings: (@Sendable (_ site: String, _ perMinute: Int) -> Duration?)?
  /// What absolute links begin with, without a slash at the end; nil takes the request's host.
  package var publicURL: String?
  /// Who may say in `X-Forwarded-For` on whose behalf a request comes.
  package var trustedProxies: [AddressRange] = []

  /// Takes what was answered; nil keeps no access log. Set once, when the server starts.
  package var accessLog: AccessLog?

  /// How much may be stored.
  package struct StoreLimits: Sendable {
    /// The bytes of the file.
    package var bytes: Int64 = 0
    /// Feeds.
    package var feeds = 0

    /// Nothing.
    package init() {}
  }

  /// The contract's defaults, with one loop.
  package init() {}
}
