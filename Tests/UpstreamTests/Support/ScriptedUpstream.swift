import Dispatch
import Glibc
import Synchronization

/// An upstream on loopback that answers each request with literal bytes and keeps what it was sent.
///
/// The script is asked with the request's number, from 0, over all connections. A connection is
/// kept for the next request unless a step ends it.
final class ScriptedUpstream: Sendable {
  enum Step: Sendable {
    /// Sends these bytes.
    case bytes([UInt8])
    /// Closes the connection in order.
    case close
    /// Breaks the connection off (RST).
    case reset
    /// Sends nothing more until the peer gives up.
    case hold
    /// Waits so long before what follows.
    case pause(milliseconds: UInt32)
    /// Sends a byte every 100 ms until the peer gives up.
    case trickle

    /// Sends text whose line ends are written `\n` in the head and sent as CRLF.
    static func head(_ text: String) -> Step {
      .bytes(Array((text + "\n\n").utf8).flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
    }

    static func text(_ text: String) -> Step { .bytes(Array(text.utf8)) }
  }

  struct SocketFailed: Error {
    let call: String
    let code: Int32
  }

  private struct State {
    var heads: [String] = []
    var connectionCount = 0
  }

  let port: UInt16
  private let listener: Int32
  private let script: @Sendable (Int) -> [Step]
  private let state = Mutex(State())

  init(_ script: @escaping @Sendable (Int) -> [Step]) throws {
    self.script = script
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw SocketFailed(call: "socket", code: errno) }
    port = try ScriptedUpstream.listen(listener)
  }

  /// Answers one request after the other with the same steps.
  convenience init(always steps: [Step]) throws {
    try self.init { _ in steps }
  }

  /// Accepts connections until `stop`.
  func start() {
    DispatchQueue(label: "upstream.script").async {
      while true {
        let connection = accept(self.listener, nil, nil)
        guard connection >= 0 else { return }
        self.state.withLock { $0.connectionCount += 1 }
        DispatchQueue(label: "upstream.script.connection").async { self.serve(connection) }
      }
    }
  }

  /// Listens no more. The socket is closed with the last use of it: closed here, its number could
  /// be the next upstream's before our thread has left `accept`, which would then answer for that.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  deinit {
    close(listener)
  }

  var url: String { "http://127.0.0.1:\(port)" }
  var heads: [String] { state.withLock(\.heads) }
  var connectionCount: Int { state.withLock(\.connectionCount) }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    while let head = readHead(connection) {
      let number = state.withLock { state in
        state.heads.append(head)
        return state.heads.count - 1
      }
      for step in script(number) where !perform(step, on: connection) { return }
    }
  }

  /// Whether the connection may go on.
  private func perform(_ step: Step, on connection: Int32) -> Bool {
    switch step {
    case .bytes(let bytes): return send(bytes, to: connection)
    case .close: return false
    case .reset:
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
      return false
    case .pause(let milliseconds):
      usleep(1_000 * milliseconds)
      return true
    case .hold:
      _ = isGivenUp(connection, waitMilliseconds: -1)
      return false
    case .trickle:
      while !isGivenUp(connection, waitMilliseconds: 100), send([0x20], to: connection) {}
      return false
    }
  }

  private func readHead(_ connection: Int32) -> String? {
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) {
      guard recv(connection, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    return String(decoding: head, as: UTF8.self)
  }

  private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { bytes in
        Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  private func isGivenUp(_ connection: Int32, waitMilliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, waitMilliseconds) != 0
  }

  private static func listen(_ listener: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) | Glibc.listen(listener, 128)
          | getsockname(listener, address, &size)
      }
    }
    guard code == 0 else { throw SocketFailed(call: "bind", code: errno) }
    return UInt16(bigEndian: address.sin_port)
  }
}
