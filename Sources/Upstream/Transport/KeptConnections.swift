private import Glibc

/// What is known of the connections that libcurl keeps open for the next request.
///
/// On one of HTTP/1 libcurl takes for the answer whatever comes next. What an upstream has sent
/// after its last answer, unasked, would be the answer to somebody else's request (RFC 9112
/// §9.2). So such a connection is left where there is something to read on it before the request,
/// and for a moment after an answer without a body: some upstreams send one after all.
///
/// Used on the loop's thread alone.
final class KeptConnections {
  /// The two ends of a connection.
  struct Ends: Hashable {
    var local: String
    var localPort: Int32
    var remote: String
    var remotePort: Int32
  }

  private struct Kept {
    let socket: Int32
    /// Whether answers have numbers on it; nil before the first one, when a second request is sent
    /// only where they have.
    var isMultiplexed: Bool?
    var restsUntil: ContinuousClock.Instant?
    var number: Int
  }

  /// The most connections that are remembered: far more than are ever open together.
  static let countMax = 1_024
  /// How long a connection rests after an answer without a body.
  static let restDuration = Duration.seconds(1)

  private var kept: [Ends: Kept] = [:]
  private var lastNumber = 0

  /// Remembers a new connection, of one of these sockets.
  func note(_ ends: Ends, among sockets: [Int32]) {
    guard let socket = sockets.last(where: { KeptConnections.port(of: $0) == ends.localPort })
    else { return kept[ends] = nil }
    lastNumber += 1
    kept[ends] = Kept(socket: socket, number: lastNumber)
    guard kept.count > KeptConnections.countMax,
      let oldest = kept.min(by: { $0.value.number < $1.value.number })
    else { return }
    kept[oldest.key] = nil
  }

  /// Notes that an answer has come on a connection.
  func noteAnswer(on ends: Ends, isMultiplexed: Bool, hasBody: Bool) {
    kept[ends]?.isMultiplexed = isMultiplexed
    kept[ends]?.restsUntil = hasBody ? nil : .now + KeptConnections.restDuration
  }

  /// Whether a request may be sent on a connection that another one was sent on before.
  func maySend(on ends: Ends) -> Bool {
    guard let kept = kept[ends], kept.isMultiplexed == false else { return true }
    if let restsUntil = kept.restsUntil, restsUntil > .now { return false }
    var look = pollfd(fd: kept.socket, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, 0) == 0
  }

  private static func port(of socket: Int32) -> Int32? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(socket, $0, &length)
      }
    }
    guard code == 0 else { return nil }
    // An IPv4 and an IPv6 address have their port at one place.
    return withUnsafeBytes(of: address) { bytes in
      Int32(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }
}
