package import Feed
package import HTTP
package import Logging
package import Proxy
package import SQLiteStore

/// What a ``Node`` is given besides its configuration: the process around it, or a test.
package struct NodeOptions: Sendable {
  /// The program's version, which is sent to upstreams.
  package var version: String
  /// Where it logs.
  package var logger: Logger
  /// The clock of the whole server.
  package var time: any TimeSource = SystemTime()
  /// When the store's writes are safe.
  package var durability = TimelineDatabase.Durability.full
  /// Called between chunks of background work; it may block for a moment, so that the event loops
  /// get the processor.
  package var pause: @Sendable () -> Void = {}
  /// Wraps the store's file; a test makes it fail here.
  package var wrapStore: @Sendable (TimelineDatabase) -> any FeedStore = { $0 }
  /// Whether the store is kept within its limits while it serves; a test does that by hand.
  package var keepsStore = true
  /// What only a demo answers, past `/demo/`; nil where this is none.
  package var demo: (@Sendable (Request) -> Response)?
  /// Changes what the configuration says of the server, before it starts.
  package var adjust: @Sendable (inout ServerSettings) -> Void = { _ in }

  /// Options of a version and a logger, with the system's clock.
  package init(version: String, logger: Logger) {
    self.version = version
    self.logger = logger
  }
}
