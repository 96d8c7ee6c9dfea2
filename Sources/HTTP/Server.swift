// An HTTP/1.1 server over POSIX sockets (RFC 9110, RFC 9112): descriptors, listeners, one event
// loop per core, connections, the parser, the encoder, limits and deadlines. Nothing of feeds or
// caching is here; a `Handler` answers, and knows neither sockets nor framing.
//
// The way of a request: `Listener` → `EventLoop` (accept, read, answer, deadlines) →
// `RequestParser` (pure: `HeadParser`, `Framing`, `Target`, `ChunkedBody`) → `Handler` →
// `Responder` → `ResponseEncoder` → the socket again. Other threads come in through `Mailbox`.

import Dispatch
import Synchronization

/// A server: started once, stopped once, then done with. Its loops run until `stop`, also when
/// nothing refers to it any more.
package final class Server: Sendable {
  private enum State {
    case new
    case running([Mailbox])
    case stopped
  }

  private let configuration: ServerOptions
  private let makeHandler: @Sendable (Loop) -> any Handler
  private let state = Mutex(State.new)
  private let openConnections = OpenConnections()
  private let memory: MemoryBudget
  /// Entered by each loop for as long as it runs.
  private let running = DispatchGroup()

  /// Connections open now, of all loops.
  package var connectionCount: Int { openConnections.number }
  /// Bytes held for peers now, of all loops, and connections cut for want of room since the start.
  package var held: (bytes: Int, cut: Int) { (memory.heldBytes, memory.cutCount) }

  /// Makes a server whose loops each get a handler of their own, made on the loop's thread.
  package init(
    _ configuration: ServerOptions, makeHandler: @escaping @Sendable (Loop) -> any Handler
  ) {
    self.configuration = configuration
    self.makeHandler = makeHandler
    memory = MemoryBudget(
      limitBytes: configuration.limits.heldBytes, report: configuration.noteShortage)
  }

  /// Makes a server that answers with one closure on every loop.
  package convenience init(
    _ configuration: ServerOptions = ServerOptions(),
    handle: @escaping @Sendable (Request, consuming Responder) -> Void
  ) {
    self.init(configuration) { _ in ClosureHandler(handle) }
  }

  /// Binds, starts the loops, and gives the address with the port it got.
  ///
  /// Clients can connect when it returns. Throws `hostUnknown`, `systemCall` when the address
  /// cannot be had, `alreadyStarted`; then nothing is left open.
  package func start() throws(ServerError) -> Address {
    let isNew = state.withLock { state in
      guard case .new = state else { return false }
      state = .running([])
      return true
    }
    guard isNew else { throw .alreadyStarted }
    var address = configuration.address
    let mailboxes = try (0..<configuration.loops).map { _ throws(ServerError) in try Mailbox() }
    var loops: [EventLoop] = []
    for (index, mailbox) in mailboxes.enumerated() {
      let listener = try Listener(address, isFirst: index == 0)
      address.port = try listener.boundPort
      loops.append(
        try EventLoop(
          Loop(index: index, mailbox: mailbox), peers: mailboxes.filter { $0 !== mailbox },
          listener, configuration, openConnections, memory))
    }
    state.withLock { $0 = .running(mailboxes) }
    do throws(ServerError) {
      for loop in loops { try run(loop) }
    } catch {
      // Those that run already stop immediately; of the others only the listener is there.
      for mailbox in mailboxes { mailbox.post(.stop(.zero)) }
      throw error
    }
    return address
  }

  private func run(_ loop: EventLoop) throws(ServerError) {
    // Safe because start() gives the loop away here and never touches it again.
    nonisolated(unsafe) let loop = loop
    running.enter()
    do throws(ServerError) {
      try LoopThread.start { [makeHandler, running] in
        loop.run(makeHandler)
        running.leave()
      }
    } catch {
      running.leave()
      throw error
    }
  }

  /// Gives clients other times from now on: `head` for a head, `idle` between two requests. What a
  /// client waits for already keeps its deadline.
  package func setPatience(head: Duration, idle: Duration) {
    let mailboxes = state.withLock { state in
      if case .running(let mailboxes) = state { mailboxes } else { [Mailbox]() }
    }
    for mailbox in mailboxes { mailbox.post(.patience(head: head, idle: idle)) }
  }

  /// Stops accepting, lets what is in progress finish, and returns when every loop has ended.
  ///
  /// Requests that have arrived are answered, with `Connection: close`; idle connections are
  /// closed immediately; what is left after `drain` is cut.
  package func stop(drain: Duration) async {
    let mailboxes = state.withLock { state in
      defer { state = .stopped }
      return if case .running(let mailboxes) = state { mailboxes } else { [Mailbox]() }
    }
    for mailbox in mailboxes { mailbox.post(.stop(drain)) }
    await withCheckedContinuation { continuation in
      running.notify(queue: DispatchQueue(label: "tsugi.http.stop")) { continuation.resume() }
    }
  }
}
