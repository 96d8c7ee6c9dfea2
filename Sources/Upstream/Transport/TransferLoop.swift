internal import CCurl
private import Dispatch
internal import Feed
private import Synchronization

/// Drives every transfer of a client on one thread that waits in `curl_multi_poll`.
///
/// `curl_multi_socket_action` from dispatch sources was tried: timeouts came up to 1.2 s late.
final class TransferLoop: Sendable {
  private struct Inbox {
    var orders: [TransferOrder] = []
    var isClosed = false
  }

  private typealias Underway = [EasyHandle.Key: Transfer]

  private static let idleConnectionsMax = 8
  private static let closedError = FetchError.unreachable(reason: "the client is closed")

  private let settings: TransferSettings
  private let pause: @Sendable () -> Void
  private let multi: MultiHandle
  private let inbox = Mutex(Inbox())
  private let queue = DispatchQueue(label: "tsugi.upstream")

  /// A loop that runs until it is closed; it calls `pause` before each transfer and while
  /// a large answer comes.
  ///
  /// - Throws: `.unreachable` when libcurl has no memory.
  init(
    settings: TransferSettings, pause: @escaping @Sendable () -> Void
  ) throws(FetchError) {
    self.settings = settings
    self.pause = pause
    multi = try MultiHandle(idleConnectionsMax: TransferLoop.idleConnectionsMax)
    queue.async { self.run() }
  }

  /// Begins a transfer soon; fails it immediately when the loop is closed. From any thread.
  func submit(_ order: TransferOrder) {
    let isTaken = inbox.withLock { inbox in
      if !inbox.isClosed { inbox.orders.append(order) }
      return !inbox.isClosed
    }
    if isTaken { multi.wakeUp() } else { order.fail(TransferLoop.closedError) }
  }

  /// Fails what is in progress and ends the loop soon. From any thread, any number of times.
  func close() {
    inbox.withLock { $0.isClosed = true }
    multi.wakeUp()
  }

  /// Returns when the loop, being closed, has left its thread.
  func join() async {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume() }
    }
  }

  private func run() {
    var underway: Underway = [:]
    let (connections, bodies) = (KeptConnections(), HeldBodies())
    while !inbox.withLock(\.isClosed) {
      for order in takeOrders() { begin(order, over: connections, into: bodies, &underway) }
      do throws(FetchError) {
        try multi.perform()
        settle(&underway)
        try multi.poll()
      } catch {
        // libcurl's poll or memory failed. Without transfers it would fail again for ever.
        if underway.isEmpty { close() }
        failAll(&underway, error)
      }
    }
    failAll(&underway, TransferLoop.closedError)
    for order in takeOrders() { order.fail(TransferLoop.closedError) }
  }

  private func takeOrders() -> [TransferOrder] {
    inbox.withLock { inbox in
      let orders = inbox.orders
      inbox.orders = []
      return orders
    }
  }

  private func begin(
    _ order: TransferOrder, over connections: KeptConnections, into bodies: HeldBodies,
    _ underway: inout Underway
  ) {
    pause()
    do throws(FetchError) {
      let transfer = try Transfer(
        order, settings: settings, connections: connections, bodies: bodies,
        pace: WorkPace(pause))
      try multi.add(transfer.easy)
      underway[transfer.easy.key] = transfer
    } catch {
      order.fail(error)
    }
  }

  private func settle(_ underway: inout Underway) {
    while let (key, code) = multi.nextCompletion() { settle(key, code, &underway) }
    // Bodies that waited for those that have ended go on, the eldest first.
    for (key, transfer) in underway.filter(\.value.waits)
      .sorted(by: { $0.value.number < $1.value.number })
    {
      let code = transfer.goOn()
      if code != CURLE_OK { settle(key, code, &underway) }
    }
  }

  private func settle(_ key: EasyHandle.Key, _ code: CURLcode, _ underway: inout Underway) {
    guard let transfer = underway.removeValue(forKey: key) else { return }
    do throws(FetchError) {
      try multi.remove(transfer.easy)
      if try transfer.goesOn(after: code) {
        try multi.add(transfer.easy)
        underway[key] = transfer
      } else {
        transfer.complete(code)
      }
    } catch {
      transfer.fail(error)
    }
  }

  private func failAll(_ underway: inout Underway, _ error: FetchError) {
    for transfer in underway.values {
      do throws(FetchError) {
        try multi.remove(transfer.easy)
        transfer.fail(error)
      } catch {
        transfer.fail(error)
      }
    }
    underway = [:]
  }
}
