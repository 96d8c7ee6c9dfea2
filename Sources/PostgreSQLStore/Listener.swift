import Feed
import Glibc
import Synchronization

/// A connection on which the database notifies of writes. It is only a hint: a server that hears
/// nothing polls once a second.
package final class Listener: Sendable {
  private let url: String
  private let server: String
  private let notify: @Sendable (Set<String>) -> Void
  private let isEnded = Atomic(false)

  /// How long it waits for a notification before it looks whether it is to end, in milliseconds.
  private static let turn: Int32 = 500
  /// How long it waits before it connects again, in milliseconds.
  private static let pauses: ClosedRange<UInt32> = 500...2_000

  /// A listener of a server at a URL. It calls `notify` with the names of the sources that another
  /// server has written to, on a thread of its own; without names where it may have missed some.
  package init(
    url: String, server: String, notify: @escaping @Sendable (Set<String>) -> Void
  ) {
    (self.url, self.server) = (url, server)
    self.notify = notify
  }

  /// Begins to listen, on a thread of its own.
  package func start() {
    let context = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Listener>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    // Without it everything is found out a second later.
    guard result == 0 else { return context.release() }
    pthread_detach(thread)
  }

  /// Ends it, within a second.
  package func stop() {
    isEnded.store(true, ordering: .relaxed)
  }

  private func run() {
    while !isEnded.load(ordering: .relaxed) {
      do throws(SQLFailure) {
        let link = try Link(url)
        _ = try link.run(SQL("LISTEN tsugi"))
        notify([])
        while !isEnded.load(ordering: .relaxed) {
          let sources = try link.notifications(waiting: Listener.turn).compactMap(source)
          if !sources.isEmpty { notify(Set(sources)) }
        }
      } catch {
        usleep(UInt32.random(in: Listener.pauses) * 1_000)
      }
    }
  }

  /// The source that a notification tells of; nil for one of this server's own: `qiita 1x7f`.
  private func source(in notification: String) -> String? {
    let words = notification.split(separator: " ", maxSplits: 1)
    return words.last == server[...] && words.count > 1 ? nil : words.first.map(String.init)
  }
}
