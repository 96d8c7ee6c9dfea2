import Feed
import Glibc
import Synchronization

/// A connection on which the database notifies of writes. It is only a hint: a server that hears
/// nothing polls once a second.
///
/// A pooler in transaction mode takes `LISTEN` and never passes on what was notified. So a server
/// first notifies itself, over another connection, on a channel of its own.
package final class Listener: Sendable {
  /// What became of the notification that a server sent to itself.
  package enum Hearing: Hashable, Sendable {
    /// It arrived.
    case heard
    /// It did not: the connection loses notifications without an error.
    case lost
  }

  private let url: String
  private let server: String
  private let ledger: PostgreSQLLedger
  private let times: Times
  private let report: @Sendable (Hearing) -> Void
  private let notify: @Sendable (Set<String>) -> Void
  /// The channel of the notification that it sends to itself.
  private let channel: String
  private let isEnded = Atomic(false)

  /// How long a listener waits.
  struct Times {
    /// For the notification that it sends to itself, in milliseconds.
    var trial: Int32 = 2_000
    /// Before it tries a connection again that loses notifications.
    var retry = Duration.seconds(60)
  }

  /// How long it waits for a notification before it looks whether it is to end, in milliseconds.
  private static let turn: Int32 = 500
  /// How long it waits before it connects again, in milliseconds.
  private static let pauses: ClosedRange<UInt32> = 500...2_000

  /// A listener of a server at a URL, to what is written over `ledger`. It calls `notify` with the
  /// names of the sources that another server has written to, on a thread of its own; without names
  /// where it may have missed some. It calls `report` when notifications are lost, and when they
  /// arrive after that.
  package convenience init(
    url: String, server: String, of ledger: PostgreSQLLedger,
    report: @escaping @Sendable (Hearing) -> Void,
    notify: @escaping @Sendable (Set<String>) -> Void
  ) {
    self.init(url: url, server: server, of: ledger, Times(), report: report, notify: notify)
  }

  init(
    url: String, server: String, of ledger: PostgreSQLLedger, _ times: Times,
    report: @escaping @Sendable (Hearing) -> Void,
    notify: @escaping @Sendable (Set<String>) -> Void
  ) {
    (self.url, self.server, self.ledger, self.times) = (url, server, ledger, times)
    (self.report, self.notify) = (report, notify)
    channel = "tsugi_" + server.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
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
    var hearing: Hearing?
    while !isEnded.load(ordering: .relaxed) {
      do throws(SQLFailure) {
        let link = try Link(url)
        _ = try link.transaction([SQL("LISTEN tsugi"), SQL("LISTEN \(channel)")])
        // What was heard once is heard again.
        if hearing != .heard {
          guard let tried = try tried(link) else { throw .lost("the trial was not sent") }
          if tried != hearing ?? .heard { report(tried) }
          hearing = tried
        }
        guard hearing == .heard else {
          rest(for: times.retry)
          continue
        }
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

  /// Whether a notification arrives that goes the way of all; nil where it could not be sent.
  private func tried(_ link: Link) throws(SQLFailure) -> Hearing? {
    guard (try? ledger.notify(on: channel)) != nil else { return nil }
    let end = ContinuousClock.now + .milliseconds(Int(times.trial))
    repeat {
      if !(try link.notifications(waiting: min(times.trial, Listener.turn))).isEmpty {
        return .heard
      }
    } while .now < end && !isEnded.load(ordering: .relaxed)
    return .lost
  }

  /// Waits, and looks meanwhile whether it is to end.
  private func rest(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while .now < end, !isEnded.load(ordering: .relaxed) {
      usleep(UInt32(Listener.turn) * 1_000)
    }
  }

  /// The source that a notification names; nil for one of this server's own: `qiita 1x7f`.
  private func source(in notification: String) -> String? {
    let words = notification.split(separator: " ", maxSplits: 1)
    return words.last == server[...] && words.count > 1 ? nil : words.first.map(String.init)
  }
}
